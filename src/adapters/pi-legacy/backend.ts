// The gateway as the client of pi 0.13.2. The parts of ../pi decode pi's lines; this file sends the commands. pi does
// not answer commands, so events show their results. Comments name each fault of pi that this file hides from clients
// (docs/protocols/pi-legacy.md 1.6, 1.7).
import type { Env } from '../../core/contract/adapter/action.ts';
import type { Backend } from '../../core/contract/adapter/backend.ts';
import { createOutbox } from '../../core/contract/adapter/outbox.ts';
import { createCallChanges } from '../../core/log/call-changes.ts';
import type { Command, CommandOf } from '../../core/model/command.ts';
import type { Dictionary } from '../../core/model/content.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import { outcomeOf } from '../pi/backend/decode/answer.ts';
import { createEventDecoder } from '../pi/backend/decode/event.ts';
import { readLine } from '../pi/backend/decode/read-line.ts';
import { decodeStateless } from '../pi/backend/decode/stateless.ts';
import { createLineRecogniser } from '../pi/backend/delta-template.ts';
import { changeOf } from '../pi/backend/file-changes.ts';
import { createMessageOrigins } from '../pi/backend/message-origins.ts';
import { sayPrompt } from '../pi/backend/prompts/encode-prompt.ts';
import { writeLine } from '../pi/backend/write-line.ts';
import { failureOf } from '../pi/decode-values.ts';
import { piFields } from '../pi/encode-values.ts';
import { sortContent } from './attachments.ts';
import type { AgentOptions } from './options.ts';

/** The lines that 0.13.2 prints (docs/protocols/pi-legacy.md 2.1). */
const lines: ReadonlySet<string> = new Set([
  'agent_start',
  'agent_end',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_end',
  'compaction',
  'error',
]);

/** The start of pi's errors about a compaction. Every other error concerns the last line that pi has read. */
const ownFailure = /^(?:Auto-c|C)ompaction failed: /;
const askedFailure = 'Compaction failed: ';

const promptTimer = 'prompt';
const compactTimer = 'compact';

/** Creates the backend of one pi process. */
export function createBackend(env: Env, options: AgentOptions): Backend {
  const out = createOutbox(writeLine);
  const origins = createMessageOrigins();
  /** The prompt whose run has not begun. */
  let prompting: string | null = null;
  /** Aborts of the open run, or of the run that is about to begin. */
  let aborting: string[] = [];
  /** The compaction that the gateway has requested. */
  let compacting: string | null = null;

  const events = createEventDecoder(env, out, 0, {
    started() {
      settlePrompt({ ok: true });
      if (aborting.length > 0) events.run.aborting();
    },
    ended: settleAborts,
    changes: createCallChanges(changeOf),
    originOf: (words) => origins.of(words),
    bashId: () => undefined,
    learn: () => {},
  });

  const recogniser = createLineRecogniser(events.streaming);

  function settlePrompt(outcome: Outcome): void {
    if (prompting === null) return;
    out.timer(promptTimer, null);
    out.settle(prompting, outcome);
    prompting = null;
    if (!outcome.ok) settleAborts();
  }

  function settleAborts(): void {
    for (const id of aborting) out.settle(id, { ok: true });
    aborting = [];
  }

  function settleCompaction(outcome: Outcome): void {
    if (compacting === null) return;
    if (options.compactTimeoutMs > 0) out.timer(compactTimer, null);
    out.settle(compacting, outcome);
    compacting = null;
  }

  /** Why pi cannot take anything now, or null. */
  function busyReason(): string | null {
    if (events.run.isOpen() || prompting !== null) return 'is at work';
    return compacting === null ? null : 'compacts its context';
  }

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    const busy = busyReason();
    const joins = command.whenBusy === 'steer' || command.whenBusy === 'follow-up';
    if (busy !== null && joins) return out.settle(id, refused('unsupported', 'pi 0.13.2 takes nothing during a run'));
    // pi would run both prompts at once and mix their lines.
    if (busy !== null) return out.settle(id, refused('busy', `pi ${busy}`));

    const sorted = sortContent(command.content, () => env.id('attachment'));
    const encoded = sayPrompt({ ...command, content: [...sorted.others] }, undefined);
    // pi never answers an empty message. A blank message beside an image never reaches the model.
    const message = encoded.message === '' && sorted.attachments.length > 0 ? ' ' : encoded.message;
    for (const loss of [...encoded.losses, ...sorted.losses]) out.note('loss', `prompt: pi does not take ${loss}`);
    if (message === '') return out.settle(id, refused('invalid', 'pi needs words or a file in a prompt'));

    prompting = id;
    origins.sent(message, 'prompt');
    const attachments = sorted.attachments.length === 0 ? undefined : sorted.attachments;
    out.send({ ...piFields(command.extra), type: 'prompt', message, attachments });
    out.timer(promptTimer, options.startTimeoutMs);
  }

  function abort({ target }: CommandOf<'abort'>, id: string): void {
    if (target !== 'run') return out.settle(id, refused('unsupported', `pi 0.13.2 cannot stop a ${target}`));
    if (!events.run.isOpen() && prompting === null) {
      const outcome: Outcome =
        compacting === null ? { ok: true } : refused('unsupported', 'pi 0.13.2 cannot stop a compaction');
      return out.settle(id, outcome);
    }
    aborting.push(id);
    events.run.aborting();
    out.send({ type: 'abort' });
  }

  function compact(command: CommandOf<'compact'>, id: string): void {
    const busy = busyReason();
    // During a run, a compaction would remove the messages that the run uses.
    if (busy !== null) return out.settle(id, refused('busy', `pi ${busy}`));
    compacting = id;
    // pi prints nothing until the compaction is over. Prompts must wait until then.
    out.deliver({ type: 'compaction-start', trigger: 'manual' });
    out.send({ ...piFields(command.extra), type: 'compact', customInstructions: command.instructions });
    if (options.compactTimeoutMs > 0) out.timer(compactTimer, options.compactTimeoutMs);
  }

  function encode(command: Command, id: string): void {
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'abort':
        return abort(command, id);
      case 'compact':
        return compact(command, id);
      default:
        // pi would ignore the command silently.
        return out.settle(id, refused('unsupported', `pi 0.13.2 has no command for ${command.type}`));
    }
  }

  /** The end of the requested compaction, or of one that pi began by itself. */
  function compaction(line: Dictionary): void {
    const decoded = decodeStateless('compaction', line);
    if (compacting === null || decoded === null || 'problem' in decoded) return events.line(line);
    for (const event of decoded) if (event.type !== 'compaction-start') out.deliver(event);
    if (line.auto === true) return out.deliver({ type: 'compaction-start', trigger: 'manual' });
    settleCompaction(outcomeOf('compact', { kind: 'data', data: line }));
  }

  function failCompaction(code: 'agent-refused' | 'timeout', message: string): void {
    const failure = failureOf(message, 'agent');
    out.deliver({ type: 'compaction-end', trigger: 'manual', outcome: 'failed', failure });
    settleCompaction(refused(code, message));
  }

  /** An error about the last line is the answer to its command. */
  function complaint(line: Dictionary, error: string): void {
    if (compacting !== null && error.startsWith(askedFailure)) {
      return failCompaction('agent-refused', error.slice(askedFailure.length));
    }
    if (prompting !== null && !ownFailure.test(error)) return settlePrompt(refused('agent-refused', error));
    events.line(line);
  }

  function decode(line: Dictionary): void {
    const type = typeof line.type === 'string' ? line.type : '';
    if (!lines.has(type)) {
      out.note('violation', `${JSON.stringify(type.slice(0, 64))} is no line of pi 0.13.2: newer ones speak "pi"`);
      return out.deliver({ type: 'unknown', protocol: 'pi', payload: line });
    }
    if (type === 'compaction') return compaction(line);
    if (type === 'error' && typeof line.error === 'string') return complaint(line, line.error);
    events.line(line);
    // A run of 0.13.2 is never continued after its end.
    if (type === 'agent_end') events.run.proven();
  }

  return {
    decode(frame) {
      const { object, problem } = readLine(frame);
      if (problem !== undefined) out.note('violation', problem);
      if (object !== null) decode(object);
      const actions = out.take();
      recogniser.learn(frame, actions);
      return actions;
    },
    recognise: recogniser.read,
    recogniseBurst: recogniser.readBurst,
    encode(command, id) {
      encode(command, id);
      return out.take();
    },
    onTimer(timer) {
      if (timer === promptTimer && prompting !== null) {
        // pi has no key, or hangs. Its reaction to further lines is unpredictable.
        const reason = `pi said nothing for ${options.startTimeoutMs} ms after a prompt`;
        settlePrompt(refused('timeout', reason));
        return [...out.take(), { do: 'close', code: 'error', reason }];
      }
      if (timer === compactTimer && compacting !== null) failCompaction('timeout', 'pi did not compact in time');
      return out.take();
    },
    end() {
      events.run.finish();
      return out.take();
    },
  };
}
