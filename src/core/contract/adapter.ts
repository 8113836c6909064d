// The contract of a protocol: two sans-IO machines and a projection. Knows no protocol itself.
import type { BreakerLimits } from './breaker-limits.ts';
import type { Channel, CloseCode, Frame, FrameFault, Peek, Out, Splice } from './channel.ts';
import type { Command, CommandType } from '../model/command.ts';
import type { Message } from '../model/content.ts';
import type { Outcome } from '../model/errors.ts';
import type { Event, EventType, Logged } from '../model/event.ts';
import type { Instructions } from './instructions.ts';
import type { LedgerLimits } from './ledger-limits.ts';
import type { Receipt, Ticket } from './ticket.ts';
import type { Broadcast } from './broadcast.ts';
import type { SessionSummary } from '../model/outcome-data.ts';
import type { FrameEntry } from './reader.ts';
import type { Transcript } from '../model/transcript.ts';

/** The whole outside world of a machine: a clock (ms, monotonic enough to subtract) and a source of ids. */
export interface Env {
  now(): number;
  id(kind: string): string;
}

/** `loss`: could not be said in the other protocol. `repair`: order mended. `violation`: the peer broke its protocol. */
export type NoteLevel = 'loss' | 'repair' | 'violation';

/** How an agent is started: the words behind its program's name and own arguments, and the options of its adapter. */
export interface AgentLaunch {
  readonly argv: readonly string[];
  readonly options: Options;
}

/** Which session a client is to hear, where its connection carries several (decision 0016). */
export interface SubscriptionRequest {
  readonly session: string;
  /** The client's own name for it, if it has one: what the projection takes for the session's id. */
  readonly as?: string;
  /** What the connection has learned of its client since it began; see FrontendSide.projection. */
  readonly dialect?: string;
}

/** What a machine asks for: plain data, compared with toEqual in tests. */
export type Action<Message> =
  /**
   * A canonical message, inwards. Connections that carry several sessions name the one they mean. `ticket`: its place among
   * the commands of all clients of this protocol (decision 0018).
   */
  | { readonly do: 'deliver'; readonly message: Message; readonly session?: string; readonly ticket?: Ticket }
  /**
   * Connections that carry several sessions: from now on the peer hears what that one says; see {@link Watch}. Again in
   * another way is anew, from a snapshot; again in the same way is nothing.
   */
  | ({ readonly do: 'subscribe' } & SubscriptionRequest)
  /** … and from now on no more. */
  | { readonly do: 'unsubscribe'; readonly session: string }
  /** A frame to the peer; also protocol-level replies that core never sees. */
  | { readonly do: 'send'; readonly frame: Out }
  /** The answer to the command of that id (backends only). Later answers to the same id are ignored. */
  | { readonly do: 'settle'; readonly id: string; readonly outcome: Outcome }
  | { readonly do: 'note'; readonly level: NoteLevel; readonly text: string }
  /** (Re)starts the timer of that name; `null` stops it. `wake(id)` follows. */
  | { readonly do: 'timer'; readonly id: string; readonly ms: number | null }
  | { readonly do: 'close'; readonly code: CloseCode; readonly reason: string };

/** A frame that was recognised by its first bytes; see Glance. */
export interface RecognisedEvent {
  readonly next: number;
  readonly ending: Uint8Array;
  readonly splice: Splice | null;
  /** Takes it in and returns the one event that `decode` would have delivered, and nothing else. */
  accept(): Event;
}

/** One agent connection (we play the client). Synchronous and total: it never throws. */
export interface Backend {
  /** It takes the contexts of a prompt as they are; for others the session reads them first (context-text.ts). */
  readonly takesContexts?: boolean;
  /** It keeps standing permissions, those that it suggests; for others the session keeps a yes (standing.ts). */
  readonly keepsPermissions?: boolean;
  /** Called once when the channel is open. */
  start?(): Action<Event>[];
  decode(frame: Frame): Action<Event>[];
  /** Recognises frames of the hot path without decoding them; null where `decode` must (decision 0011). */
  recognise?(peek: Peek, start: number, end: number): RecognisedEvent | null;
  /**
   * Ask the agent. `id` is ours and comes back in `settle`, exactly once unless the channel ends first. A prompt that
   * is settled well gives exactly one run (a synthetic one where the agent shows none), unless it joins the open run.
   */
  encode(command: Command, id: string): Action<Event>[];
  onTimer?(timer: string): Action<Event>[];
  /** The session is over, and its channel about to be closed: what the agent is to hear before. */
  leave?(): Action<Event>[];
  /**
   * What was said until now, oldest first: it goes on from there, and forgets anything else. Called before its first
   * command, and again between runs when the session cuts its conversation (forks.ts). Only for agents that keep no
   * sessions themselves.
   */
  restoreHistory?(messages: readonly Message[]): void;
  /** The channel ended: a last chance to deliver what was held back. The session closes the run itself. */
  end?(): Action<Event>[];
}

/** Frames that go out one after the other in the place of one. */
export interface Frames {
  readonly frames: readonly Out[];
}

/** One client connection (we play the agent): handshakes, requests, replies. Synchronous and total. */
export interface Frontend {
  start?(): Action<Command>[];
  decode(frame: Frame): Action<Command>[];
  /** The client sent bytes that never became a frame. */
  fault(fault: FrameFault): Action<Command>[];
  /** The outcome of a command that `decode` delivered (the same object). `receipt`: of one that had a ticket. */
  reply(command: Command, outcome: Outcome, receipt?: Receipt): Action<Command>[];
  /** What all clients of this protocol are told. */
  onBroadcast?(broadcast: Broadcast): Action<Command>[];
  /**
   * Each frame on its way to this client, its own answers and what all are told, in wire order: how it goes out to
   * this one, or null when it does not. Without it frames go as they are.
   */
  mapOutgoing?(out: Out): Out | Frames | null;
  /** The answer to `watch`, before anything of that session is said. `session.id` is its real id. */
  subscribed?(session: SessionView): void;
  /** A session that this connection watches is over, or could not be watched: nothing more of it will be said. */
  sessionEnded?(session: string, reason: string): Action<Command>[];
  onTimer?(timer: string): Action<Command>[];
  end?(): Action<Command>[];
}

/** What is known of an agent before it says anything. */
export interface AgentKind {
  readonly protocol: string;
  /** What it can be asked, as far as its protocol goes, or its session in its place. */
  readonly commands: ReadonlySet<CommandType>;
}

/**
 * What a projection may know of its session. `transcript` is the fold up to and including the current event.
 * A snapshot for a late client is made by a fresh projection over a fresh view, fed with the shortest events that
 * lead to today's state (replay.ts), so a projection never has a second way of speaking.
 */
export interface SessionView {
  readonly id: string;
  readonly epoch: string;
  /** Wall clock, ms since 1970, when the session clock was 0: `timeOrigin + logged.at` is the time of day. */
  readonly timeOrigin: number;
  /** The folder in which its agent works, as far as we know: for agents that do not tell (SessionInfo.cwd). */
  readonly place?: string | undefined;
  readonly transcript: Transcript;
  /** Absent where nobody says what agent is behind. */
  readonly agent?: AgentKind | undefined;
}

/**
 * What a session says in one dialect: deterministic, made once per (session, dialect, options) and shared by all
 * its clients. Ids that it puts on the wire derive from (epoch, seq, place), so a replay equals what was live.
 */
export interface Projection {
  /**
   * True where each delta repeats the message so far. While all its readers are behind, deltas of one block are joined
   * into one event, with the place of the last. Others see each event by itself.
   */
  readonly merges?: boolean;
  /** Called once for each logged event, in order. `logged.replay` marks what a late client is told again. */
  event(logged: Logged): readonly Out[];
  /** Notes collected since the last call (losses). */
  notes?(): readonly { level: NoteLevel; text: string }[];
}

/** What a protocol can express. Drives refusals, losses, docs and tests. */
export interface Capabilities {
  /** Events that the protocol has a shape for. */
  readonly events: readonly EventType[];
  /** Commands that the protocol has a shape for. */
  readonly commands: readonly CommandType[];
  /** Who comes late is told of the run that goes on, and of nothing before: its clients ask for that. */
  readonly tellsPast?: false;
}

/**
 * Names of framings; the transports know them. `text`: a WebSocket message is a frame. `lines`: a WebSocket message
 * holds frames that end in LF, one of them or several.
 */
export type FramingName = 'jsonl' | 'content-length' | 'text' | 'lines' | 'event-stream';

/**
 * How the frames of a protocol travel as server-sent events and posts where they do not go bare. All pure; the
 * transports use one half of it for clients and the other for agents. Without `posted`, `thanks` and `post` the posts do
 * go bare.
 */
export interface EventEnvelope {
  /**
   * The event of a frame; its `id`, if it has one, comes back as Last-Event-ID and is a cursor in either form.
   * `isMissed`: the client was away when it was said; null is returned for what is only said live.
   */
  wrap(
    entry: FrameEntry,
    isMissed: boolean,
  ): { readonly event: string; readonly id?: string; readonly data: Out } | null;
  /** What a client is told that comes back with a place that is gone: a snapshot follows. */
  lost(reason: string): { readonly event: string; readonly data: string };
  /**
   * The frames in what a client posted, as JSON values. What comes again under the same `id`, because the client did not
   * hear our answer, counts once. Throws a GatewayError `invalid`.
   */
  posted?(body: unknown): readonly { readonly frame: unknown; readonly id?: string | undefined }[];
  /** The answer to a post that was in order. */
  readonly acceptedBody?: string;
  /** A machine that reads the stream of one agent. */
  reader(): EventReader;
  /** The body of a post to an agent. */
  post?(frames: readonly string[]): string;
}

/** Reads the events of one agent, over all the connections that its stream takes. Synchronous. */
export interface EventReader {
  /**
   * The frame in an event, or why the agent has lost our place; null when it says nothing to us. Throws a GatewayError
   * `bad-frame`.
   */
  read(event: string, data: string): { readonly frame: string } | { readonly lost: string } | null;
  /** The stream was cut, and goes on behind the last id: what was only said live has been missed. */
  resumed(): void;
}

/** Adapter options as they come from configuration or a URL's query: strings or JSON values, checked by the adapter. */
export type Options = Readonly<Record<string, unknown>>;

/** What a protocol sets bounds to, for all its clients together. Times in ms. */
export interface FrontendLimits {
  readonly ledger: LedgerLimits;
  /** Of agents and of shells. */
  readonly breaker: BreakerLimits;
  /** Longest frame of a client, bytes. */
  readonly maxFrameBytes: number;
  /** Open questions of the sessions that its clients open are cancelled after this. */
  readonly questionMs: number;
  /** How long runs may go on when the gateway is told to stop. */
  readonly drainMs: number;
}

/** A protocol's side towards clients, for one set of options. */
export interface FrontendSide {
  /** The options in one canonical string: clients with equal keys share a projection. */
  readonly key: string;
  /**
   * Such a connection opens its sessions itself (`create-session`), names one with each command and says which it
   * watches; unless it was made for one session, as one behind posts always is.
   */
  readonly carries?: 'many';
  /** Set where commands carry tickets: their ledger is kept with these bounds. The same for all options. */
  readonly limits?: FrontendLimits;
  /** What each reader of a stream is sent first, where it has no connection of its own. */
  greeting?(): readonly Out[];
  /** A machine for one connection. `session` is the one it is bound to; absent where a connection carries many. */
  connection(session?: SessionView): Frontend;
  /** `dialect`: as the connection said when it began to watch; absent without a connection of its own. */
  projection(session: SessionView, dialect?: string): Projection;
}

/** What the wire of a library needs of the transports. */
export interface WirePorts {
  frameOf(bytes: Uint8Array): Frame;
  /** A longer frame is told as a fault. */
  readonly maxFrameBytes: number;
}

/**
 * Agents of which one carries many sessions over one channel: whom a frame is for. `name` is the word under which a
 * session's backend is known to it (`Adapter.backend`).
 */
export interface Multiplexing {
  /** All get the frame where nobody is named; `isGreeting`: those who come later get it as well, as their first. */
  route(frame: Frame): { readonly name: string | null; readonly isGreeting?: boolean };
}

/** What a protocol's agents leave behind as files, for those who list them. Pure: the gateway does the reading. */
export interface StoredFormat {
  /** Folders below the user's home that hold their files, in subfolders or not, e.g. `.tool/sessions`. */
  readonly folders: readonly string[];
  /** Folders below a project that may hold some of it. */
  readonly inProject?: readonly string[];
  /** Endings of such files, with the dot. */
  readonly endings: readonly string[];
  /** What the file of that text tells of its session; null when it is none. */
  read(text: string): Omit<SessionSummary, 'file' | 'exists' | 'modifiedAt'> | null;
  /**
   * The same session once more, as another one: the text of its file. `from`: the file that it was taken from. Null for
   * what is no such file; absent where there can be none.
   */
  again?(text: string, as: { readonly id: string; readonly createdAt: string; readonly from: string }): string | null;
}

/** A protocol. The registry (adapters/index.ts) holds one line for each. */
export interface Adapter {
  readonly id: string;
  /** One line for `--help` and the docs. */
  readonly title: string;
  readonly framing: { readonly stdio: FramingName; readonly websocket: FramingName; readonly sse: FramingName };
  /** On stdio its agents answer frames of no bytes; others pass over them. */
  readonly blank?: 'deliver';
  readonly can: Capabilities;
  /**
   * Whether a client on the network may have that `unknown` command passed to an agent of this protocol: it names no
   * program, no path and no setting of the machine. Absent: any.
   */
  allowsPassthrough?(payload: unknown): boolean;
  /** Set for options that ask for an envelope; those of a client and those of an agent. */
  envelope?(options: Options): EventEnvelope | undefined;
  /**
   * Agents that are neither a program nor an address but a library: it stands in for the wire, and is the only file of
   * an adapter that does I/O (decision 0014).
   */
  connect?(options: Options, ports: WirePorts): Channel;
  /**
   * `options` are the client's own; `settings` are the configuration's, for all clients. Throws a GatewayError `invalid`
   * for what it cannot take.
   */
  frontend?(env: Env, options: Options, settings?: Options): FrontendSide;
  /** `folders`: where its user works. `name`: of its session, no other has it. Throws a GatewayError `invalid` for options that it cannot take. */
  backend?(env: Env, options: Options, folders?: readonly string[], name?: string): Backend;
  /** `frontend` reads its `settings`; those of others are a mistake, and variables that look like theirs are none. */
  readonly settings?: true;
  /** One channel carries all sessions of such an agent. */
  readonly trunk?: Multiplexing;
  /** The same start with instructions for the model. Absent: its agents cannot be started with any. */
  withInstructions?(start: AgentLaunch, instructions: Instructions): AgentLaunch;
  /** Its agents keep their sessions themselves. */
  readonly stored?: StoredFormat;
}
