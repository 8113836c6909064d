// A fake ACP agent for clients under test: greets, has sessions with a mode and an option, and runs scripts. Accepts any
// input and judges nothing. docs/protocols/acp.md 2 to 6.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { type Connection, PeerWrong } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { isRpcId } from '../view/messages.ts';
import { can, itemsOf } from '../view/view.ts';
import { type BehaviourContext, scriptOf } from './behaviours.ts';

const greeting: Dictionary = {
  protocolVersion: 1,
  agentInfo: { name: 'conformance', title: 'Conformance', version: '1' },
  authMethods: [{ id: 'conformance-login', name: 'Log in', description: 'Needs nothing' }],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: { list: {}, close: {} },
  },
};
const modes = ['ask', 'code'].map((id) => ({ id, name: id }));
const choices = ['small', 'large'].map((value) => ({ value, name: value }));

interface Session {
  mode: unknown;
  model: unknown;
  verbose: unknown;
  /** Turns that run, by the id of their request. */
  readonly turns: Map<unknown, { isCancelled: boolean }>;
}

const optionsOf = ({ mode, model, verbose }: Session): Dictionary[] => [
  {
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    type: 'select',
    currentValue: mode,
    options: modes.map(({ id, name }) => ({ value: id, name })),
  },
  { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model, options: choices },
  { id: 'verbose', name: 'Verbose', type: 'boolean', currentValue: verbose },
];

/** Sets an option. False: there is no such option or value. */
function choose(session: Session, { configId, value }: Dictionary): boolean {
  const option = optionsOf(session).find(({ id }) => id === configId);
  const offered = option?.type === 'boolean' ? [true, false] : itemsOf(option?.options).map((choice) => choice.value);
  if (!offered.includes(value)) return false;
  if (configId === 'mode') session.mode = value;
  else if (configId === 'model') session.model = value;
  else session.verbose = value;
  return true;
}

/** Serves one client until it disconnects. */
export async function serveClient(
  connection: Connection,
  serve: ServeTools,
): Promise<{ readonly isComplete: boolean }> {
  let atWork = 0;
  let clientCan: Dictionary = {};
  const sessions = new Map<unknown, Session>();

  const send = (of: Dictionary) => {
    if (connection.ended === null) connection.send(JSON.stringify({ jsonrpc: '2.0', ...of }));
  };
  const refuse = (id: unknown, code: number, words: string) => send({ id, error: { code, message: words } });

  /** The first value that `look` finds while messages come, or null when the patience runs out. */
  async function wait<Value>(look: () => Value | undefined): Promise<Value | null> {
    try {
      return await connection.until('word of the client', () => {
        hearAll();
        return look();
      });
    } catch (thrown) {
      ignoreSilence(thrown);
      return null;
    }
  }

  function contextOf(session: string, turn: { readonly isCancelled: boolean }): BehaviourContext {
    return {
      session,
      can: (...path) => can(clientCan, ...path),
      mint: (word) => serve.mint(word),
      update: (update) => send({ method: 'session/update', params: { sessionId: session, update } }),
      notify: (method, params) => send({ method, params }),
      ask(method, params) {
        const id = serve.mint('request');
        send({ id, method, params });
        return wait(() => {
          for (const { by, json } of connection.log)
            if (by === 'peer' && isDictionary(json) && json.method === undefined && json.id === id) return json;
          return undefined;
        });
      },
      cancelled: async () => (await wait(() => (turn.isCancelled ? true : undefined))) ?? false,
    };
  }

  async function runPrompt(id: unknown, params: Dictionary): Promise<void> {
    const { sessionId } = params;
    const session = sessions.get(sessionId);
    if (session === undefined || typeof sessionId !== 'string') return refuse(id, -32_002, 'Resource not found');
    const turn = { isCancelled: false };
    session.turns.set(id, turn);
    atWork += 1;
    const words = itemsOf(params.prompt).map(({ text }) => (typeof text === 'string' ? text : ''));
    const ending = await scriptOf(serve.behaviourFor(words.join(' ')))?.(contextOf(sessionId, turn));
    session.turns.delete(id);
    if (isDictionary(ending)) send({ id, error: ending });
    else send({ id, result: { stopReason: turn.isCancelled ? 'cancelled' : 'end_turn' } });
    atWork -= 1;
  }

  const setup = (session: Session) => ({
    modes: { currentModeId: session.mode, availableModes: modes },
    configOptions: optionsOf(session).filter(
      ({ type }) => type !== 'boolean' || can(clientCan, 'session', 'configOptions', 'boolean'),
    ),
  });

  function begin(id: unknown): void {
    const sessionId = serve.mint('session');
    const session: Session = { mode: 'ask', model: 'small', verbose: false, turns: new Map() };
    sessions.set(sessionId, session);
    send({ id, result: { sessionId, ...setup(session) } });
    const availableCommands = [{ name: 'conformance', description: 'Does nothing', input: null }];
    const update = { sessionUpdate: 'available_commands_update', availableCommands };
    send({ method: 'session/update', params: { sessionId, update } });
  }

  function cancel(sessionId: unknown): void {
    for (const turn of sessions.get(sessionId)?.turns.values() ?? []) turn.isCancelled = true;
  }

  /** What requests of a session are answered. */
  function inSession(id: unknown, method: string, params: Dictionary): void {
    const session = sessions.get(params.sessionId);
    if (session === undefined) return refuse(id, -32_002, 'Resource not found');
    switch (method) {
      case 'session/load':
        return send({ id, result: setup(session) });
      case 'session/set_mode':
        if (!modes.some((mode) => mode.id === params.modeId)) return refuse(id, -32_602, 'Invalid params');
        session.mode = params.modeId;
        return send({ id, result: {} });
      case 'session/set_config_option':
        if (!choose(session, params)) return refuse(id, -32_602, 'Invalid params');
        return send({ id, result: { configOptions: setup(session).configOptions } });
      default:
        cancel(params.sessionId);
        return send({ id, result: {} });
    }
  }

  function request(id: unknown, method: string, params: Dictionary): void {
    switch (method) {
      case 'initialize':
        clientCan = dictionaryOf(params.clientCapabilities);
        return send({ id, result: greeting });
      case 'authenticate':
        return send({ id, result: {} });
      case 'session/new':
        return begin(id);
      case 'session/list':
        return send({
          id,
          result: { sessions: [...sessions.keys()].map((sessionId) => ({ sessionId, cwd: process.cwd() })) },
        });
      case 'session/prompt':
        return void runPrompt(id, params);
      case 'session/load':
      case 'session/close':
      case 'session/set_mode':
      case 'session/set_config_option':
        return inSession(id, method, params);
      default:
        return refuse(id, -32_601, 'Method not found');
    }
  }

  function receive(message: Dictionary): void {
    const { id, method } = message;
    const params = dictionaryOf(message.params);
    if (typeof method !== 'string') return;
    if (id !== undefined && isRpcId(id)) return request(id, method, params);
    if (method === 'session/cancel') cancel(params.sessionId);
    if (method === '$/cancel_request')
      for (const { turns } of sessions.values()) {
        const turn = turns.get(params.requestId);
        if (turn !== undefined) turn.isCancelled = true;
      }
  }

  let read = 0;
  function hearAll(): true | undefined {
    while (read < connection.log.length) {
      const exchange = connection.log[read];
      read += 1;
      if (exchange?.by !== 'peer') continue;
      if (isDictionary(exchange.json)) receive(exchange.json);
      else if (exchange.isFault !== true && exchange.text.trim() !== '') refuse(null, -32_700, 'Parse error');
    }
    return connection.ended === null ? undefined : true;
  }
  // A client may stay silent for as long as it likes.
  while (connection.ended === null) await connection.until('end of the client', hearAll).catch(ignoreSilence);
  return { isComplete: atWork === 0 };
}

function ignoreSilence(thrown: unknown): void {
  if (!(thrown instanceof PeerWrong)) throw thrown;
}
