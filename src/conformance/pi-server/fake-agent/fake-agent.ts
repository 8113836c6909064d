// A fake pi-server for clients under test, with the sessions, lanes, lifecycle and repetitions of real servers
// (docs/protocols/pi-server.md 6.4, 17.4 to 17.9). Commands to a running agent bypass its lane, as
// docs/protocols/pi-server.md 17.2 requires. behaviours.ts has the content of the prompts.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../core/model/dictionary.ts';
import { type Connection, PeerWrong } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { misfit } from '../../check/shape.ts';
import { commandShape } from '../shapes/clients.ts';
import { beside, changes, isKnown, needsSession } from '../view/commands.ts';
import { envelopeFault } from '../view/envelope-faults.ts';
import { type Ending, runBehaviour } from './behaviours.ts';
import { dataFor, type FakeSession, infoOf, serverDataFor } from './fake-data.ts';

interface Open extends FakeSession {
  isWatched: boolean;
  /** Resolves when all earlier commands of the lane are done. */
  lane: Promise<void>;
}

/** A question that waits for its answer. */
interface Asked {
  readonly session: string;
  answer(response: Dictionary | null): void;
}

type Outcome = { readonly data?: Dictionary | null; readonly error?: string; readonly timedOut?: true };

/** The greeting for the next connection, shared by all connections of a run. */
const greetings = new WeakMap<ServeTools, string>();

/** Serves one client until it disconnects. */
export async function servePiServer(
  connection: Connection,
  tools: ServeTools,
): Promise<{ readonly isComplete: boolean }> {
  const sessions = new Map<string, Open>();
  const asked = new Map<string, Asked>();
  const outcomes = new Map<unknown, { readonly print: string; readonly done: Promise<Dictionary> }>();
  const going = new Set<Promise<unknown>>();
  let isShutting = false;
  let activePrompts = 0;

  const say = (frame: Dictionary) => {
    if (connection.ended === null) connection.send(JSON.stringify(frame));
  };
  const respond = (command: Dictionary, fields: Dictionary) => {
    const id = command.id === undefined ? {} : { id: command.id };
    say({ ...id, type: 'response', command: typeof command.type === 'string' ? command.type : 'unknown', ...fields });
  };

  async function ask(session: string, question: Dictionary, timeoutMs?: number): Promise<Dictionary | null> {
    const requestId = tools.mint('question');
    const limit = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    let answer: Dictionary | null = null;
    asked.set(requestId, {
      session,
      answer(response) {
        answer = response;
      },
    });
    say({
      type: 'event',
      sessionId: session,
      event: { type: 'extension_ui_request', requestId, ...question, ...limit },
    });
    if (timeoutMs === undefined) await receives({ type: 'extension_ui_response', requestId });
    // Let the log's reader handle the message first, so that the completeness of the conversation is known before the
    // run goes on.
    await tools.pause(timeoutMs ?? 0);
    asked.delete(requestId);
    return answer;
  }

  /** Waits for `look`; false when the patience runs out or the client has disconnected. */
  async function patiently(look: () => true | undefined): Promise<boolean> {
    try {
      return await connection.until('what our agent waits for', look);
    } catch (thrown) {
      if (thrown instanceof PeerWrong) return false;
      throw thrown;
    }
  }

  /** Waits until the client sends a command with these fields. */
  function receives(fields: Dictionary, from = 0): Promise<boolean> {
    const isIt = (json: unknown) =>
      isDictionary(json) && Object.entries(fields).every(([name, value]) => json[name] === value);
    return patiently(() =>
      connection.log.slice(from).some(({ by, json }) => by === 'peer' && isIt(json)) ? true : undefined,
    );
  }

  async function prompt(session: Open, { id, message }: Dictionary): Promise<Ending> {
    const words = String(message);
    const from = connection.log.length;
    const name = tools.behaviourFor(words);
    const ending = await runBehaviour(name, {
      prompt: words,
      session: session.id,
      id: String(id),
      event(event) {
        if (event.type === 'message_end') session.messages.push(dictionaryOf(event.message));
        if (session.isWatched) say({ type: 'event', sessionId: session.id, event });
      },
      send: say,
      ask: (question, timeoutMs) => ask(session.id, question, timeoutMs),
      pause: tools.pause,
      async aborted() {
        await receives({ type: 'abort', sessionId: session.id }, from);
        await tools.pause(0);
      },
      shutDown() {
        isShutting = true;
        say({ type: 'server_shutdown', data: { reason: 'graceful_shutdown', timeoutMs: 30_000 } });
      },
      renamed(commandId) {
        const data = { commandId, commandType: 'set_session_name', sessionId: session.id, dependsOn: [] };
        for (const type of ['command_accepted', 'command_started']) say({ type, data });
        session.name = 'theirs';
        session.version += 1;
        say({ type: 'command_finished', data: { ...data, success: true, sessionVersion: session.version } });
      },
      greetNextAs: (version) => void greetings.set(tools, version),
      mint: tools.mint,
    });
    if (isShutting) void leave();
    return ending;
  }

  async function leave(): Promise<void> {
    // Give a client that ignores the shutdown time to show it.
    await tools.pause(50);
    if (connection.ended === null) await connection.close();
  }

  function answerQuestion({ sessionId, requestId, response }: Dictionary): Outcome {
    const question = asked.get(String(requestId));
    if (question === undefined) return { error: `No pending UI request with id ${String(requestId)}` };
    if (question.session !== sessionId) return { error: `Session ID mismatch for request ${String(requestId)}` };
    asked.delete(String(requestId));
    question.answer(dictionaryOf(response));
    return {};
  }

  function createSession({ sessionId }: Dictionary): Outcome {
    const id = typeof sessionId === 'string' ? sessionId : tools.mint('session');
    if (sessions.has(id)) return { error: `Session ${id} already exists` };
    const session: Open = {
      id,
      version: 0,
      name: null,
      messages: [],
      isWatched: false,
      lane: Promise.resolve(),
    };
    sessions.set(id, session);
    return { data: { sessionId: id, sessionInfo: infoOf(session) } };
  }

  async function carryOut(command: Dictionary): Promise<Outcome> {
    const { type, sessionId, ifSessionVersion, dependsOn } = command;
    for (const id of Array.isArray(dependsOn) ? dependsOn : []) {
      const known = outcomes.get(id);
      if (known === undefined) return { error: `Dependency '${String(id)}' is unknown` };
      const before = await known.done;
      if (before.success !== true) return { error: `Dependency '${String(id)}' failed: ${String(before.error)}` };
    }
    if (type === 'create_session' || type === 'load_session') return createSession(command);
    const shared = serverDataFor(type, [...sessions.values()]);
    if (shared !== undefined) return { data: shared };
    const session = sessions.get(String(sessionId));
    if (session === undefined) return { error: `Session ${String(sessionId)} not found` };
    if (ifSessionVersion !== undefined && ifSessionVersion !== session.version)
      return { error: `Session version mismatch: expected ${String(ifSessionVersion)}, got ${session.version}` };
    switch (type) {
      case 'switch_session':
        session.isWatched = true;
        return { data: { sessionInfo: infoOf(session) } };
      case 'delete_session':
        sessions.delete(session.id);
        return { data: { deleted: true } };
      case 'prompt':
        return prompt(session, command);
      case 'abort':
        return {};
      case 'set_session_name':
        session.name = String(command.name);
        return {};
      case 'extension_ui_response':
        return answerQuestion(command);
      default: {
        const data = dataFor(session, command);
        return data === undefined ? {} : { data };
      }
    }
  }

  /** Handles a command from its acceptance to its response. */
  async function admit(command: Dictionary, data: Dictionary): Promise<Dictionary> {
    say({ type: 'command_started', data });
    const { type, sessionId } = command;
    const outcome = await carryOut(command);
    const session = sessions.get(String(sessionId));
    if (outcome.error === undefined && session !== undefined && changes(type)) session.version += 1;
    const isOpening = type === 'create_session' || type === 'load_session';
    const version = isOpening ? 0 : session?.version;
    const fields =
      outcome.error === undefined
        ? { success: true, ...(version === undefined ? {} : { sessionVersion: version }) }
        : { success: false, error: outcome.error };
    say({ type: 'command_finished', data: { ...data, ...fields } });
    const timedOut = outcome.timedOut === true ? { timedOut: true } : {};
    const response = { ...fields, ...timedOut, ...(outcome.data === undefined ? {} : { data: outcome.data }) };
    respond(command, response);
    if (fields.success && isOpening) say({ type: 'session_created', data: dictionaryOf(outcome.data) });
    if (fields.success && type === 'delete_session') say({ type: 'session_deleted', data: { sessionId } });
    return response;
  }

  async function repeat(command: Dictionary, data: Dictionary, known: Promise<Dictionary>): Promise<void> {
    const response = { ...(await known), replayed: true };
    say({ type: 'command_finished', data: { ...data, ...without(response, 'data', 'timedOut') } });
    respond(command, response);
  }

  function take(command: Dictionary): void {
    const { type, id, sessionId, ifSessionVersion, idempotencyKey, streamingBehavior } = command;
    const unknown = isKnown(type)
      ? misfit(command, commandShape, String(type))
      : `Unknown command type '${String(type)}'`;
    const fault = envelopeFault(command) ?? unknown;
    if (fault !== null) return respond(command, { success: false, error: `Validation failed: ${fault}` });
    if (isShutting && type !== 'extension_ui_response' && !beside.has(type))
      return respond(command, { success: false, error: 'Server is shutting down' });
    const data = {
      commandId: id ?? tools.mint('anon:0'),
      commandType: type,
      ...(sessionId === undefined ? {} : { sessionId }),
      dependsOn: command.dependsOn ?? [],
      ...(ifSessionVersion === undefined ? {} : { ifSessionVersion }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    const print = JSON.stringify(without(command, 'id', 'idempotencyKey'));
    const known = id === undefined ? undefined : outcomes.get(id);
    say({ type: 'command_accepted', data });
    if (known !== undefined && known.print !== print) {
      const error = `Conflicting id '${String(id)}': previously used for something else`;
      say({ type: 'command_finished', data: { ...data, success: false, error } });
      return respond(command, { success: false, error });
    }
    if (known !== undefined) return keep(repeat(command, data, known.done));
    const session = sessions.get(String(sessionId));
    const waits = needsSession(type) && !beside.has(type) && type !== 'extension_ui_response';
    const lane = waits && streamingBehavior === undefined ? session : undefined;
    const done = (lane?.lane ?? Promise.resolve()).then(() => admit(command, data));
    if (lane !== undefined) lane.lane = done.then(() => {});
    if (id !== undefined) outcomes.set(id, { print, done });
    if (type === 'prompt') {
      activePrompts += 1;
      void done.finally(() => {
        activePrompts -= 1;
      });
    }
    keep(done);
  }

  function keep(work: Promise<unknown>): void {
    going.add(work);
    void work.finally(() => going.delete(work));
  }

  const protocolVersion = greetings.get(tools) ?? '1.0.0';
  greetings.delete(tools);
  say({
    type: 'server_ready',
    data: { serverVersion: '2.2.1', protocolVersion, transports: ['websocket', 'stdio'] },
  });
  // Sent from 2.1 on; a client written after the document does not know it (docs/protocols/pi-server.md 14.1, 23.1).
  say({ type: 'startup_recovery_summary', data: { enabled: false, initialized: false, initState: 'disabled' } });

  let read = 0;
  for (;;) {
    for (let received = connection.log[read]; received !== undefined; received = connection.log[read]) {
      read += 1;
      if (received.by !== 'peer') continue;
      if (isDictionary(received.json)) take(received.json);
      else say({ type: 'response', command: 'unknown', success: false, error: 'Invalid JSON' });
    }
    if (connection.ended !== null) break;
    await patiently(() => (connection.log.length > read ? true : undefined));
  }
  const isComplete = activePrompts === 0;
  await Promise.all(going);
  return { isComplete };
}
