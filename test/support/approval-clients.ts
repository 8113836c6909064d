// How clients of each protocol are asked for leave and give it, behind one interface, so that a test is said once for all
// of them.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { interruptFrame, promptFrame } from './claude-turn.ts';
import { type Client, connectSse, connectWebSocket } from './clients.ts';
import { type GatewayServer, stopProcess } from './gateway.ts';
import { createInbox, type Frame } from './inbox.ts';

/** What a client is asked. */
export interface Question {
  readonly id: string;
  readonly tool: string;
  /** All that the client is shown. */
  readonly shown: string;
}

/** A client that can be asked. */
export interface Asked {
  readonly client: Client;
  prompt(text: string): Promise<void>;
  /** The next question that this client has not been asked before. */
  asked(): Promise<Question>;
  allow(id: string): Promise<void>;
  /** The reason is lost where the protocol has no place for it. */
  deny(id: string, reason: string): Promise<void>;
  interrupt(): Promise<void>;
  /** Resolves when the next run is over, with how. */
  over(): Promise<'well' | 'badly'>;
}

/** How a protocol says it. */
interface Words {
  prompt(text: string): object;
  questionIn(frame: Frame): Question | null;
  allow(id: string): object;
  deny(id: string, reason: string): object;
  interrupt(): object;
  endIn(frame: Frame): 'well' | 'badly' | null;
}

const CanUseTool = z.looseObject({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.literal('can_use_tool'), tool_name: z.string(), input: z.unknown() }),
});
const Confirm = z.looseObject({
  type: z.literal('extension_ui_request'),
  id: z.string(),
  method: z.literal('confirm'),
  title: z.string(),
  message: z.string(),
});

/** An answer to `can_use_tool`. */
export const permission = (id: string, response: object): object => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});

const claude: Words = {
  prompt: promptFrame,
  questionIn(frame) {
    const read = CanUseTool.safeParse(frame).data;
    if (read === undefined) return null;
    const { tool_name: tool, input } = read.request;
    return { id: read.request_id, tool, shown: JSON.stringify(input) };
  },
  allow: (id) => permission(id, { behavior: 'allow' }),
  deny: (id, message) => permission(id, { behavior: 'deny', message }),
  interrupt: () => interruptFrame('stop'),
  endIn: (frame) => (frame.type === 'result' ? (frame.is_error === true ? 'badly' : 'well') : null),
};

const pi: Words = {
  prompt: (message) => ({ type: 'prompt', message }),
  questionIn(frame) {
    const read = Confirm.safeParse(frame).data;
    if (read === undefined) return null;
    return { id: read.id, tool: /^Allow (\w+)/u.exec(read.title)?.[1] ?? read.title, shown: read.message };
  },
  allow: (id) => ({ type: 'extension_ui_response', id, confirmed: true }),
  deny: (id) => ({ type: 'extension_ui_response', id, confirmed: false }),
  interrupt: () => ({ type: 'abort' }),
  endIn: (frame) =>
    frame.type === 'agent_end' ? (JSON.stringify(frame).includes('"stopReason":"aborted"') ? 'badly' : 'well') : null,
};

/** How clients of two protocols say it. */
export const words = { claude, pi };

function askedBy(client: Client, words: Words): Asked {
  let heard = 0;
  let ended = 0;
  /** The first frame from there on in which there is something, and that. */
  async function next<Found>(from: number, find: (frame: Frame) => Found | null, label: string) {
    const frame = await client.waitFor((candidate) => find(candidate) !== null, label, from);
    const found = find(frame);
    if (found === null) throw new Error(`no ${label}`);
    return { found, after: client.frames.indexOf(frame) + 1 };
  }
  return {
    client,
    prompt: (text) => client.send(words.prompt(text)),
    async asked() {
      const { found, after } = await next(heard, words.questionIn, 'a question');
      heard = after;
      return found;
    },
    allow: (id) => client.send(words.allow(id)),
    deny: (id, reason) => client.send(words.deny(id, reason)),
    interrupt: () => client.send(words.interrupt()),
    async over() {
      const { found, after } = await next(ended, words.endIn, 'the end of the run');
      ended = after;
      return found;
    },
  };
}

/** A client on a session of a server. */
export type Connect = (server: GatewayServer, session: string) => Promise<Asked>;

/** By how they are called in the names of tests. */
export const connections = {
  'claude over WebSocket': async (server: GatewayServer, session: string) =>
    askedBy(await connectWebSocket(server, session), claude),
  'claude over SSE': async (server: GatewayServer, session: string) =>
    askedBy(await connectSse(server, session), claude),
  'pi over WebSocket': async (server: GatewayServer, session: string) =>
    askedBy(await connectWebSocket(server, session, 'pi'), pi),
} satisfies Record<string, Connect>;

const patchbayPi = fileURLToPath(new URL('../../dist/cli/patchbay-pi.js', import.meta.url));

/** A program that starts `patchbay-pi` where it would start pi. */
export function startPatchbayPi(config: string): Asked {
  return askedBy(
    overStdio(process.execPath, [patchbayPi, '--mode', 'rpc', '--no-session'], {
      ...process.env,
      PATCHBAY_CONFIG: config,
      PATCHBAY_AGENT: '',
    }),
    pi,
  );
}

/** A client of a program that speaks JSON lines. */
export function overStdio(program: string, argv: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): Client {
  const inbox = createInbox();
  const child = spawn(program, argv, { env, cwd });
  createInterface({ input: child.stdout }).on('line', inbox.line);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-2_000);
  });
  child.stdin.on('error', (error) => inbox.cut(error.message));
  child.on('exit', (code, signal) => inbox.cut(`${program} exited (${signal ?? code}) ${log}`));
  const sendRaw = async (text: string) => void child.stdin.write(`${text}\n`);
  return { ...inbox, sendRaw, send: (frame) => sendRaw(JSON.stringify(frame)), close: () => stopProcess(child) };
}
