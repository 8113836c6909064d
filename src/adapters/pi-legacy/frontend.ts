// One connection of a client written for pi 0.13.2 (docs/protocols/pi-legacy.md). The client gets no responses: success
// is visible in the events, and a refusal is an `error` line. The events come from ../pi/projection/projection.ts.
import type { Action } from '../../core/contract/adapter/action.ts';
import type { Frontend } from '../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import type { Command, CommandOf } from '../../core/model/command.ts';
import { isDictionary, without } from '../../core/model/dictionary.ts';
import { messageOf, type Outcome } from '../../core/model/errors.ts';
import { OutcomeData } from '../../core/model/outcome-data.ts';
import { createAutoDecline } from '../../core/session/agent/auto-decline.ts';
import { extraOf } from '../pi/decode-values.ts';
import { compactionWhole } from '../pi/frontend/encode-stateless.ts';
import { parserWords, problemOf } from '../pi/wire/problem.ts';
import { contentOf } from './attachments.ts';
import { ClientLine, commandSchemas } from './wire.ts';

type Actions = Action<Command>[];

/** Creates the frontend of one connection. */
export function createConnection(session: SessionView | undefined): Frontend {
  const bystander = createAutoDecline(session);
  /** The log position at which a compaction was requested. */
  const askedAt = new WeakMap<Command, number>();

  const send = (line: object): Action<Command> => ({ do: 'send', frame: JSON.stringify(line) });
  const fail = (error: string): Action<Command> => send({ type: 'error', error });

  /** Reports an error of the client. The connection continues. The note never repeats the content of the line. */
  function complain(problem: string, error: string = problem): Actions {
    return [{ do: 'note', level: 'violation', text: problem }, fail(error)];
  }

  function take(line: ClientLine): Actions {
    switch (line.type) {
      case 'prompt': {
        const text = { type: 'text', text: line.message } as const;
        const content = [text, ...(line.attachments ?? []).map(contentOf)];
        const extra = extraOf(without(line, 'type', 'message', 'attachments'));
        return [{ do: 'deliver', message: { type: 'prompt', content, ...extra } }, ...bystander.prompted()];
      }
      case 'abort':
        return [{ do: 'deliver', message: { type: 'abort', target: 'run', ...extraOf(without(line, 'type')) } }];
      case 'compact': {
        const instructions = line.customInstructions ?? undefined;
        const extra = extraOf(without(line, 'type', 'customInstructions'));
        const message: CommandOf<'compact'> = { type: 'compact', instructions, ...extra };
        askedAt.set(message, session?.transcript.lastSeq ?? 0);
        return [{ do: 'deliver', message }];
      }
      default:
        return line satisfies never;
    }
  }

  /** Some agents report a compaction only in their answer, and then this file must print the line. */
  function compacted(command: Command, data: unknown): Actions {
    const since = askedAt.get(command) ?? 0;
    const isShown = session?.transcript.items.some(
      (item) => item.kind === 'event' && item.logged.seq > since && item.logged.event.type === 'compaction-end',
    );
    const read = OutcomeData.compact.safeParse(data);
    if (isShown === true || !read.success) return [];
    const line = compactionWhole({ type: 'compaction-end', outcome: 'completed', ...read.data }, 'manual');
    return line === null ? [] : [send(line)];
  }

  return {
    decode(frame) {
      let json: unknown;
      try {
        json = frame.json;
      } catch (thrown) {
        return complain(messageOf(thrown), parserWords(thrown));
      }
      const read = ClientLine.safeParse(json);
      return read.success ? take(read.data) : complain(refusal(json, read.error));
    },
    fault: ({ message }) => complain(message),
    reply(command, outcome) {
      if (command.type === 'prompt') bystander.answered();
      return outcome.ok ? done(command, outcome.data) : refused(command, outcome);
    },
    onTimer: bystander.onTimer,
  };

  function done(command: Command, data: unknown): Actions {
    return command.type === 'compact' ? compacted(command, data) : [];
  }

  function refused(command: Command, { error }: Extract<Outcome, { ok: false }>): Actions {
    switch (command.type) {
      case 'answer-approval':
      case 'answer-dialog':
        // The client was not asked.
        return [];
      case 'compact':
        return [fail(`Compaction failed: ${error.message}`)];
      default:
        return [fail(error.message)];
    }
  }
}

/** Why a line is not one of the three commands. pi itself ignores such a line or breaks. */
function refusal(json: unknown, error: Parameters<typeof problemOf>[0]): string {
  if (!isDictionary(json)) return 'a line must be a JSON object';
  const { type } = json;
  if (typeof type !== 'string') return 'a line must have a string "type"';
  if (Object.hasOwn(commandSchemas, type)) return `bad ${type}: ${problemOf(error)}`;
  return `Unknown command: ${type.slice(0, 64)}`;
}
