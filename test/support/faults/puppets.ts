// The agents of a test: programs without a will, each led over a socket. Lives and dies on order, so that no test waits for
// a time. Speaks as pi.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { within } from '../../../src/conformance/bounded-wait.ts';

const program = fileURLToPath(new URL('./puppet.mjs', import.meta.url));

const News = z.union([z.object({ pid: z.number() }), z.object({ heard: z.string() })]);
const Heard = z.looseObject({ type: z.string(), id: z.string().optional() });

/** One agent. */
export interface Puppet {
  readonly pid: number;
  /** What it was told, parsed. */
  readonly heard: readonly z.infer<typeof Heard>[];
  readonly isGone: boolean;
  /** Resolves when it was told so many lines of that type. */
  told(type: string, times?: number): Promise<void>;
  /** Writes these lines in one piece. */
  say(...lines: readonly string[]): void;
  /** Writes these bytes, which may be no line. */
  write(text: string): void;
  /** Writes that text so many times in one piece. */
  flood(text: string, times: number): void;
  /** Writes that text to stderr, so many times. */
  complain(text: string, times: number): void;
  /** From now on it lives when its input has ended. */
  stay(): Promise<void>;
  exit(code: number): void;
  /** Exits, and leaves its stdout to a child for so many ms. */
  bequeath(ms: number): void;
  /** Ends itself by that signal, after all that it was ordered before. */
  die(signal: NodeJS.Signals): void;
  /** Gets that signal at once. */
  signal(signal: NodeJS.Signals): void;
}

/** All agents of one test. */
export interface Puppets {
  /** The command that starts one. */
  readonly command: readonly [string, ...string[]];
  /** The next one that nobody has asked for yet, as soon as it runs. */
  next(): Promise<Puppet>;
  /** How many live. */
  readonly alive: number;
  /** Resolves when none lives. */
  allGone(): Promise<void>;
  close(): void;
}

const state = { model: { id: 'puppet-1', name: 'Puppet', provider: 'test' }, thinkingLevel: 'off', isStreaming: false };

/** `isDeaf`: commands that get no answer. */
export async function startPuppets(isDeaf: (type: string) => boolean = () => false): Promise<Puppets> {
  const watchers = new Set<() => void>();
  const sockets = new Set<Socket>();
  const waiting: Puppet[] = [];
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };

  function lead(socket: Socket, pid: number): (line: string) => void {
    const heard: z.infer<typeof Heard>[] = [];
    const order = (...words: readonly unknown[]) => void socket.write(`${JSON.stringify(words)}\n`);
    const write = (text: string) => order('write', text);
    const say = (...lines: readonly string[]) => write(lines.map((line) => `${line}\n`).join(''));
    const told = async (type: string, times = 1) => {
      const count = () => heard.filter((line) => line.type === type).length;
      await within(`${times} ${type} for the agent`, watchers, () => (count() >= times ? true : undefined));
    };
    waiting.push({
      pid,
      heard,
      get isGone() {
        return !sockets.has(socket);
      },
      told,
      stay() {
        order('stay');
        return told('stay');
      },
      say,
      write,
      flood: (text, times) => order('flood', text, times),
      complain: (text, times) => order('complain', text, times),
      exit: (code) => order('exit', code),
      die: (signal) => order('die', signal),
      bequeath: (ms) => order('bequeath', ms),
      signal: (signal) => void process.kill(pid, signal),
    });
    return (line) => {
      const command = Heard.parse(JSON.parse(line));
      const { id, type } = command;
      const data = type === 'get_state' ? { data: { ...state, sessionId: `puppet-${pid}` } } : {};
      if (type !== 'stay' && !isDeaf(type))
        say(JSON.stringify({ id, type: 'response', command: type, success: true, ...data }));
      heard.push(command);
    };
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    let take: ((line: string) => void) | null = null;
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      wake();
    });
    createInterface({ input: socket }).on('line', (text) => {
      const news = News.parse(JSON.parse(text));
      if ('pid' in news) take = lead(socket, news.pid);
      else take?.(news.heard);
      wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    command: [process.execPath, program, String(port)],
    next: () => within('an agent', watchers, () => waiting.shift()),
    get alive() {
      return sockets.size;
    },
    allGone: () =>
      within('the end of all agents', watchers, () => (sockets.size === 0 ? true : undefined)).then(() => {}),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
