// The gateway as the client of one session of a pi-server. Connects the parts. The parts of ../pi decode pi's events;
// this adapter decodes the frames about commands and the server (docs/protocols/pi-server.md 6, 7, 17).
import type { Action, Env } from '../../../core/contract/adapter/action.ts';
import type { Backend } from '../../../core/contract/adapter/backend.ts';
import { createOutbox } from '../../../core/contract/adapter/outbox.ts';
import type { Resumption } from '../../../core/contract/adapter/stored-conversations.ts';
import type { CloseCode, Frame } from '../../../core/contract/channel.ts';
import type { Command } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { messageOf, refused } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/event.ts';
import { createLineRecogniser } from '../../pi/backend/delta-template.ts';
import { createMessageOrigins } from '../../pi/backend/message-origins.ts';
import { createSessionTracker } from '../../pi/backend/session-tracker.ts';
import { writeLine } from '../../pi/backend/write-line.ts';
import { createAgentAborts } from './aborts.ts';
import { createAgentDialogs } from './dialogs.ts';
import { Lifecycle, ofEvent, Response, ServerShutdown, SessionEvent, SessionNews } from './frames.ts';
import { createSessionOpening } from './open-session.ts';
import type { AgentOptions } from './options.ts';
import { createPromptLane } from './prompt-lane.ts';
import { createAgentRequests } from './requests.ts';
import { createAgentRuns, cutFor } from './runs.ts';
import { createSessionCommands, refusalAtOnce } from './session-commands.ts';
import { createUnqueuedCommands } from './unqueued-commands.ts';

/**
 * Creates the backend of one session. `folders`: where the session works, the first one counts. `name`: the session's
 * name on the server, never used twice. Without a name (as in a passive filter) the first session in the frames is
 * taken. `resume`: the session file to load.
 */
export function createBackend(
  env: Env,
  options: AgentOptions,
  folders: readonly string[] = [],
  name?: string,
  resume?: Resumption,
): Backend {
  const out = createOutbox(writeLine);
  const lane = createPromptLane(out);
  const origins = createMessageOrigins();
  const dialogs = createAgentDialogs(out, options.questionMs);
  /** Commands that wait for the session. */
  const early = new Map<string, Command>();
  let session = name ?? env.id('session');
  /** Whether the session id is still unknown. */
  let isAnybody = name === undefined;
  /** Why the session has ended, or null. */
  let gone: string | null = null;
  /** The close of the channel, to be appended to the current actions. */
  let closing: { readonly code: CloseCode; readonly reason: string } | null = null;
  /** The server accepts no new commands and only finishes its current work. Holds the reason. */
  let farewell: string | null = null;
  let hasLeft = false;

  const requests = createAgentRequests(
    out,
    () => session,
    options.requestTimeoutMs,
    () => !lane.isFree,
  );

  const tracker = createSessionTracker(out, (type, then) => {
    requests.send({ type }, { done: (answer) => then(answer.kind === 'data' ? answer.data : null) });
  });

  const greeting = createSessionOpening({
    out,
    requests,
    timeoutMs: options.readyTimeoutMs,
    cwd: (options.cwd ?? folders[0]) || undefined,
    resume,
    // The server tells what was said as after a switch.
    loaded: () => tracker.observe({ type: 'switch_session' }, { cancelled: false }),
    described: (info) => tracker.observe({ type: 'get_state' }, info),
    fail: (reason) => fail(reason, 'error'),
  });

  const runs = createAgentRuns(env, out, {
    graceMs: options.graceMs,
    lane,
    originOf: (words) => origins.of(words),
    learn: tracker.learn,
    started: () => aborts.runStarted(),
    unwanted: () => void requests.send({ type: 'abort' }, { done: () => {} }),
    over() {
      aborts.promptOver();
      requests.reckon();
      leaveIfDone();
    },
  });
  const { run } = runs;

  const beside = createUnqueuedCommands(out, requests, options.abortGraceMs);

  const aborts = createAgentAborts(out, requests, {
    graceMs: options.abortGraceMs,
    isOpen: () => run.isOpen(),
    hasPrompt: () => lane.live().length > 0,
    aborting: () => run.aborting(),
    notExecuted() {
      beside.waits();
      out.note('violation', 'abort: the pi-server lets it wait behind the prompt that it is about');
      runs.disown();
    },
  });

  const ask = createSessionCommands({ out, lane, requests, runs, beside, aborts, dialogs, tracker, origins });

  /** The session has ended: no further command can be sent. */
  function fail(reason: string, code: CloseCode): void {
    if (gone !== null) return;
    gone = reason;
    greeting.stop();
    requests.failAll('agent-down', reason);
    for (const id of early.keys()) out.settle(id, refused('agent-down', reason));
    early.clear();
    closing = { code, reason };
  }

  function leaveIfDone(): void {
    if (farewell !== null && lane.isFree && !run.isOpen()) fail(farewell, 'going-away');
  }

  function admit(command: Command, id: string): void {
    if (gone !== null) return out.settle(id, refused('agent-down', gone));
    // Refuse impossible commands at once, without waiting for the session.
    const unable = refusalAtOnce(command);
    if (unable !== null) return out.settle(id, unable);
    early.set(id, command);
    greeting.whenOpen(() => {
      if (early.delete(id)) begin(command, id);
    });
  }

  function begin(command: Command, id: string): void {
    const isAnswer = command.type === 'abort' || command.type === 'answer-dialog';
    if (farewell !== null && !isAnswer) return out.settle(id, refused('shutting-down', farewell));
    ask(command, id);
  }

  function isOurs(sessionId: string | undefined): boolean {
    if (isAnybody && sessionId !== undefined) {
      isAnybody = false;
      session = sessionId;
    }
    return sessionId === session;
  }

  function lifecycle(line: Dictionary): void {
    const read = Lifecycle.safeParse(line);
    if (!read.success) return out.note('violation', 'a lifecycle event without its fields');
    const { commandId, commandType, sessionId, success, error, sessionVersion, replayed } = read.data.data;
    if (!isOurs(sessionId)) return;
    requests.version(sessionVersion);
    if (read.data.type === 'command_started') {
      if (commandType === 'prompt') lane.started(commandId);
      requests.started(commandId);
      requests.reckon();
    }
    // The gateway's own commands end with their answer, which has more detail and comes even if the server drops
    // events.
    const own = lane.find(commandId)?.isForeign === false;
    if (read.data.type !== 'command_finished' || commandType !== 'prompt' || replayed === true || own) return;
    runs.promptOver(commandId, success === false ? cutFor(error) : undefined);
  }

  function response(line: Dictionary): void {
    const read = Response.safeParse(line);
    if (!read.success) return out.note('violation', 'a response without its fields');
    requests.response(read.data);
    if (read.data.error === `Session ${session} not found`) fail('the pi-server has closed the session', 'error');
  }

  function sessionEvent(line: Dictionary): void {
    const read = SessionEvent.safeParse(line);
    if (!read.success) return out.note('violation', 'an event without its fields');
    const { sessionId, event } = read.data;
    if (!isOurs(sessionId)) return;
    if (event.type !== 'extension_ui_request') return runs.line(event);
    run.aside();
    dialogs.request(event, runs.isMuted);
  }

  function sessionNews(line: Dictionary): void {
    const read = SessionNews.safeParse(line);
    if (!read.success) return out.note('violation', `${String(line.type)} without its fields`);
    if (!isOurs(read.data.data.sessionId) || read.data.type === 'session_created' || hasLeft) return;
    fail('the session was deleted on the pi-server', 'error');
  }

  function shutdown(line: Dictionary): void {
    const reason = ServerShutdown.safeParse(line).data?.data?.reason ?? 'no reason given';
    farewell ??= `the pi-server is shutting down (${reason.slice(0, 100)})`;
    leaveIfDone();
  }

  const recogniser = createLineRecogniser(runs.streaming, ofEvent);

  const table: ReadonlyMap<unknown, (line: Dictionary) => void> = new Map([
    ['server_ready', (line) => greeting.ready(line)],
    ['server_shutdown', shutdown],
    ['response', response],
    ['event', sessionEvent],
    ['session_created', sessionNews],
    ['session_deleted', sessionNews],
    ['command_accepted', lifecycle],
    ['command_started', lifecycle],
    ['command_finished', lifecycle],
  ]);

  function decode(frame: Frame): void {
    let json: unknown;
    try {
      json = frame.json;
    } catch (thrown) {
      // pi-server 2.0.1 writes log lines among its frames (docs/protocols/pi-server.md 3.1). Never repeated: a log line
      // may contain secrets.
      return out.note('violation', `skipped a line of ${frame.bytes.length} bytes: ${messageOf(thrown)}`);
    }
    if (!isDictionary(json)) return out.note('violation', 'skipped a frame that is no object');
    const handle = table.get(json.type);
    if (handle !== undefined) return handle(json);
    out.note('repair', `ignored a frame of an unknown type: ${JSON.stringify(String(json.type).slice(0, 64))}`);
  }

  /** All actions so far, then the close. The close comes last, so that callers with an answer find the agent gone. */
  function take(): Action<Event>[] {
    const actions = out.take();
    if (closing === null) return actions;
    const { code, reason } = closing;
    closing = null;
    const answers = actions.findIndex((action) => action.do === 'settle');
    const at = answers === -1 ? actions.length : answers;
    return [...actions.slice(0, at), { do: 'close', code, reason }, ...actions.slice(at)];
  }

  return {
    start() {
      greeting.start();
      return take();
    },
    decode(frame) {
      decode(frame);
      const actions = take();
      recogniser.learn(frame, actions);
      return actions;
    },
    recognise: recogniser.read,
    recogniseBurst: recogniser.readBurst,
    encode(command, id) {
      admit(command, id);
      return take();
    },
    onTimer(timer) {
      run.onTimer(timer) ||
        dialogs.onTimer(timer) ||
        aborts.onTimer(timer) ||
        beside.onTimer(timer) ||
        greeting.onTimer(timer) ||
        requests.onTimer(timer);
      return take();
    },
    leave() {
      if (!greeting.isAsked || gone !== null || hasLeft) return [];
      hasLeft = true;
      requests.send({ type: 'delete_session' }, { done: () => {} });
      return take();
    },
    end() {
      run.finish();
      return take();
    },
  };
}
