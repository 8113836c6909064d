// What a check of a protocol is, and what may come of it. Knows no protocol and runs nothing.

/** How strongly the specification asks for it (RFC 2119). */
export type Level = 'MUST' | 'SHOULD' | 'MAY';

/** Bounds that a peer is to be started with, by the name that the set of checks has for them. */
export type Settings = Readonly<Record<string, number>>;

/** How a peer is reached. `memory`: it is in this process. */
export type Transport = 'websocket' | 'sse' | 'stdio' | 'memory';

/** What a check needs before it can tell anything; without it it is not applicable. */
export interface Needs {
  /** Default: any. */
  readonly transport?: Transport;
  /** Connections at the same time; default 1. */
  readonly connections?: number;
  /** A peer that was started with these bounds. */
  readonly settings?: Settings;
  /** A peer that nobody else uses: the check fills it up, or ends it. */
  readonly exclusive?: boolean;
  /** Words that the target must have a prompt for; see Target.script. */
  readonly script?: readonly string[];
  /** Connections must be able to send binary messages. */
  readonly binary?: boolean;
  /** Connections must be able to send bytes as they stand: a program on stdio. */
  readonly raw?: boolean;
}

/** What is said of every check, whichever way it is tried. */
export interface Description {
  /** Stable: protocol, section and number, e.g. `pi-server/7.4-39`; of clients `pi-server/client/7.4-39`. */
  readonly id: string;
  /** Section of the specification, as `sections.ts` of the protocol names it. */
  readonly section: string;
  readonly level: Level;
  /** `measured`: the specification is silent, and this is what its own implementation does. */
  readonly basis: 'specification' | 'measured';
  /** What is to be so, as a sentence. */
  readonly sentence: string;
  /** The kinds of message that it looks at, as `sections.ts` of the protocol names them. */
  readonly covers?: readonly string[];
}

/** A check that does something of its own. `Stage` is what the set of checks gives to each to play on. */
export interface Check<Context> extends Description {
  /** What is done. */
  readonly input: string;
  /** What must come of it. */
  readonly expected: string;
  readonly needs?: Needs;
  /** Resolves when it is so. Rejects with a {@link PeerWrong}, {@link CannotTell} or {@link NotApplicable}. */
  run(context: Context): Promise<void>;
}

/** One message on one connection. */
export interface LoggedMessage {
  /** Ms since the connection was made. */
  readonly at: number;
  readonly by: 'us' | 'peer';
  readonly text: string;
  /** Undefined where the text is not JSON. */
  readonly json?: unknown;
  /** What came was no frame: `text` says why. */
  readonly isFault?: true;
}

/** A connection to the peer, with all that was said on it. */
export interface Connection {
  readonly label: string;
  readonly log: readonly LoggedMessage[];
  /** Why it is over; null while it is not. */
  readonly ended: string | null;
  send(text: string): void;
  /** Absent where the transport has no binary messages, or none of ours. */
  sendBinary?(text: string): void;
  /** Writes the text as it stands, without a frame around it. Absent where the transport has frames of its own. */
  sendRaw?(text: string): void;
  /** Ends what the peer reads, and goes on listening. Absent where {@link sendRaw} is. */
  endInput?(): void;
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
  readonly transport: Transport;
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
  readonly conversations: readonly Conversation[];
  /** Where in them the peer is wrong, for rules. */
  readonly breaches?: readonly Breach[];
}

/** All that was said on one connection. */
export interface Conversation {
  readonly connection: string;
  readonly log: readonly LoggedMessage[];
  /** The scenario that it was said in, for rules. */
  readonly scenario?: string;
}

/** A message that breaks a rule. */
export interface Breach {
  /** Index in the conversations of the result, and of the message in it. */
  readonly conversation: number;
  readonly message: number;
  readonly says: string;
}

/** The peer breaks the rule. */
export class PeerWrong extends Error {
  override readonly name = 'PeerWrong';
  /** The rule that says so, where a scenario tries several. */
  readonly check: string | undefined;
  constructor(message: string, check?: string) {
    super(message);
    this.check = check;
  }
}

/** What the check builds upon did not work, so it says nothing about its rule. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}

/** There is nothing to check at this peer. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
