// An editor that has started an ECA server: writes frames as editors do, and takes nothing but frames off its stdout.
import { spawn } from 'node:child_process';
import { z } from 'zod';
import { within } from '../../src/conformance/bounded-wait.ts';

/** A JSON-RPC message that a server sends. */
export const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
export type Message = z.infer<typeof Message>;

/** What `chat/contentReceived` carries. */
export const Content = z.looseObject({
  chatId: z.string(),
  role: z.enum(['user', 'system', 'assistant']),
  content: z.looseObject({ type: z.string(), text: z.string().nullish(), state: z.string().optional() }),
});
export type Content = z.infer<typeof Content>;

/** What a finished process left. */
export interface Left {
  readonly code: number | null;
  readonly stderr: string;
}

/** The editor's end of the pipes. */
export interface EditorProcess {
  /** All that the server has sent so far. */
  readonly messages: readonly Message[];
  readonly exited: Promise<Left>;
  request(method: string, params: object): Promise<Message>;
  notify(method: string, params: object): void;
  /** The first message that fits, now or later. Rejects when the process ends before, or says what is no frame. */
  until(label: string, fits: (message: Message) => boolean): Promise<Message>;
  /** The contents of a chat so far. */
  contents(chatId: string): readonly Content[];
  /** Its assistant's text so far. */
  text(chatId: string): string;
  /** Resolves when the chat has been told so many times that its turn is finished; default once. */
  finished(chatId: string, times?: number): Promise<void>;
  /** `initialize` and `initialized`, as the editors send them. */
  open(folder: string): Promise<Message>;
  closeInput(): void;
  kill(signal: NodeJS.Signals): void;
}

/** How the server is started. */
export interface EditorOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `program` with these words. Its stdout must be frames as old editors need them: one header, exact. */
export function startEditor(program: string, words: readonly string[], options: EditorOptions): EditorProcess {
  const child = spawn(program, words, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const messages: Message[] = [];
  const watchers = new Set<() => void>();
  let held: Buffer = Buffer.alloc(0);
  let stderr = '';
  let end: string | null = null;
  let lastId = 0;

  function wake(reason?: string): void {
    end ??= reason ?? null;
    for (const watcher of [...watchers]) watcher();
  }

  function read(): void {
    for (;;) {
      const text = held.toString('latin1');
      const head = /^Content-Length: (\d+)\r\n\r\n/u.exec(text);
      if (head === null) {
        // A header that is not whole yet is the only other thing that may be there.
        if (!/^(?:Content-Length: (?:\d+(?:\r(?:\n\r?)?)?)?)?$/u.test(text) && !'Content-Length: '.startsWith(text)) {
          wake(`stdout has what is no frame: ${JSON.stringify(text.slice(0, 200))}`);
        }
        return;
      }
      const from = head[0].length;
      const to = from + Number(head[1]);
      if (held.length < to) return;
      messages.push(Message.parse(JSON.parse(held.toString('utf8', from, to))));
      held = held.subarray(to);
    }
  }

  function write(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    read();
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = new Promise<Left>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      wake(held.length === 0 ? `the server ended (code ${code})` : 'the server ended in the middle of a frame');
      resolve({ code, stderr });
    });
  });
  // Whoever does not wait for the end still hears of it in `until`.
  exited.catch((thrown) => wake(String(thrown)));

  const editor: EditorProcess = {
    messages,
    exited,
    async request(method, params) {
      const id = ++lastId;
      write({ id, method, params });
      return await editor.until(
        `the answer to ${method}`,
        (message) => message.id === id && message.method === undefined,
      );
    },
    notify: (method, params) => write({ method, params }),
    until(label, fits) {
      const explain = () => `; stderr: ${stderr.slice(-500)}; the last: ${JSON.stringify(messages.slice(-3))}`;
      function look(): Message | undefined {
        const found = messages.find(fits);
        if (found === undefined && end !== null) throw new Error(`${end} before ${label}${explain()}`);
        return found;
      }
      return within(label, watchers, look, explain);
    },
    contents: (chatId) =>
      messages
        .filter(({ method }) => method === 'chat/contentReceived')
        .map(({ params }) => Content.parse(params))
        .filter((content) => content.chatId === chatId),
    text: (chatId) =>
      editor
        .contents(chatId)
        .filter(({ role, content }) => role === 'assistant' && content.type === 'text')
        .map(({ content }) => content.text ?? '')
        .join(''),
    async finished(chatId, times = 1) {
      const isFinished = ({ content }: Content) => content.type === 'progress' && content.state === 'finished';
      await editor.until(
        `the end of turn ${times} of ${chatId}`,
        () => editor.contents(chatId).filter(isFinished).length >= times,
      );
    },
    async open(folder) {
      const answer = await editor.request('initialize', {
        processId: null,
        clientInfo: { name: 'an editor', version: '1' },
        capabilities: { codeAssistant: { chat: true } },
        workspaceFolders: [{ name: 'project', uri: `file://${folder}` }],
      });
      editor.notify('initialized', {});
      return answer;
    },
    closeInput: () => child.stdin.end(),
    kill: (signal) => {
      child.kill(signal);
    },
  };
  return editor;
}
