// An editor with vscode-jsonrpc, the library that the VS Code client of ECA speaks with: it starts the gateway, and keeps
// every message of both sides for the judge. Knows the protocol and no agent.
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createMessageConnection,
  type Message,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node.js';
import { z } from 'zod';
import type { AgentOptions } from '../../src/cli/agents/agent-options.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { ArgumentsReader } from '../oracles/own/eca.ts';
import { type EcaGateway, gatewayHere, gatewayOf, gatewayWords } from './eca-gateway.ts';
import { isFull, oneOf } from './full.ts';
import { type EcaTalk, ecaFaults, type Said } from './judged-eca.ts';

/** How clients of one time behave (docs/protocols/eca.md 2). */
export interface Era {
  readonly name: 'first era' | 'modern';
  /** What it says of itself. */
  readonly greeting: object;
  /** How it reads the arguments of calls: what is not known to belong to the newer era must serve both. */
  readonly readers: readonly ArgumentsReader[];
  /** The id that it gives to a chat of its own; null: it waits for ours. */
  mint(): string | null;
  /** The parameters of a prompt. */
  prompt(chatId: string | null, message: string): object;
}

let requests = 0;

/** VS Code 0.13 and Emacs of 2025-08. */
export const seedDay: Era = {
  name: 'first era',
  readers: ['replaces', 'appends'],
  greeting: { capabilities: { codeAssistant: { chat: true } }, initializationOptions: { chatBehavior: 'agent' } },
  mint: () => null,
  prompt: (chatId, message) => ({ chatId, requestId: `r-${++requests}`, message, behavior: 'agent', contexts: [] }),
};

/** VS Code 0.52 and Emacs of 2026. */
export const modern: Era = {
  name: 'modern',
  readers: ['appends'],
  greeting: {
    capabilities: {
      codeAssistant: { chat: true, chatCapabilities: { askQuestion: true }, editor: { diagnostics: true } },
    },
    initializationOptions: { chatAgent: null },
  },
  mint: () => crypto.randomUUID(),
  prompt: (chatId, message) => ({ 'request-id': ++requests, chatId, message, agent: 'code', contexts: [] }),
};

export const eras: readonly Era[] = [seedDay, modern];
/** For what does not depend on the era: one of them, or both in `npm run test:full`. */
export const anyEra: readonly Era[] = oneOf(eras);

const Content = z.looseObject({ type: z.string() });
const Notification = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    chatId: z.string().optional(),
    status: z.string().optional(),
    role: z.string().optional(),
    content: Content.optional(),
  }),
});
const Answered = z.looseObject({ chatId: z.string(), status: z.string(), model: z.string().optional() });

/** What is said in a chat. */
export type Content = z.infer<typeof Content>;

/** One notification about a chat. */
export interface Heard {
  readonly method: string;
  readonly role: string;
  readonly content: Content;
  readonly status: string;
}

/** A chat of an editor. */
export interface Chat {
  /** Null until the server has named it. */
  readonly id: string | null;
  /** Sends a prompt; resolves with the answer to it. What was said before is no longer looked at. */
  prompt(message: string, more?: object): Promise<z.infer<typeof Answered>>;
  /** What was said since the last prompt. */
  heard(): Heard[];
  /** The content that comes first, from now or since the last prompt. */
  until(label: string, isIt: (content: Content, role: string) => boolean): Promise<Content>;
  /** The run since the last prompt is finished: everything that was said in it. */
  over(): Promise<Heard[]>;
  approve(call: unknown, more?: object): void;
  reject(call: unknown): void;
  stop(): void;
}

/** An editor that runs. */
export interface Editor {
  readonly talk: readonly Said[];
  /** What the gateway reads. */
  readonly input: Writable;
  /** The exit code, when the gateway has ended. */
  readonly gone: Promise<number | null>;
  readonly connection: MessageConnection;
  /** What the gateway wrote to stderr. */
  log(): string;
  request(method: string, params?: unknown): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  /** A message as it stands, past the library. */
  say(message: object): void;
  /** What `look` finds in all that was said, now or later. */
  until<Value>(label: string, look: (talk: readonly Said[]) => Value | undefined): Promise<Value>;
  chat(): Chat;
  /** `initialize` and `initialized`; the result of the first. */
  greet(folder?: string): Promise<unknown>;
  /** `shutdown` and `exit`; the exit code. */
  quit(): Promise<number | null>;
  /** What the judge finds in all that was said. */
  judge(options?: EcaTalk): string[];
  /** Ends the gateway however it is. */
  close(): Promise<void>;
}

/** Starts that command line as an editor of that era does. */
export function startEditor(
  era: Era,
  argv: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Editor {
  return editorOf(era, gatewayOf(argv, options));
}

/** An editor of that era in front of that agent: the gateway runs in this process, in `npm run test:full` as a program. */
export function openEditor(era: Era, agent: AgentOptions): Editor {
  return editorOf(era, isFull ? gatewayOf(gatewayWords(agent)) : gatewayHere(agent));
}

function editorOf(era: Era, gateway: EcaGateway): Editor {
  const { log } = gateway;
  const talk: Said[] = [];
  const watchers = new Set<() => void>();
  let exit: number | null | undefined;
  const gone = gateway.gone.then(async (code) => {
    // The library hands on one message in each turn of the process: the gateway has ended, and its last words are heard first.
    for (let heard = -1; heard < talk.length; ) {
      heard = talk.length;
      await nextTurn();
      await nextTurn();
    }
    exit = code;
    // Who waits for an answer need not wait any longer.
    connection.dispose();
    wake();
    return code;
  });

  function wake(): void {
    for (const watcher of [...watchers]) watcher();
  }
  function keep(by: Said['by'], message: unknown): void {
    talk.push({ by, message: structuredClone(message) });
    wake();
  }

  const plainReader = new StreamMessageReader(gateway.output);
  const listen = plainReader.listen.bind(plainReader);
  plainReader.listen = (callback) =>
    listen((message) => {
      keep('server', message);
      callback(message);
    });
  const writer = new StreamMessageWriter(gateway.input);
  const write = writer.write.bind(writer);
  writer.write = (message) => {
    keep('client', message);
    return write(message);
  };
  const connection = createMessageConnection(plainReader, writer);
  connection.onError(() => {});
  connection.listen();

  function until<Value>(label: string, look: (talk: readonly Said[]) => Value | undefined): Promise<Value> {
    return within(
      label,
      watchers,
      () => {
        const found = look(talk);
        if (found === undefined && exit !== undefined)
          throw new Error(`the gateway has exited (${exit}) before ${label}: ${log()}`);
        return found;
      },
      () =>
        `: ${talk
          .slice(-30)
          .map(({ by, message }) => `\n${by} ${JSON.stringify(message)}`)
          .join('')}\n${log()}`,
    );
  }

  /** Ids may be strings or numbers; the library only makes numbers. */
  const say = (message: object) => void writer.write({ jsonrpc: '2.0', ...message } as Message);
  const request = (method: string, params?: unknown): Promise<unknown> => {
    const answered = params === undefined ? connection.sendRequest(method) : connection.sendRequest(method, params);
    return answered.catch((thrown: unknown) => {
      if (thrown instanceof ResponseError || exit === undefined) throw thrown;
      throw new Error(`the gateway has exited (${exit}) before it answered ${method}: ${log()}`);
    });
  };
  const notify = (method: string, params?: unknown) =>
    void (params === undefined ? connection.sendNotification(method) : connection.sendNotification(method, params));

  function chat(): Chat {
    let id = era.mint();
    /** How much of the talk this chat has looked at. */
    let read = 0;
    let since: { readonly chatId: string; readonly heard: Heard }[] = [];

    /** The library tells of an answer a little later than of what is behind it, so both are read here. */
    function heard(): Heard[] {
      for (const { by, message } of talk.slice(read)) {
        if (by === 'client') continue;
        const { data } = Notification.safeParse(message);
        if (data === undefined)
          id ??= z.looseObject({ result: Answered }).safeParse(message).data?.result.chatId ?? null;
        else if (data.params.chatId !== undefined) {
          const { chatId, role = '', content = { type: '' }, status = '' } = data.params;
          since.push({ chatId, heard: { method: data.method, role, content, status } });
        }
      }
      read = talk.length;
      if (id !== null) since = since.filter(({ chatId }) => chatId === id);
      return since.map((one) => one.heard);
    }
    function name(): string | null {
      heard();
      return id;
    }

    return {
      get id() {
        return name();
      },
      async prompt(message, more = {}) {
        read = talk.length;
        since = [];
        const answer = Answered.parse(await request('chat/prompt', { ...era.prompt(id, message), ...more }));
        id ??= answer.chatId;
        return answer;
      },
      heard,
      until: (label, isIt) =>
        until(label, () => heard().find(({ role, content }) => content.type !== '' && isIt(content, role))?.content),
      over: () =>
        until('the end of the run', () => {
          const said = heard();
          const end = said.findIndex(({ content }) => content.type === 'progress' && content.state === 'finished');
          return end < 0 ? undefined : said.slice(0, end + 1);
        }),
      approve: (call, more = {}) => notify('chat/toolCallApprove', { chatId: name(), toolCallId: call, ...more }),
      reject: (call) => notify('chat/toolCallReject', { chatId: name(), toolCallId: call }),
      stop: () => notify('chat/promptStop', { chatId: name() }),
    };
  }

  return {
    talk,
    input: gateway.input,
    gone,
    connection,
    log,
    request,
    notify,
    say,
    until,
    chat,
    async greet(folder) {
      const workspaceFolders = folder === undefined ? [] : [{ uri: `file://${folder}`, name: 'work' }];
      const result = await request('initialize', {
        processId: process.pid,
        clientInfo: { name: 'judge' },
        ...era.greeting,
        workspaceFolders,
      });
      notify('initialized', {});
      return result;
    },
    async quit() {
      await request('shutdown');
      notify('exit');
      await gone;
      return exit ?? null;
    },
    judge: (judgement = {}) => ecaFaults(talk, { readers: era.readers, ...judgement }),
    async close() {
      connection.dispose();
      if (exit === undefined) gateway.kill();
      await gone;
    },
  };
}

/** The sequence of a run in short words: see the table of turns. Pieces of one text or thought are one. */
export function outline(said: readonly Heard[]): string[] {
  const words = said.map(({ method, role, content, status }) => {
    if (method !== 'chat/contentReceived') return method === 'chat/statusChanged' ? `status ${status}` : method;
    const who = role === '' ? '?' : role[0]?.toUpperCase();
    switch (content.type) {
      case 'progress':
        return content.state === 'running' ? `running: ${String(content.text)}` : 'finished';
      case 'toolCallPrepare':
        return content.argumentsText === '' ? 'prepare' : 'prepare arguments';
      case 'toolCallRun':
        return content.manualApproval === true ? 'run?' : 'run';
      case 'toolCalled':
        return content.error === true ? 'called: error' : 'called';
      case 'toolCallRejected':
        return `rejected: ${String(content.reason)}`;
      default:
        return `${who} ${content.type}`;
    }
  });
  return words.filter(
    (word, at) => word !== words[at - 1] || !/^(?:A text|A reasonText|prepare arguments)$/u.test(word),
  );
}

/** The words of the model in a run. */
export const wordsIn = (said: readonly Heard[]): string =>
  said
    .map(({ role, content }) => (role === 'assistant' && content.type === 'text' ? String(content.text) : ''))
    .join('');
