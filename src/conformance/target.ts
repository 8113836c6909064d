// How a peer is reached: at an address, or as a program that is started with the bounds that a check asks for. Knows no
// protocol.
import type { Channel } from '../core/channel.ts';
import { type ChildChannel, spawnChannel } from '../transports/child-process.ts';
import { jsonl } from '../transports/framing/jsonl.ts';
import { connectWebSocket } from '../transports/websocket.ts';
import { CannotTell, type Connection, PeerWrong, type Settings, type Transport } from './check.ts';
import { watchChannel } from './connection.ts';

/** Where a server listens. */
export interface Address {
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
}

/** A program that is a peer. */
export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Whom to check. */
export interface Target {
  readonly label: string;
  /** `ready` is asked about each line of its stdout, as JSON where it is, until it gives the address. */
  readonly websocket?: Address | (Program & { ready(line: unknown): Address | null });
  /** The address ends where `/events` and `/frames` follow; `{session}` in it becomes a name that comes once. */
  readonly sse?: Address | (Program & { ready(line: unknown): Address | null });
  readonly stdio?: Program;
  /** A new connection to a peer in this process. */
  memory?(): Channel;
  /** Variables with which the program has these bounds; null where it cannot have them. A server that has them needs none. */
  settings?(wanted: Settings): Readonly<Record<string, string>> | null;
  /** What to prompt, by word, so that its agent does what a check needs. `{id}` in it becomes a word that comes once. */
  readonly script: ReadonlyMap<string, string>;
  /** Each connection is led through this: a recorder, or somebody who tampers with it in our own tests. */
  through?(channel: Channel): Channel;
  /** A connection that can send binary messages as well, where ours cannot. */
  connectBinary?(address: Address): { readonly channel: Channel; sendBinary(text: string): void };
}

/** A peer that can be reached. */
export interface Peer {
  /** On stdio there is one, and each call gives it again. */
  connect(isBinary: boolean): Connection;
  terminate(): void;
  /** Resolves with the reason once the program has ended. */
  exit(): Promise<string>;
  stop(): Promise<void>;
}

/** How a peer is started. */
export interface StartOptions {
  readonly transport: Transport;
  readonly settings: Settings;
  readonly patienceMs: number;
}

/** Whether that target can be a peer with those bounds: null, or why not. */
export function unreachable(target: Target, { transport, settings }: Omit<StartOptions, 'patienceMs'>): string | null {
  const way = target[transport];
  if (way === undefined) return `there is no way to reach it over ${transport}`;
  if (Object.keys(settings).length === 0) return null;
  if (target.settings?.(settings)) return null;
  return `its bounds cannot be set: ${Object.keys(settings).join(', ')}`;
}

/** Rejects with a {@link CannotTell} when the program does not come up. */
export async function startPeer(target: Target, options: StartOptions): Promise<Peer> {
  const env = target.settings?.(options.settings) ?? {};
  if (options.transport === 'stdio') {
    if (target.stdio === undefined) throw new CannotTell('there is no program to start');
    return stdioPeer(target, start(target.label, target.stdio, env), options);
  }
  const { memory, websocket: way } = target;
  if (options.transport === 'memory' && memory !== undefined) return memoryPeer(target, memory, options);
  if (way === undefined) throw new CannotTell('there is no server to reach');
  if (!('command' in way)) return serverPeer(target, way, options);
  const child = start(target.label, way, env);
  const output = watchChannel(child, options);
  const address = await output
    .until('ready line', () => {
      for (const line of output.log) {
        const found = way.ready(line.json ?? line.text);
        if (found !== null) return found;
      }
      return undefined;
    })
    .catch((thrown: unknown) => {
      child.close('normal', 'it did not get ready');
      throw new CannotTell(`the server did not start: ${String(thrown)}`);
    });
  return { ...serverPeer(target, address, options), ...processOf(child, output) };
}

function start(label: string, { command, cwd, env }: Program, more: Readonly<Record<string, string>>): ChildChannel {
  const options = { label, command, framing: jsonl, env: { ...env, ...more }, termGraceMs: 3000 };
  return spawnChannel(cwd === undefined ? options : { ...options, cwd });
}

function serverPeer(target: Target, address: Address, { patienceMs }: StartOptions): Peer {
  let connections = 0;
  return {
    connect(isBinary) {
      connections += 1;
      const { url, token } = address;
      const label = `connection ${connections}`;
      const binary = isBinary ? target.connectBinary?.(address) : undefined;
      const channel = binary?.channel ?? connectWebSocket(url, { label, ...(token === undefined ? {} : { token }) });
      const led = target.through?.(channel) ?? channel;
      return watchChannel(led, { patienceMs, ...(binary === undefined ? {} : { sendBinary: binary.sendBinary }) });
    },
    ...notOurs,
  };
}

/** What cannot be done with a peer that is no program of ours. */
const notOurs: Pick<Peer, 'terminate' | 'exit' | 'stop'> = {
  terminate() {
    throw new CannotTell('a peer that we have not started cannot be ended');
  },
  exit: () => Promise.reject(new CannotTell('a peer that we have not started does not end')),
  stop: () => Promise.resolve(),
};

function memoryPeer(target: Target, memory: () => Channel, { patienceMs }: StartOptions): Peer {
  const connect = () => {
    const channel = memory();
    return watchChannel(target.through?.(channel) ?? channel, { patienceMs });
  };
  return { connect, ...notOurs };
}

function stdioPeer(target: Target, child: ChildChannel, options: StartOptions): Peer {
  const connection = watchChannel(target.through?.(child) ?? child, options);
  return { connect: () => connection, ...processOf(child, connection) };
}

/** What can be done with the program whose output is watched. */
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
      terminate();
      // Kills it if it stays.
      child.close('normal', 'the checks are over');
      await output.until('end of the program', () => output.ended ?? undefined).catch(ignorePeer);
    },
  };
}

/** A program that does not go away when it is told to is not what was to be checked here. */
function ignorePeer(thrown: unknown): void {
  if (!(thrown instanceof PeerWrong)) throw thrown;
}
