// Starts, reaches and stops the peer of a check.
import type { Channel } from '../../core/contract/channel.ts';
import { messageOf } from '../../core/model/errors.ts';
import { type ChildChannel, spawnChannel } from '../../transports/child/child-process.ts';
import { jsonl } from '../../transports/framing/jsonl.ts';
import { connectEventSource } from '../../transports/sse/client.ts';
import { connectWebSocket } from '../../transports/websocket/dial.ts';
import { CannotTell, type Connection, NotApplicable, PeerWrong } from '../check/check.ts';
import { watchChannel } from './connection.ts';
import { freePort } from './free-port.ts';
import { rawFraming } from './raw-framing.ts';
import type { Address, PeerRequirements, Program, Server, Target } from './target.ts';

/** A running peer. */
export interface Peer {
  /**
   * On stdio every call returns the same connection. Rejects with a {@link CannotTell} when the peer cannot be reached.
   */
  connect(isBinary: boolean): Promise<Connection>;
  /** The peer is a program on stdio that has ended. */
  readonly isOver: boolean;
  terminate(): void;
  /** Resolves with the end reason of the program. */
  exit(): Promise<string>;
  stop(): Promise<void>;
}

/** How to start a peer. */
export interface StartOptions extends PeerRequirements {
  readonly patienceMs: number;
  /** How long a program may be silent after its start, ms; default the patience. */
  readonly startMs?: number;
}

/** Rejects with a {@link CannotTell} when the program does not start. */
export async function startPeer(target: Target, options: StartOptions): Promise<Peer> {
  const { memory, stdio, websocket, sse } = target;
  const env = target.settings?.(options.settings) ?? {};
  switch (options.transport) {
    case 'stdio':
      if (stdio === undefined) throw new CannotTell('there is no program to start');
      return stdioPeer(target, stdio, env, options);
    case 'memory': {
      if (memory === undefined) throw new CannotTell('it is not in this process');
      return { ...notOurs, connect: async () => watch(target, memory(), { patienceMs: options.patienceMs }) };
    }
    case 'websocket':
      if (websocket === undefined) throw new CannotTell('there is no server to reach');
      return serverPeer(target, websocket, env, options, webSocketTo);
    case 'sse':
      if (sse === undefined) throw new CannotTell('there is no server to reach');
      return serverPeer(target, sse, env, options, eventsOf);
    default:
      throw options.transport satisfies never;
  }
}

type Dial = (target: Target, address: Address, options: DialOptions) => Promise<Connection>;
interface DialOptions extends StartOptions {
  readonly label: string;
  readonly isBinary: boolean;
}

/** A server at an address, or a server program to start. */
async function serverPeer(
  target: Target,
  way: Address | Server,
  env: Readonly<Record<string, string>>,
  options: StartOptions,
  dial: Dial,
): Promise<Peer> {
  let connections = 0;
  const connectTo = (address: Address) => (isBinary: boolean) => {
    connections += 1;
    return dial(target, address, { ...options, isBinary, label: `connection ${connections}` });
  };
  if (!('command' in way)) return { ...notOurs, connect: connectTo(way) };
  const port = way.command.some((word) => word.includes('{port}')) ? String(await freePort()) : '';
  const [program, ...words] = way.command;
  const command: Program['command'] = [program, ...words.map((word) => word.replaceAll('{port}', port))];
  const child = start(target.label, { ...way, command }, env, jsonl);
  const output = watchChannel(child, { ...options, beside: child.stderr });
  const address = await output
    .until('ready line', () => {
      for (const line of output.log) {
        const found = way.ready(line, port);
        if (found !== null) return found;
      }
      return undefined;
    })
    .catch((thrown: unknown) => {
      child.close('normal', 'it did not get ready');
      throw new CannotTell(`the server did not start: ${messageOf(thrown)}`);
    });
  return { ...processOf(child, output), isOver: false, connect: connectTo(address) };
}

const webSocketTo: Dial = async (target, address, { label, isBinary, patienceMs }) => {
  const { token } = address;
  const { id, leave } = await sessionAt(address, patienceMs);
  const url = address.url.replaceAll('{session}', id);
  const binary = isBinary ? target.connectBinary?.({ ...address, url }) : undefined;
  const { messages } = target;
  const options = { label, framing: messages, ...(token === undefined ? {} : { token }) };
  const channel = binary?.channel ?? connectWebSocket(url, options);
  return watch(target, thenLeaving(channel, leave), {
    patienceMs,
    ...(binary === undefined ? {} : { sendBinary: binary.sendBinary }),
  });
};

/** Each connection gets a session of its own. */
const eventsOf: Dial = async (target, address, { label, patienceMs }) => {
  const { url, token } = address;
  const { id, leave } = await sessionAt(address, patienceMs);
  const [base = '', query] = url.replaceAll('{session}', id).split('?');
  const at = (end: string) => `${base}${end}${query === undefined ? '' : `?${query}`}`;
  const channel = connectEventSource({
    streamUrl: at('/events'),
    sendUrl: at('/frames'),
    label,
    envelope: target.envelope,
    // A broken stream is a finding, so the channel must not reconnect.
    tries: 0,
    ...(token === undefined ? {} : { token }),
  });
  return watch(target, thenLeaving(channel, leave), { patienceMs });
};

/** Creates a session where the target has a place to create one, and returns a function that deletes it. */
async function sessionAt({ token, sessions = null }: Address, patienceMs: number) {
  const id = `conformance-${crypto.randomUUID()}`;
  if (sessions === null) return { id, leave: () => Promise.resolve() };
  await makeSession(sessions, id, token, patienceMs);
  return { id, leave: () => endSession(sessions, id, token, patienceMs) };
}

/** Deletes the session that we created when the channel closes. */
function thenLeaving(channel: Channel, leave: () => Promise<unknown>): Channel {
  return {
    label: channel.label,
    open: (receiver) => channel.open(receiver),
    send: (out) => channel.send(out),
    get buffered() {
      return channel.buffered;
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close(code, reason) {
      channel.close(code, reason);
      // A server that is gone has no session to delete.
      leave().catch(() => {});
    },
  };
}

async function endSession(sessions: string, id: string, token: string | undefined, patienceMs: number): Promise<void> {
  const url = new URL(sessions);
  url.pathname += `/${id}`;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await fetch(url, { method: 'DELETE', headers, signal: AbortSignal.timeout(patienceMs) });
}

/** Creates a session in the way of our own server. A server that creates sessions by itself answers 404 or 405. */
async function makeSession(url: string, id: string, token: string | undefined, patienceMs: number): Promise<void> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const agent = new URL(url).searchParams.get('agent');
  const body = JSON.stringify({ id, ...(agent === null ? {} : { agent }) });
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(patienceMs),
  }).catch((thrown: unknown) => {
    const error = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    throw new CannotTell(`it cannot be reached: ${messageOf(error)}`);
  });
  const text = await response.text();
  if (response.ok || response.status === 404 || response.status === 405) return;
  throw new CannotTell(`no session could be made at ${url}: ${response.status} ${text.slice(0, 300)}`);
}

function stdioPeer(
  target: Target,
  program: Program,
  env: Readonly<Record<string, string>>,
  options: StartOptions,
): Peer {
  const { framing, send } = rawFraming(target.framing ?? jsonl);
  const child = start(target.label, program, env, framing);
  const connection = watch(target, child, {
    ...options,
    sendRaw: (text) => send(child, text),
    endInput: () => child.endInput(),
  });
  return {
    ...processOf(child, connection),
    get isOver() {
      return connection.ended !== null;
    },
    connect: async () => connection,
  };
}

function watch(target: Target, channel: Channel, options: Parameters<typeof watchChannel>[1]): Connection {
  return watchChannel(target.through?.(channel) ?? channel, options);
}

function start(
  label: string,
  { command, cwd, env }: Program,
  more: Readonly<Record<string, string>>,
  framing: typeof jsonl,
): ChildChannel {
  const own = typeof env === 'function' ? env() : env;
  const options = { label, command, framing, env: { ...own, ...more }, termGraceMs: 3000 };
  return spawnChannel(cwd === undefined ? options : { ...options, cwd });
}

/** A peer that we did not start cannot be ended by us. */
const notOurs: Omit<Peer, 'connect'> = {
  isOver: false,
  terminate() {
    throw new NotApplicable('a peer that we have not started is not ours to end');
  },
  exit: () => Promise.reject(new NotApplicable('a peer that we have not started is not ours to end')),
  stop: () => Promise.resolve(),
};

/** Process control for the program whose output is `output`. */
function processOf(child: ChildChannel, output: Connection): Pick<Peer, 'terminate' | 'exit' | 'stop'> {
  function terminate(): void {
    if (child.pid === undefined || output.ended !== null) throw new CannotTell('the program is not running');
    process.kill(child.pid, 'SIGTERM');
  }
  return {
    terminate,
    exit: () => output.until('end of the program', () => output.ended ?? undefined),
    async stop() {
      if (output.ended !== null) return;
      // SIGTERM comes with the end of the input, so a program that handles either leaves sooner; the channel kills a
      // program that stays.
      if (child.pid !== undefined) terminate();
      child.close('normal', 'the checks are over');
      await output.until('end of the program', () => output.ended ?? undefined).catch(ignorePeer);
    },
  };
}

/** Ignores a program that does not end in time: this is cleanup, not part of a check. */
function ignorePeer(thrown: unknown): void {
  if (!(thrown instanceof PeerWrong)) throw thrown;
}
