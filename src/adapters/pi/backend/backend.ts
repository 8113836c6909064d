// The gateway as the client of a pi process in RPC mode, for all dialects. Connects the parts: decode-*.ts interprets
// lines, encode-*.ts writes commands, and this file does what needs both.
import { type Backend, beginsAnew, type Env, type Resumption } from '../../../core/contract/adapter.ts';
import { createOutbox } from '../../../core/contract/outbox.ts';
import { createCallChanges } from '../../../core/log/call-changes.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { refused } from '../../../core/model/errors.ts';
import { piFields } from '../encode-values.ts';
import { problemOf } from '../wire/problem.ts';
import { dataSchemas, Response } from '../wire/responses.ts';
import { createAborts } from './aborts.ts';
import { createApprovals } from './approvals.ts';
import { outcomeOf } from './decode-answer.ts';
import { createEventDecoder } from './decode-event.ts';
import { runTimer } from './decode-run.ts';
import { createLineRecogniser } from './delta-template.ts';
import { createDialogs } from './dialogs.ts';
import { encodeCommand } from './encode-command.ts';
import { type EncodedContent, sayContent, sayPrompt } from './encode-prompt.ts';
import { changeOf } from './file-changes.ts';
import { createFirstRun } from './first-run.ts';
import { createHeldLines } from './held-lines.ts';
import { createJoiningPrompts } from './joining-prompts.ts';
import { createMessageOrigins } from './message-origins.ts';
import { findModel } from './model-names.ts';
import type { PiOptions } from './options.ts';
import { type Answer, createPendingRequests } from './pending-requests.ts';
import { createPrompts } from './prompts.ts';
import { readLine } from './read-line.ts';
import { createSessionTracker } from './session-tracker.ts';
import { writeLine } from './write-line.ts';

const levelsLine = 'get_available_thinking_levels';

/** A line to pi, without its id. */
type Line = Dictionary & { readonly type: string };

/** Creates the backend of one pi process. `resume`: the session file that pi was started with. */
export function createBackend(env: Env, options: PiOptions, resume?: Resumption): Backend {
  const out = createOutbox(writeLine);
  const pending = createPendingRequests(out);
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

  const tracker = createSessionTracker(out, (type, then) => {
    request(env.id('query'), { type }, (answer) => then(answer.kind === 'data' ? answer.data : null));
  });

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

  /** Sends a line and passes the answer to `then`. */
  function request(id: string, line: Line, then: (answer: Answer) => void): void {
    const isLong = line.type === 'bash' || line.type === 'compact';
    const timeoutMs = isLong ? options.longRequestTimeoutMs || null : options.requestTimeoutMs;
    pending.send({ id, line, timeoutMs, done: then });
    if (isAsking()) pending.pause('prompt', true);
  }

  /** Answers with thinking levels for a pi before 0.81, which can set levels but has no command that lists them. */
  function settleLevels(id: string, refusal: Answer): void {
    tracker.refresh(() => {
      const levels = tracker.levels();
      out.settle(id, levels === null ? outcomeOf(levelsLine, refusal) : { ok: true, data: { levels } });
    });
  }

  /** Sends the line of a command and settles the command with the answer. */
  function perform(id: string, line: Line, reading?: string): void {
    request(id, line, (answer) => {
      if (line.type === levelsLine && answer.kind === 'refused' && answer.unknownCommand) {
        return settleLevels(id, answer);
      }
      out.settle(id, outcomeOf(line.type, answer, reading));
      if (answer.kind === 'data') tracker.observe(line, answer.data);
    });
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

  function setModel({ model, provider }: CommandOf<'set-model'>, id: string): void {
    if (model === undefined) return out.settle(id, refused('unsupported', 'pi has no default model to go back to'));
    findModel({ model, provider }, tracker, (named) => {
      if (named === null) out.settle(id, refused('not-found', `pi does not list a model ${model}`));
      else perform(id, { type: 'set_model', ...named });
    });
  }

  /** Forwards a command of a newer pi that a pi client sent. */
  function passOn({ protocol, payload }: CommandOf<'unknown'>, id: string): void {
    if (protocol !== 'pi') return out.settle(id, refused('unsupported', `pi does not speak ${protocol}`));
    // pi 0.73 and later crash on a null line (docs/protocols/pi.md 2.8).
    if (!isDictionary(payload) || typeof payload.type !== 'string') {
      return out.settle(id, refused('invalid', 'a command for pi is an object with a type'));
    }
    if (payload.type !== 'extension_ui_response') return perform(id, { ...payload, type: payload.type });
    out.send(payload);
    out.settle(id, { ok: true });
  }

  function encode(command: Command, id: string): void {
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
      case 'set-model':
        return setModel(command, id);
      case 'unknown':
        return passOn(command, id);
      default: {
        const encoded = encodeCommand(command);
        if ('refused' in encoded) return out.settle(id, { ok: false, error: encoded.refused });
        if (encoded.loss !== undefined) out.note('loss', `${command.type}: ${encoded.loss}`);
        perform(id, { ...piFields(command.extra), ...encoded.line }, encoded.reading);
      }
    }
  }

  const recogniser = createLineRecogniser(events.streaming);

  function response(line: Dictionary): void {
    run.proven();
    const read = Response.safeParse(line);
    if (read.success && dataSchemas.prompt.safeParse(read.data.data).data?.disposition !== undefined) {
      disposes = true;
      run.willSettle();
    }
    if (read.success) pending.response(read.data);
    else out.note('violation', `response: ${problemOf(read.error)}`);
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
    if (line.type === 'response') return response(line);
    if (line.type === 'extension_ui_request') return dialogs.request(line);
    if (line.type === 'tool_execution_end' && typeof line.toolCallId === 'string') approvals.toolEnded(line.toolCallId);
    events.line(line);
    if (line.type !== 'compaction') return;
    // pi 0.13.2 answers `compact` with its event.
    for (const id of pending.ids('compact')) pending.finish(id, { kind: 'data', data: line });
  }

  return {
    start() {
      tracker.refresh((_, messages) => {
        // pi makes a session file with the first answer of the model, and a file that is not there when it is opened.
        if (resume?.isKnown === true && messages === 0)
          out.deliver({ type: 'notice', level: 'warning', source: 'gateway', text: beginsAnew });
      });
      tracker.listCommands();
      return out.take();
    },
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
      if (timer === runTimer) held.release();
      run.onTimer(timer) ||
        opening.onTimer(timer) ||
        dialogs.onTimer(timer) ||
        prompts.onTimer(timer) ||
        pending.onTimer(timer);
      return out.take();
    },
    end() {
      opening.release();
      held.release();
      run.finish();
      return out.take();
    },
  };
}
