// The contract of a check: its description, the tools that the runner gives it, and its result.

/** Requirement level in the specification (RFC 2119). */
export type Level = 'MUST' | 'SHOULD' | 'MAY';

/** Limits that the peer is started with, by the names that the check set uses. */
export type Settings = Readonly<Record<string, number>>;

/** The transport to a peer. `memory`: the peer runs in this process. */
export type Transport = 'websocket' | 'sse' | 'stdio' | 'memory';

/** The requirements of a check. A check with unmet requirements is not applicable. */
export interface Needs {
  /** Default: any. */
  readonly transport?: Transport;
  /** Simultaneous connections; default 1. */
  readonly connections?: number;
  /** The peer must be started with these limits. */
  readonly settings?: Settings;
  /** The check needs a peer of its own, because it uses up the peer's capacity or ends the peer. */
  readonly exclusive?: boolean;
  /** Names of prompts that the target must define; see Target.script in runner/target.ts. */
  readonly script?: readonly string[];
  /** Connections must be able to send binary messages. */
  readonly binary?: boolean;
  /** Connections must be able to send raw bytes: a program on stdio. */
  readonly raw?: boolean;
}

/** The description of a check or rule. */
export interface Description {
  /** Stable id: `<protocol>/<words>` for agents, `<protocol>/client/<words>` for clients. */
  readonly id: string;
  /** Heading of the specification, as the `coverage.ts` of the protocol names it. */
  readonly section: string;
  readonly level: Level;
  /** `measured`: the specification is silent, and its own implementation behaves this way. */
  readonly basis: 'specification' | 'measured';
  /** The requirement, as a sentence. */
  readonly sentence: string;
  /** Kinds of message that the check looks at, as the `coverage.ts` of the protocol names them. */
  readonly covers?: readonly string[];
}

/** A check that acts on the peer itself. `Context` is what the check set hands to each check. */
export interface Check<Context> extends Description {
  /** The actions of the check. */
  readonly input: string;
  /** The expectation of the check. */
  readonly expected: string;
  readonly needs?: Needs;
  /**
   * Resolves when the requirement is met. Rejects with a {@link PeerWrong}, {@link CannotTell} or {@link
   * NotApplicable}.
   */
  run(context: Context): Promise<void>;
}

/** One message on one connection. */
export interface LoggedMessage {
  /** Ms since the connection was opened. */
  readonly at: number;
  readonly by: 'us' | 'peer';
  readonly text: string;
  /** Undefined where the text is not JSON. */
  readonly json?: unknown;
  /** The peer sent something that is no frame; `text` holds the reason. */
  readonly isFault?: true;
}

/** A connection to the peer, with a log of all messages in both directions. */
export interface Connection {
  readonly label: string;
  readonly log: readonly LoggedMessage[];
  /** Why the connection ended; null while the connection is open. */
  readonly ended: string | null;
  send(text: string): void;
  /** Sends a binary message. Absent if the transport cannot. */
  sendBinary?(text: string): void;
  /** Writes the text without a frame around it. Absent where the transport has frames of its own. */
  sendRaw?(text: string): void;
  /** Ends the peer's input and keeps reading its output. Absent where {@link sendRaw} is absent. */
  endInput?(): void;
  /**
   * Resolves with the first value that `look` finds, now or after a later message or the end. Rejects with a {@link
   * PeerWrong} when the patience runs out or the connection ends.
   */
  until<Value>(label: string, look: () => Value | undefined): Promise<Value>;
  /** Closes the connection from our side. */
  close(): Promise<void>;
}

/** The runner's tools for one check. */
export interface Tools {
  /** A word that is unique across checks and runs. */
  readonly nonce: string;
  readonly transport: Transport;
  /** The folder in which the peer works, as an absolute path, for checks that must name one. */
  readonly folder: string;
  /** Opens the next connection to the peer of this check. */
  connect(): Promise<Connection>;
  /** The prompt for a script word. Throws a {@link NotApplicable} where the target has none. */
  script(word: string): string;
  /** Sends the peer's process a SIGTERM. */
  terminate(): void;
  /**
   * Resolves with the way in which the peer's process ended. Rejects with a {@link PeerWrong} when the patience runs
   * out.
   */
  exit(): Promise<string>;
  /** Waits this long. Only for what nothing but time can show. */
  pause(ms: number): Promise<void>;
  /** How long a check waits for one message, ms. */
  readonly patienceMs: number;
  /** Registers a cleanup step. Cleanup steps run after the check, last registered first. */
  atEnd(undo: () => Promise<void>): void;
}

/** `failed`: the peer violates the requirement. `unclear`: the check could not decide. */
export type Verdict = 'passed' | 'failed' | 'unclear' | 'not-applicable';

/** The result of one check. */
export interface Result {
  readonly id: string;
  readonly verdict: Verdict;
  /** The reason, for every verdict but `passed`. */
  readonly reason?: string;
  readonly ms: number;
  /** The conversations, one for each connection. */
  readonly conversations: readonly Conversation[];
  /** For an unclear rule: the check that failed in the scenario, so that this rule could not be tried. */
  readonly because?: string;
  /** For rules: the messages that violate the rule. */
  readonly breaches?: readonly Breach[];
}

/** All messages of one connection. */
export interface Conversation {
  readonly connection: string;
  readonly log: readonly LoggedMessage[];
  /** For rules: the scenario that produced the conversation. */
  readonly scenario?: string;
}

/** A message that violates a rule. */
export interface Breach {
  /** Index into the conversations of the result; `message` is an index into that conversation's log. */
  readonly conversation: number;
  readonly message: number;
  readonly says: string;
}

/** The peer violates a requirement. */
export class PeerWrong extends Error {
  override readonly name = 'PeerWrong';
  /** The rule that states the requirement, where a scenario touches several rules. */
  readonly check: string | undefined;
  constructor(message: string, check?: string) {
    super(message);
    this.check = check;
  }
}

/** A precondition of the check failed, so the check says nothing about its own requirement. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}

/** The requirement does not apply to this peer. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
