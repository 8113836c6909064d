// The check context of ACP: a client that can greet, prompt, decide and wait. Its questions are answered while it waits.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import { type Check, type Connection, NotApplicable, PeerWrong, type Tools } from '../check/check.ts';
import { requiredBy, type Scenario, setup } from '../check/rule.ts';
import { at, can, itemsOf } from './view/view.ts';
import { nowhere } from './words.ts';

/** A check of an ACP agent. */
export type AcpCheck = Check<CheckContext>;
/** A conversation with an ACP agent. */
export type AcpScenario = Scenario<CheckContext>;

/** What our client does with a request for permission. `leave`: nothing. */
export type Decision = 'allow' | 'reject' | 'leave';

/** A prompt that was sent. */
export interface SentPrompt {
  readonly id: number;
  /** Index of its frame in the log. */
  readonly from: number;
}

/** The prompt of a script word, a text, or contents. */
export type Words = { readonly word: string } | { readonly text: string } | { readonly content: readonly Dictionary[] };

/** Our client. */
export interface Client {
  readonly connection: Connection;
  /** What is done with requests for permission; at first `allow`. */
  decision: Decision;
  /** What the agent declared. */
  readonly can: (...path: readonly string[]) => boolean;
  /** Sends a request without waiting; returns its id. */
  request(method: string, params?: unknown): number;
  notify(method: string, params: unknown): void;
  /** The answer to this id, as the whole message. */
  answer(id: string | number): Promise<Dictionary>;
  /** Sends a request and waits for the answer. `check`: the check that requires the answer. */
  ask(method: string, params?: unknown, check?: string): Promise<Dictionary>;
  /** A new session: its id, and the whole result. */
  open(more?: Dictionary): Promise<{ readonly session: string; readonly result: Dictionary }>;
  prompt(session: string, words: Words): SentPrompt;
  /** Prompts and waits for the answer. */
  turn(session: string, words: Words, check?: string): Promise<Dictionary>;
  /** The first update of this kind at or after `from`. */
  told(session: string, kinds: readonly string[], from: number): Promise<Dictionary>;
  /** The first request for permission at or after `from`. `check`: the check that requires the request. */
  asked(from: number): Promise<Dictionary>;
  /** Answers a request for permission. */
  decide(question: Dictionary, decision: Exclude<Decision, 'leave'> | 'cancelled'): void;
  /** Waits for the answer to a harmless request: every earlier line has then been read. */
  settled(check?: string): Promise<void>;
}

/** The tools of one check. */
export interface CheckContext {
  readonly tools: Tools;
  /** What `session/new` is asked with. */
  readonly place: Dictionary;
  /** A new connection, before the greeting. */
  connect(): Promise<Client>;
  /** A new connection, greeted. `capabilities`: default all that our client can do. */
  client(capabilities?: Dictionary): Promise<Client>;
}

/** What our client can do. */
const everything: Dictionary = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  elicitation: { form: {}, url: {} },
};

/** The params of `initialize`. */
export function greeting(capabilities: Dictionary = everything, protocolVersion = 1): Dictionary {
  return {
    protocolVersion,
    clientCapabilities: capabilities,
    clientInfo: { name: 'conformance', title: 'Conformance', version: '1' },
  };
}

/** One JSON-RPC message as text. */
export const message = (of: Dictionary): string => JSON.stringify({ jsonrpc: '2.0', ...of });

const placeOf = ({ folder }: Tools): Dictionary => ({ cwd: folder, mcpServers: [] });

/** Some value for a form: the first choice, or the plainest of its type. */
function formOf(schema: unknown): Dictionary {
  const values = Object.entries(dictionaryOf(at(schema, 'properties'))).map(([name, field]) => {
    const [choice] = itemsOf(at(field, 'oneOf'));
    const list = at(field, 'enum');
    if (Array.isArray(list)) return [name, list[0]];
    if (choice !== undefined) return [name, choice.const];
    const plain: Dictionary = { string: 'yes', number: 1, integer: 1, boolean: true, array: [] };
    return [name, at(field, 'default') ?? plain[String(at(field, 'type'))]];
  });
  return Object.fromEntries(values);
}

/** Wraps a connection as a client. */
function createClient(connection: Connection, tools: Tools): Client {
  let [requests, read] = [0, 0];
  let agentCan: Dictionary = {};

  function decide(question: Dictionary, decision: Exclude<Decision, 'leave'> | 'cancelled'): void {
    const options = itemsOf(at(question.params, 'options'));
    const wanted =
      options.find(({ kind }) => kind === `${decision}_once`) ??
      options.find(({ kind }) => String(kind).startsWith(decision));
    const outcome =
      decision === 'cancelled' || wanted === undefined
        ? { outcome: 'cancelled' }
        : { outcome: 'selected', optionId: wanted.optionId };
    connection.send(message({ id: question.id, result: { outcome } }));
  }

  function respond(request: Dictionary): void {
    const { id, method } = request;
    if (method === 'session/request_permission') {
      if (self.decision !== 'leave') decide(request, self.decision);
    } else if (method === 'elicitation/create') {
      const isForm = at(request.params, 'mode') === 'form';
      const content = isForm ? { content: formOf(at(request.params, 'requestedSchema')) } : {};
      connection.send(message({ id, result: { action: 'accept', ...content } }));
    } else connection.send(message({ id, error: { code: -32_601, message: 'Method not found' } }));
  }

  /** Answers what the agent has asked since the last look. */
  function hear(): void {
    while (read < connection.log.length) {
      const { by, json } = connection.log[read] ?? {};
      read += 1;
      if (by === 'peer' && isDictionary(json) && typeof json.method === 'string' && json.id !== undefined)
        respond(json);
    }
  }

  function until(label: string, isIt: (message: Dictionary) => boolean, from = 0): Promise<Dictionary> {
    let next = from;
    return connection.until(label, () => {
      hear();
      for (; next < connection.log.length; next += 1) {
        const { by, json } = connection.log[next] ?? {};
        if (by === 'peer' && isDictionary(json) && isIt(json)) return json;
      }
      return undefined;
    });
  }

  const self: Client = {
    connection,
    decision: 'allow',
    can: (...path) => can(agentCan, ...path),
    request(method, params) {
      requests += 1;
      connection.send(message({ id: requests, method, ...(params === undefined ? {} : { params }) }));
      return requests;
    },
    notify: (method, params) => connection.send(message({ method, params })),
    async answer(id) {
      const found = await until(
        `answer to request ${JSON.stringify(id)}`,
        (one) => one.method === undefined && one.id === id,
      );
      const declared = at(found.result, 'agentCapabilities');
      if (isDictionary(declared)) agentCan = declared;
      return found;
    },
    ask: (method, params, check = 'acp/answered') => requiredBy(check, () => self.answer(self.request(method, params))),
    async open(more = {}) {
      const answer = await self.ask('session/new', { ...placeOf(tools), ...more }, 'acp/new-session');
      const result = dictionaryOf(answer.result);
      if (typeof result.sessionId !== 'string')
        throw new PeerWrong(
          `no session was made: ${JSON.stringify(answer.error ?? answer.result).slice(0, 200)}`,
          'acp/new-session',
        );
      return { session: result.sessionId, result };
    },
    prompt(session, words) {
      const from = connection.log.length;
      const text = (said: string) => [{ type: 'text', text: said }];
      const prompt = 'content' in words ? words.content : text('word' in words ? tools.script(words.word) : words.text);
      return { id: self.request('session/prompt', { sessionId: session, prompt }), from };
    },
    turn: (session, words, check = 'acp/prompt-answered') =>
      requiredBy(check, () => self.answer(self.prompt(session, words).id)),
    async told(session, kinds, from) {
      const isIt = ({ method, params }: Dictionary) =>
        method === 'session/update' &&
        at(params, 'sessionId') === session &&
        kinds.includes(String(at(params, 'update', 'sessionUpdate')));
      const { params } = await until(`${kinds.join(' or ')} of session ${session}`, isIt, from);
      return dictionaryOf(at(params, 'update'));
    },
    async asked(from) {
      const isIt = ({ method, id }: Dictionary) =>
        method === 'session/request_permission' || (method === undefined && id === requests);
      const found = await until('request for permission', isIt, from);
      if (found.method === undefined) throw new NotApplicable('the agent asks for no permission here');
      return found;
    },
    decide,
    async settled(check) {
      await self.ask('session/set_mode', { sessionId: nowhere, modeId: 'conformance' }, check);
    },
  };
  return self;
}

/** Builds the context for one check. */
export function createContext(tools: Tools): CheckContext {
  const connect = async () => createClient(await tools.connect(), tools);
  return {
    tools,
    place: placeOf(tools),
    connect,
    async client(capabilities) {
      const client = await connect();
      await setup(() => client.ask('initialize', greeting(capabilities)));
      return client;
    },
  };
}
