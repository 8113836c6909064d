// The runs of one pi process: prompts, what pi says during a run, its questions and aborts. Made with the first prompt or
// the first line that is no answer, because a gateway may keep thousands of agents that nobody has asked anything
// (docs/path-of-a-delta.md).
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { TemplateRecogniser } from '../../../core/fast-path/templates.ts';
import { createCallChanges } from '../../../core/log/call-changes.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { refused } from '../../../core/model/errors.ts';
import { piFields } from '../encode-values.ts';
import { dataSchemas } from '../wire/responses.ts';
import { createApprovals } from './approvals.ts';
import { outcomeOf } from './decode/answer.ts';
import { createEventDecoder } from './decode/event.ts';
import { createHeldLines } from './decode/held-lines.ts';
import { runTimer } from './decode/run.ts';
import { createLineRecogniser } from './delta-template.ts';
import { createDialogs } from './dialogs.ts';
import { changeOf } from './file-changes.ts';
import { createMessageOrigins } from './message-origins.ts';
import type { PiOptions } from './options.ts';
import type { Answer, PendingRequests } from './pending-requests.ts';
import { createAborts } from './prompts/aborts.ts';
import { type EncodedContent, sayContent, sayPrompt } from './prompts/encode-prompt.ts';
import { createFirstRun } from './prompts/first-run.ts';
import { createJoiningPrompts } from './prompts/joining-prompts.ts';
import { createPrompts } from './prompts/prompts.ts';
import type { SessionTracker } from './session-tracker.ts';

/** A line to pi, without its id. */
export type Line = Dictionary & { readonly type: string };

/** The functions of the backend that this part uses. */
export interface TurnPorts {
  readonly env: Env;
  readonly out: Outbox;
  readonly options: PiOptions;
  readonly pending: PendingRequests;
  readonly tracker: SessionTracker;
  /** Sends a line and passes the answer to `then`. */
  request(id: string, line: Line, then: (answer: Answer) => void): void;
  /** Sends the line of a command and settles the command with the answer. */
  perform(id: string, line: Line): void;
  /** Takes an answer of pi. */
  response(line: Dictionary): void;
}

/** Commands about runs and about questions. */
export type TurnCommand = CommandOf<'prompt' | 'steer' | 'follow-up' | 'abort' | 'answer-approval' | 'answer-dialog'>;

/** All about the runs of one pi process. */
export interface Turns {
  readonly recogniser: TemplateRecogniser;
  /** Whether a question to the user is open. */
  isAsking(): boolean;
  /** Must be called before an answer of pi is taken. */
  answered(): void;
  /** Pi reports the disposition of a prompt (since 0.99). */
  disposes(): void;
  encode(command: TurnCommand, id: string): void;
  decode(line: Dictionary): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
  end(): void;
}

/** Creates the runs of one pi process. */
export function createTurns({ env, out, options, pending, tracker, ...ports }: TurnPorts): Turns {
  const { request, perform } = ports;
  const origins = createMessageOrigins();
  const isAsking = () => approvals.isOpen() || dialogs.isOpen();
  const asked = () => pending.pause('prompt', isAsking());
  const changes = createCallChanges(changeOf);
  const approvals = createApprovals(out, changes, asked);
  const dialogs = createDialogs(out, {
    changed: asked,
    // Tools ask only during a run, so a question outside a run cannot be an approval.
    takes: (request) => run.isOpen() && approvals.take(request),
    isStopping: () => aborts.isOpen() && isWorking(),
  });
  /**
   * Whether pi reports the disposition of a prompt (since 0.99). Such a pi also lists its tools in its first run and
   * reports when a run has settled.
   */
  let disposes = false;
  /** Whether a prompt has joined the open run. */
  let hasJoined = false;
  const joiningPrompts = createJoiningPrompts((id, outcome) => out.settle(id, outcome));

  const events = createEventDecoder(env, out, options.graceMs, {
    started() {
      hasJoined = false;
      approvals.runStarted();
      prompts.runStarted();
      aborts.runStarted();
      if (!aborts.isOpen()) joiningPrompts.sendAll();
    },
    ended() {
      approvals.runEnded();
      aborts.runEnded();
      joiningPrompts.refuseAll();
    },
    changes,
    skippedOf: approvals.skippedOf,
    originOf: (words) => origins.of(words),
    bashId: () => pending.ids('bash')[0],
    bashLine: pending.lineOf,
    learn: tracker.learn,
    learnTools: tracker.learnTools,
    expectsRun: () => prompts.isWaiting(),
  });
  const { run } = events;

  const prompts = createPrompts(out, {
    graceMs: options.graceMs,
    startGraceMs: options.startGraceMs,
    busy: () => isAsking() || events.isCompacting(),
    askState: () => tracker.refresh(prompts.state),
    began: (id) => void pending.finish(id, { kind: 'data', data: undefined }),
    withoutRun() {
      if (run.isOpen()) return;
      out.deliver({ type: 'run-start', empty: true, synthetic: true });
      out.deliver({ type: 'run-end', outcome: 'completed', synthetic: true });
    },
    drained(joined) {
      aborts.promptGone();
      if (joined) joiningPrompts.sendAll();
      else joiningPrompts.refuseAll();
    },
  });

  const aborts = createAborts(
    {
      perform(id) {
        run.aborting();
        approvals.stop();
        perform(id, { type: 'abort' });
      },
      finish: (id, answer) => void pending.finish(id, answer),
      unanswered: () => pending.ids('abort'),
      answers: () => pending.answers(),
    },
    (id) => out.settle(id, { ok: true }),
  );

  /** Whether anything is in progress that an abort can stop. */
  function isWorking(): boolean {
    return run.isOpen() || prompts.isWaiting() || events.isCompacting() || pending.ids('compact').length > 0;
  }

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    const { whenBusy } = command;
    const isBusy = run.isOpen() || prompts.isWaiting();
    const encoded = sayPrompt(command, tracker.models.current?.id);
    if (!isBusy) return startRun(command, encoded, id);
    // Two prompts at once would interleave two runs in 0.13.2 (docs/protocols/pi-legacy.md 1.7).
    if (whenBusy !== 'steer' && whenBusy !== 'follow-up') return out.settle(id, refused('busy', 'pi is at work'));
    const send = () => {
      origins.sent(encoded.message, whenBusy);
      perform(id, joinLine(command, encoded, whenBusy));
    };
    if (run.isOpen() && !aborts.isOpen()) send();
    else joiningPrompts.hold({ id, send });
  }

  /**
   * The line of a prompt that joins the run. If a joining `prompt` arrives too late, it begins a run of its own, and pi
   * loses a second prompt right behind it. So only the first one is sent as `prompt`; later ones are sent as `steer` or
   * `follow_up`, which stay in that run. Slash commands of extensions work only in a `prompt`.
   */
  function joinLine(command: CommandOf<'prompt'>, encoded: EncodedContent, as: 'steer' | 'follow-up'): Line {
    const isLater = hasJoined && !encoded.message.startsWith('/');
    hasJoined = true;
    if (isLater) return promptLine(as === 'steer' ? 'steer' : 'follow_up', command, encoded);
    return { ...promptLine('prompt', command, encoded), streamingBehavior: as === 'steer' ? 'steer' : 'followUp' };
  }

  function startRun(command: CommandOf<'prompt'>, encoded: EncodedContent, id: string): void {
    origins.sent(encoded.message, 'prompt');
    aborts.promptSent();
    prompts.sent(id, encoded.message);
    request(id, promptLine('prompt', command, encoded), (answer) => {
      out.settle(id, outcomeOf('prompt', answer));
      if (answer.kind !== 'data') return prompts.gone(id);
      prompts.accepted(id, dataSchemas.prompt.safeParse(answer.data).data?.disposition);
    });
  }

  function queue(command: CommandOf<'steer' | 'follow-up'>, id: string): void {
    const encoded = sayContent(command.content);
    origins.sent(encoded.message, command.type);
    perform(id, promptLine(command.type === 'steer' ? 'steer' : 'follow_up', command, encoded));
  }

  function promptLine(type: 'prompt' | 'steer' | 'follow_up', command: Command, encoded: EncodedContent): Line {
    for (const loss of encoded.losses) out.note('loss', `${command.type}: pi does not take ${loss}`);
    const images = encoded.images.length === 0 ? {} : { images: encoded.images };
    return { ...piFields(command.extra), type, message: encoded.message, ...images };
  }

  function abort({ target, waiting }: CommandOf<'abort'>, id: string): void {
    switch (target) {
      case 'run':
        dialogs.cancelAll();
        if (waiting === 'drop') joiningPrompts.abort();
        return aborts.abort(id, { runOpen: run.isOpen(), promptWaits: prompts.isWaiting() });
      case 'retry':
        return perform(id, { type: 'abort_retry' });
      case 'bash':
        return perform(id, { type: 'abort_bash' });
      case 'compaction':
        // pi has no separate command. Since 0.85.0 `abort` also ends a manual compaction (docs/protocols/pi.md 10.9).
        return perform(id, { type: 'abort' });
      default:
        return target satisfies never;
    }
  }

  function encode(command: TurnCommand, id: string): void {
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'steer':
      case 'follow-up':
        return queue(command, id);
      case 'abort':
        return abort(command, id);
      case 'answer-approval':
        return out.settle(id, approvals.answer(command));
      case 'answer-dialog':
        return out.settle(id, dialogs.answer(command.id, command.answer));
      default:
        return command satisfies never;
    }
  }

  const held = createHeldLines(take, () => run.tellEnd());
  const opening = createFirstRun(out, {
    graceMs: options.graceMs,
    isAwaited: () => disposes && !run.isOpen() && !tracker.knowsTools(),
    learnTools: tracker.learnTools,
    take,
  });

  function decode(line: Dictionary): void {
    const type = typeof line.type === 'string' ? line.type : '';
    if (events.waits(type)) return held.add(line);
    held.release();
    if (!opening.holds(line)) take(line);
  }

  function take(line: Dictionary): void {
    const isAside = line.type === 'response' || line.type === 'extension_ui_request';
    if (isAside) run.aside();
    if (line.type === 'response') return ports.response(line);
    if (line.type === 'extension_ui_request') return dialogs.request(line);
    if (line.type === 'tool_execution_end' && typeof line.toolCallId === 'string') approvals.toolEnded(line.toolCallId);
    events.line(line);
    if (line.type !== 'compaction') return;
    // pi 0.13.2 answers `compact` with its event.
    for (const id of pending.ids('compact')) pending.finish(id, { kind: 'data', data: line });
  }

  return {
    recogniser: createLineRecogniser(events.streaming),
    isAsking,
    answered: run.proven,
    disposes() {
      disposes = true;
      run.willSettle();
    },
    encode,
    decode,
    onTimer(timer) {
      if (timer === runTimer) held.release();
      return run.onTimer(timer) || opening.onTimer(timer) || dialogs.onTimer(timer) || prompts.onTimer(timer);
    },
    end() {
      opening.release();
      held.release();
      run.finish();
    },
  };
}
