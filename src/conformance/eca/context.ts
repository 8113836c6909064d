// The check context of ECA: an editor that can greet, prompt and wait. A failure in the preparation of a check makes
// the check unclear, because another check covers it.
import { pathToFileURL } from 'node:url';
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import { type Check, type Connection, PeerWrong, type Tools } from '../check/check.ts';
import { requiredBy, type Scenario, setup } from '../check/rule.ts';

/** A check of an ECA server. */
export type EcaCheck = Check<CheckContext>;
/** A conversation with an ECA server. */
export type EcaScenario = Scenario<CheckContext>;

/** A prompt that was sent. */
export interface SentPrompt {
  readonly id: number;
  /** Index of its frame in the log. */
  readonly from: number;
}

/** Our editor. */
export interface Editor {
  readonly connection: Connection;
  /** Number of messages so far. */
  readonly now: number;
  /** Sends a request without waiting; returns its id. */
  request(method: string, params?: unknown): number;
  notify(method: string, params?: unknown): void;
  /** The answer to this id, as the whole message. */
  answer(id: string | number): Promise<Dictionary>;
  /** Sends a request and waits for the answer. `check`: the check that requires the answer. */
  ask(method: string, params?: unknown, check?: string): Promise<Dictionary>;
  /** The first matching message of the server at or after `from`. */
  until(label: string, isIt: (message: Dictionary) => boolean, from?: number): Promise<Dictionary>;
  /** The first matching content of a chat. */
  content(chatId: string, label: string, isIt: (content: Dictionary) => boolean, from: number): Promise<Dictionary>;
  /** Prompts with the prompt of a script word, or with this text. */
  prompt(what: { readonly word: string } | { readonly message: string }, more?: Dictionary): SentPrompt;
  /** The chat in which the server runs the prompt. */
  chatOf(prompted: SentPrompt): Promise<string>;
  /** Waits for the end of the run and returns the chat. `check`: the check that requires the end. */
  finished(prompted: SentPrompt, check?: string): Promise<string>;
  /** Sends a prompt, waits for the end of the run, and returns the chat. */
  turn(
    what: { readonly word: string } | { readonly message: string },
    more?: Dictionary,
    check?: string,
  ): Promise<string>;
  /** Waits until a tool call needs approval; returns its id. */
  waiting(chatId: string, from: number): Promise<string>;
  /** Waits for the answer to a harmless request: every earlier message has then been read. */
  settled(check?: string): Promise<void>;
}

/** The tools of one check. */
export interface CheckContext {
  readonly tools: Tools;
  /** A new connection, before the greeting. */
  connect(): Promise<Editor>;
  /** A new connection, greeted. */
  editor(): Promise<Editor>;
  /** Runs preparatory work; a failure there makes the check unclear. */
  prepare<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The connection carries one chat, which has no other name: over HTTP posts only our own server speaks ECA. */
  readonly hasOneChat: boolean;
  /** A new chat id for a prompt; empty where the connection has only one chat. */
  newChat(): { readonly chatId?: string };
}

/** The params of `initialize`. */
export function greeting(more: Dictionary = {}): Dictionary {
  return {
    // A server exits when it cannot see the process of the pid (docs/protocols/eca.md 6.1).
    processId: null,
    clientInfo: { name: 'conformance', version: '1' },
    initializationOptions: {},
    capabilities: { codeAssistant: { chat: true } },
    workspaceFolders: [{ uri: pathToFileURL(process.cwd()).href, name: 'workspace' }],
    ...more,
  };
}

/** One JSON-RPC message as text. */
export const message = (fields: Dictionary): string => JSON.stringify({ jsonrpc: '2.0', ...fields });

const isFinished = ({ type, state }: Dictionary) => type === 'progress' && state === 'finished';

/** Wraps a connection as an editor. */
function createEditor(connection: Connection, tools: Tools): Editor {
  let requests = 0;
  function since(from: number): Dictionary[] {
    return connection.log.slice(from).flatMap(({ by, json }) => (by === 'peer' && isDictionary(json) ? [json] : []));
  }
  const self: Editor = {
    connection,
    get now() {
      return connection.log.length;
    },
    request(method, params) {
      requests += 1;
      connection.send(message({ id: requests, method, ...(params === undefined ? {} : { params }) }));
      return requests;
    },
    notify: (method, params) => connection.send(message({ method, ...(params === undefined ? {} : { params }) })),
    answer: (id) =>
      self.until(
        `answer to request ${JSON.stringify(id)}`,
        (message) => message.method === undefined && message.id === id,
      ),
    ask: (method, params, check = 'eca/answered') => requiredBy(check, () => self.answer(self.request(method, params))),
    until: (label, isIt, from = 0) => connection.until(label, () => since(from).find(isIt)),
    async content(chatId, label, isIt, from) {
      const answer = await self.until(
        label,
        ({ method, params }) =>
          method === 'chat/contentReceived' &&
          dictionaryOf(params).chatId === chatId &&
          isIt(dictionaryOf(dictionaryOf(params).content)),
        from,
      );
      return dictionaryOf(dictionaryOf(answer.params).content);
    },
    prompt(what, more = {}) {
      const from = connection.log.length;
      const words = 'word' in what ? tools.script(what.word) : what.message;
      const id = self.request('chat/prompt', {
        message: words,
        requestId: `${tools.nonce}-${requests}`,
        contexts: [],
        ...more,
      });
      return { id, from };
    },
    async chatOf({ id }) {
      const { result } = await requiredBy('eca/prompt-answered', () => self.answer(id));
      const { chatId } = dictionaryOf(result);
      if (typeof chatId !== 'string') throw new PeerWrong('the prompt was not taken', 'eca/prompt-taken');
      return chatId;
    },
    async finished(prompted, check = 'eca/prompt-finished') {
      const chatId = await self.chatOf(prompted);
      await requiredBy(check, () =>
        self.content(chatId, `end of the run in chat ${chatId}`, isFinished, prompted.from),
      );
      return chatId;
    },
    turn: (what, more, check) => self.finished(self.prompt(what, more), check),
    async waiting(chatId, from) {
      const isIt = ({ type, manualApproval }: Dictionary) => type === 'toolCallRun' && manualApproval === true;
      const { id } = await requiredBy('eca/approval-asked', () =>
        self.content(chatId, 'call that waits for approval', isIt, from),
      );
      return String(id);
    },
    async settled(check) {
      await self.ask('chat/queryCommands', { query: '' }, check);
    },
  };
  return self;
}

/** Builds the context for one check. */
export function createContext(tools: Tools): CheckContext {
  const connect = async () => createEditor(await tools.connect(), tools);
  return {
    tools,
    connect,
    async editor() {
      const editor = await connect();
      await setup(() => editor.ask('initialize', greeting()));
      editor.notify('initialized', {});
      return editor;
    },
    prepare: setup,
    hasOneChat: tools.transport === 'sse',
    newChat: () => (tools.transport === 'sse' ? {} : { chatId: crypto.randomUUID() }),
  };
}
