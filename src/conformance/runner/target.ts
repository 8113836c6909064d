// How to reach the peer under test: the address of a server, or a program to start.
import type { FramingName } from '../../core/contract/adapter/adapter.ts';
import type { EventEnvelope } from '../../core/contract/adapter/event-envelope.ts';
import type { Channel } from '../../core/contract/channel.ts';
import type { Framing } from '../../transports/framing/framing.ts';
import type { Settings, Transport } from '../check/check.ts';
import type { Variables } from '../model/environment.ts';

/** The address of a server. */
export interface Address {
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /**
   * Where to create a session with a POST of `{"id": …}` before connecting, and to delete it afterwards; null: nowhere.
   */
  readonly sessions?: string | null;
}

/** A program to start as the peer. */
export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  /** Added to our own environment; undefined removes a variable. A function is called at each start. */
  readonly env?: Variables | (() => Variables);
}

/** A program that listens. `{port}` in its arguments becomes a free port, another one at each start. */
export interface Server extends Program {
  /**
   * Gets each line of stdout and stderr, and the free port if there is one, until the function returns the address, or
   * throws why there is none.
   */
  ready(line: OutputLine, port: string): Address | null;
}

/** A line that a program has printed. */
export interface OutputLine {
  readonly text: string;
  /** Absent if the line is no JSON. */
  readonly json?: unknown;
}

/** The peer under test. */
export interface Target {
  readonly label: string;
  /** The folder in which the peer works; default that of the program, else our own. */
  readonly folder?: string;
  /** `{session}` in the address becomes a unique name. */
  readonly websocket?: Address | Server;
  /** The address to which `/events` and `/frames` are appended; `{session}` becomes a unique name. */
  readonly sse?: Address | Server;
  readonly stdio?: Program;
  /** Opens a connection to a peer in this process. */
  memory?(): Channel;
  /** How to cut frames out of the program's output; default JSON lines. */
  readonly framing?: Framing;
  /** How WebSocket messages hold frames; default `text`. */
  readonly messages?: FramingName;
  /** How server-sent events hold frames; default: one bare frame each. */
  readonly envelope?: EventEnvelope;
  /**
   * Environment variables that give the program these limits; null where the program cannot be given them. A server
   * that already has the limits needs no variables.
   */
  settings?(wanted: Settings): Readonly<Record<string, string>> | null;
  /** Prompts by script word, which make the agent do what a check needs. `{id}` becomes a unique word. */
  readonly script: ReadonlyMap<string, string>;
  /** Wraps every connection, for example to record or, in our own tests, to change messages. */
  through?(channel: Channel): Channel;
  /** Opens a connection that can send binary messages. */
  connectBinary?(address: Address): { readonly channel: Channel; sendBinary(text: string): void };
}

/** The features that the started peer must offer. */
export interface PeerRequirements {
  readonly transport: Transport;
  readonly settings: Settings;
}

/** Null when the target can be such a peer, else the reason. */
export function unreachable(target: Target, { transport, settings }: PeerRequirements): string | null {
  const way = target[transport];
  if (way === undefined) return `there is no way to reach it over ${transport}`;
  if (Object.keys(settings).length === 0) return null;
  if (target.settings?.(settings)) return null;
  return `its bounds cannot be set: ${Object.keys(settings).join(', ')}`;
}
