// What the checks of an ECA server play on: editors that are greeted, chats, prompts and what comes of them. What only prepares
// a check is no failure of the server when it fails, for other checks are about that.
import { pathToFileURL } from 'node:url';
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import { type Check, type Connection, PeerWrong, type Tools } from '../check/check.ts';
import { requiredBy, type Scenario, setup } from '../check/rule.ts';

/** A check of an ECA server. */
export type EcaCheck = Check<CheckContext>;
/** A conversation with an ECA server. */
export type EcaScenario = Scenario<CheckContext>;

/** A prompt that is on its way. */
export interface SentPrompt {
  readonly id: number;
  /** Index of its frame. */
  readonly from: number;
}

/** An editor of ours. */
export interface Editor {
  readonly connection: Connection;
  /** How many messages there were by now. */
  readonly now: number;
  /** Sends a request, and does not wait. */
  request(method: string, params?: unknown): number;
  notify(method: string, params?: unknown): void;
  /** The answer under that id, as the whole message. */
  answer(id: string | number): Promise<Dictionary>;
  /** Both; `check`: the one that asks for the answer. */
  ask(method: string, params?: unknown, check?: string): Promise<Dictionary>;
  /** The first message of the server from `from` on that is one. */
  until(label: string, isIt: (message: Dictionary) => boolean, from?: number): Promise<Dictionary>;
  /** A content of that chat. */
  content(chatId: string, label: string, isIt: (content: Dictionary) => boolean, from: number): Promise<Dictionary>;
  /** Prompts with that word's prompt, or with those words. */
  prompt(what: { readonly word: string } | { readonly message: string }, more?: Dictionary): SentPrompt;
  /** The chat in which it is answered. */
  chatOf(prompted: SentPrompt): Promise<string>;
  /** Waits until its run is over; the chat. `check`: the one that asks for that. */
  finished(prompted: SentPrompt, check?: string): Promise<string>;
  /** Prompts, and waits until the run is over; the chat. */
  turn(
    what: { readonly word: string } | { readonly message: string },
    more?: Dictionary,
    check?: string,
  ): Promise<string>;
  /** Waits until a call waits for us; its id. */
  waiting(chatId: string, from: number): Promise<string>;
  /** Asks for something that is always answered: all that was said before has been read then. */
  settled(check?: string): Promise<void>;
}

/** What each check is given. */
export interface CheckContext {
  readonly tools: Tools;
  /** A connection on which nothing was said. */
  connect(): Promise<Editor>;
  /** A connection that has been greeted. */
  editor(): Promise<Editor>;
  /** Does what is no part of the check: what fails there makes it unclear. */
  prepare<Value>(work: () => Promise<Value>): Promise<Value>;
  /** A connection has one chat, and no name for another: ECA is spoken on streams, and only we speak it over posts. */
  readonly hasOneChat: boolean;
  /** Names a chat that nobody else uses, for a prompt; nothing where there is but one. */
  newChat(): { readonly chatId?: string };
}

/** What an editor says of itself. */
export function greeting(more: Dictionary = {}): Dictionary {
  return {
    // A pid that the server cannot see would end it (docs/protocols/eca.md 6.1).
    processId: null,
    clientInfo: { name: 'conformance', version: '1' },
    initializationOptions: {},
    capabilities: { codeAssistant: { chat: true } },
    workspaceFolders: [{ uri: pathToFileURL(process.cwd()).href, name: 'workspace' }],
    ...more,
  };
}

/** One message as it goes out. */
export const message = (fields: Dictionary): string => JSON.stringify({ jsonrpc: '2.0', ...fields });

const isFinished = ({ type, state }: Dictionary) => type === 'progress' && state === 'finished';

/** An editor on a new connection. */
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
      self.until(`answer to request ${JSON.stringify(id)}`, (said) => said.method === undefined && said.id === id),
    ask: (method, params, check = 'eca/answered') => requiredBy(check, () => self.answer(self.request(method, params))),
    until: (label, isIt, from = 0) => connection.until(label, () => since(from).find(isIt)),
    async content(chatId, label, isIt, from) {
      const said = await self.until(
        label,
        ({ method, params }) =>
          method === 'chat/contentReceived' &&
          dictionaryOf(params).chatId === chatId &&
          isIt(dictionaryOf(dictionaryOf(params).content)),
        from,
      );
      return dictionaryOf(dictionaryOf(said.params).content);
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

/** The stage of one check. */
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
