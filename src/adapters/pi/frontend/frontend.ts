// One connection of a client written for pi's RPC mode (docs/protocols/pi.md). Each command gets one response with its
// id. Session events come from projection.ts.
import type { Action } from '../../../core/contract/adapter/action.ts';
import type { Frontend } from '../../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { messageOf, type Outcome, type Problem } from '../../../core/model/errors.ts';
import { ExtensionUiResponse } from '../wire/commands.ts';
import { parserWords, problemOf } from '../wire/problem.ts';
import { decodeCommand } from './decode-command.ts';
import { answerTo } from './encode-answer.ts';
import { approvalPrefix, complaintLine } from './encode-stateless.ts';

type Actions = Action<Command>[];

/**
 * The fields of a command that its response repeats. `id` may be any JSON value, and is absent if the client sent none.
 */
interface Asked {
  readonly type: string;
  readonly id?: unknown;
}

/** pi's error for a prompt that comes during a run without `streamingBehavior`. */
const busyWords =
  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";

/** Creates the frontend of one connection. */
export function createConnection(session: SessionView | undefined): Frontend {
  const asked = new WeakMap<Command, Asked>();
  let notices = 0;

  /** Keys in pi's own order (docs/protocols/pi.md 4.2). */
  const respond = ({ type, id }: Asked, rest: Dictionary): Action<Command> => ({
    do: 'send',
    frame: JSON.stringify({ id, type: 'response', command: type, ...rest }),
  });

  const fail = (to: Asked, error: string): Action<Command> => respond(to, { success: false, error });

  /**
   * Reports a protocol violation of the client. The connection continues. The note never repeats the content of the
   * line.
   */
  const complain = (to: Asked, note: string, error: string = note): Actions => [
    { do: 'note', level: 'violation', text: note },
    fail(to, error),
  ];

  const unread = (to: Omit<Asked, 'type'>, note: string, error: string = note): Actions =>
    complain({ ...to, type: 'parse' }, note, `Failed to parse command: ${error}`);

  /** Whether the agent may have asked with a method of a newer pi. If so, the agent must read the answer itself. */
  function isForeign({ id }: Dictionary): boolean {
    if (session === undefined || typeof id !== 'string' || id.startsWith(approvalPrefix)) return false;
    const { agent, lastSeq, approvals, dialogs } = session.transcript;
    return agent === 'up' && lastSeq > 0 && !dialogs.has(id) && !approvals.has(id);
  }

  /** An answer has no response in pi, so its client is told by a notification. */
  function notified(problem: string): Actions {
    notices += 1;
    const line = complaintLine(`The question is still open. ${problem}`, `answer-problem-${notices}`);
    return [
      { do: 'note', level: 'violation', text: problem },
      { do: 'send', frame: JSON.stringify(line) },
    ];
  }

  /** Answers to dialogs. pi does not respond to them and ignores late ones. */
  function answered(line: Dictionary): Actions {
    if (isForeign(line)) return [{ do: 'deliver', message: { type: 'unknown', protocol: 'pi', payload: line } }];
    const read = ExtensionUiResponse.safeParse(line);
    if (!read.success) return notified(`extension_ui_response: ${problemOf(read.error)}`);
    return [{ do: 'deliver', message: answerOf(read.data, session?.transcript.dialogs.has(read.data.id) === true) }];
  }

  function command(line: Dictionary & { readonly type: string }): Actions {
    const to: Asked = 'id' in line ? { type: line.type, id: line.id } : { type: line.type };
    const decoded = decodeCommand(line);
    if ('problem' in decoded) return complain(to, `${line.type}: ${decoded.problem}`);
    asked.set(decoded.command, to);
    return [{ do: 'deliver', message: decoded.command }];
  }

  return {
    decode(frame) {
      let line: unknown;
      try {
        line = frame.json;
      } catch (thrown) {
        return unread({}, messageOf(thrown), parserWords(thrown));
      }
      if (!isDictionary(line)) return unread({}, 'a command is a JSON object');
      const { type } = line;
      if (typeof type !== 'string') return unread('id' in line ? { id: line.id } : {}, 'a command has a string "type"');
      return type === 'extension_ui_response' ? answered(line) : command({ ...line, type });
    },
    fault: ({ message }) => unread({}, message),
    reply(message, outcome) {
      const to = asked.get(message);
      if (to === undefined) {
        const refusal = refusalOf(message, outcome);
        return refusal === null ? [] : notified(refusal);
      }
      if (!outcome.ok && to.type === 'get_available_thinking_levels' && outcome.error.code === 'unsupported') {
        // An agent that does not list its levels has only the current one. pi always succeeds here, and pi-acp needs an
        // answer.
        return [respond(to, { success: true, data: answerTo(to.type, {}, session) })];
      }
      if (!outcome.ok) return [fail(to, errorWords(message, to, outcome.error))];
      const data = answerTo(to.type, outcome.data, session);
      return [respond(to, data === undefined ? { success: true } : { success: true, data })];
    },
  };
}

/** The refusal of an answer, if its client must be told. A late answer is normal. */
function refusalOf({ type }: Command, outcome: Outcome): string | null {
  if (outcome.ok || outcome.error.code === 'stale' || type === 'unknown') return null;
  return `${type}: ${outcome.error.message}`;
}

function errorWords(message: Command, { type }: Asked, { code, message: words }: Problem): string {
  if (message.type === 'prompt' && message.whenBusy === 'refuse' && code === 'busy') return busyWords;
  return message.type === 'unknown' && code === 'unsupported' ? `Unknown command: ${type}` : words;
}

/** An approval was presented as a `confirm`: only an explicit yes allows. */
function answerOf(response: ExtensionUiResponse, isDialog: boolean): CommandOf<'answer-approval' | 'answer-dialog'> {
  const { id } = response;
  if (id.startsWith(approvalPrefix) && !isDialog) {
    const isAllowed = 'confirmed' in response && response.confirmed === true;
    return { type: 'answer-approval', id: id.slice(approvalPrefix.length), decision: isAllowed ? 'allow' : 'deny' };
  }
  if ('cancelled' in response) return { type: 'answer-dialog', id, answer: { kind: 'cancelled' } };
  if (typeof response.confirmed === 'boolean')
    return { type: 'answer-dialog', id, answer: { kind: 'confirmed', confirmed: response.confirmed } };
  return { type: 'answer-dialog', id, answer: { kind: 'value', value: String(response.value) } };
}
