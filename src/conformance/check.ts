// What a check of a protocol is, and what may come of it. Knows no protocol and runs nothing.

/** How strongly the specification asks for it (RFC 2119). */
export type Level = 'MUST' | 'SHOULD' | 'MAY';

/** Bounds that a peer is to be started with, by the name that the set of checks has for them. */
export type Settings = Readonly<Record<string, number>>;

/** What a check needs before it can tell anything; without it it is not applicable. */
export interface Needs {
  /** Default: any. */
  readonly transport?: 'websocket' | 'stdio';
  /** Connections at the same time; default 1. */
  readonly connections?: number;
  /** A peer that was started with these bounds. */
  readonly settings?: Settings;
  /** A peer that nobody else uses: the check fills it up, or ends it. */
  readonly alone?: boolean;
  /** Words that the target must have a prompt for; see Target.script. */
  readonly script?: readonly string[];
  /** Connections must be able to send binary messages. */
  readonly binary?: boolean;
}

/** One rule, and how it is tried. `Stage` is what the set of checks gives to each to play on. */
export interface Check<Stage> {
  /** Stable: protocol, section and number, e.g. `pi-server/7.4-39`. */
  readonly id: string;
  /** Section of the specification. */
  readonly section: string;
  readonly level: Level;
  /** `measured`: the specification is silent, and this is what its own implementation does. */
  readonly basis: 'specification' | 'measured';
  /** What is to be so, as a sentence. */
  readonly sentence: string;
  /** What is done. */
  readonly input: string;
  /** What must come of it. */
  readonly expected: string;
  readonly needs?: Needs;
  /** Resolves when it is so. Rejects with a {@link PeerWrong}, {@link CannotTell} or {@link NotApplicable}. */
  run(stage: Stage): Promise<void>;
}

/** All checks of one protocol, for one side. */
export interface CheckSet<Stage> {
  readonly protocol: string;
  /** Who is checked. */
  readonly side: 'agent' | 'client';
  /** Counted up with each change of meaning. */
  readonly version: string;
  readonly checks: readonly Check<Stage>[];
  /** Bounds for the peer that all other checks share, so that they do not stand in each other's way. */
  readonly usual: Settings;
  /** What a check plays on. */
  stage(tools: Tools): Stage;
}

/** One message on one connection. */
export interface Exchange {
  /** Ms since the connection was made. */
  readonly at: number;
  readonly by: 'us' | 'peer';
  readonly text: string;
  /** Undefined where the text is not JSON. */
  readonly json?: unknown;
}

/** A connection to the peer, with all that was said on it. */
export interface Connection {
  readonly label: string;
  readonly log: readonly Exchange[];
  /** Why it is over; null while it is not. */
  readonly ended: string | null;
  send(text: string): void;
  /** Absent where the transport has no binary messages, or none of ours. */
  sendBinary?(text: string): void;
  /**
   * The first thing that `look` finds, now or after a message or the end. Rejects with a {@link PeerWrong} when patience
   * is over, or when the connection is.
   */
  until<Value>(label: string, look: () => Value | undefined): Promise<Value>;
  /** Our side leaves. */
  close(): Promise<void>;
}

/** What the runner gives to the stage of one check. */
export interface Tools {
  /** A word that nobody else uses, in this run or in another. */
  readonly nonce: string;
  readonly transport: 'websocket' | 'stdio';
  /** The next connection to the peer of this check. */
  connect(): Promise<Connection>;
  /** The prompt for that word. Rejects as not applicable where there is none. */
  script(word: string): string;
  /** Asks the peer's process to end, as an operating system does. */
  terminate(): void;
  /** How the peer's process ended, once it has. Rejects with a {@link PeerWrong} when patience is over. */
  exit(): Promise<string>;
  /** Waits. For what only time can bring. */
  pause(ms: number): Promise<void>;
  /** How long a check waits for anything, ms. */
  readonly patienceMs: number;
  /** Called when the check is over, last first. */
  atEnd(undo: () => Promise<void>): void;
}

/** `failed`: the peer is wrong. `unclear`: the check could not tell. */
export type Verdict = 'passed' | 'failed' | 'unclear' | 'not-applicable';

/** What came of one check. */
export interface Result {
  readonly id: string;
  readonly verdict: Verdict;
  /** Why, for all verdicts but `passed`. */
  readonly reason?: string;
  readonly ms: number;
  /** What was said, by connection. */
  readonly exchanges: readonly { readonly connection: string; readonly log: readonly Exchange[] }[];
}

/** The peer breaks the rule. */
export class PeerWrong extends Error {
  override readonly name = 'PeerWrong';
}

/** What the check builds upon did not work, so it says nothing about its rule. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}

/** There is nothing to check at this peer. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
