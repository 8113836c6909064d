// How a peer is reached: at an address, or as a program that is started with the bounds that a check asks for. Knows no
// protocol, and starts nothing.
import type { EventEnvelope, FramingName } from '../../core/contract/adapter.ts';
import type { Channel } from '../../core/contract/channel.ts';
import type { Framing } from '../../transports/framing/framing.ts';
import type { Settings, Transport } from '../check/check.ts';
import type { Variables } from '../model/environment.ts';

/** Where a server listens. */
export interface Address {
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Where a session is made before it is listened to, by posting `{"id": …}`, and deleted behind it; null: nowhere. */
  readonly sessions?: string | null;
}

/** A program that is a peer. */
export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  /** On top of our own environment; undefined takes a variable away. A function is asked at each start. */
  readonly env?: Variables | (() => Variables);
}

/** A program that listens. `ready` is asked about each line of its stdout, as JSON where it is, until it gives the address. */
export type Server = Program & { ready(line: unknown): Address | null };

/** Whom to check. */
export interface Target {
  readonly label: string;
  /** `{session}` in the address becomes a name that comes once. */
  readonly websocket?: Address | Server;
  /** The address ends where `/events` and `/frames` follow; `{session}` in it becomes a name that comes once. */
  readonly sse?: Address | Server;
  readonly stdio?: Program;
  /** A new connection to a peer in this process. */
  memory?(): Channel;
  /** How frames are cut out of a program's output; default JSON lines. */
  readonly framing?: Framing;
  /** How messages of a WebSocket hold frames; default `text`. */
  readonly messages?: FramingName;
  /** How frames travel as server-sent events, where they do not go bare. */
  readonly envelope?: EventEnvelope;
  /** Variables with which the program has these bounds; null where it cannot have them. A server that has them needs none. */
  settings?(wanted: Settings): Readonly<Record<string, string>> | null;
  /** What to prompt, by word, so that its agent does what a check needs. `{id}` in it becomes a word that comes once. */
  readonly script: ReadonlyMap<string, string>;
  /** Each connection is led through this: a recorder, or somebody who tampers with it in our own tests. */
  through?(channel: Channel): Channel;
  /** A connection that can send binary messages as well, where ours cannot. */
  connectBinary?(address: Address): { readonly channel: Channel; sendBinary(text: string): void };
}

/** What is asked of a peer before it is one. */
export interface PeerRequirements {
  readonly transport: Transport;
  readonly settings: Settings;
}

/** Whether that target can be a peer with those bounds: null, or why not. */
export function unreachable(target: Target, { transport, settings }: PeerRequirements): string | null {
  const way = target[transport];
  if (way === undefined) return `there is no way to reach it over ${transport}`;
  if (Object.keys(settings).length === 0) return null;
  if (target.settings?.(settings)) return null;
  return `its bounds cannot be set: ${Object.keys(settings).join(', ')}`;
}
