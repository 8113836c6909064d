// The contract of a protocol: a backend for its agents, a frontend and a projection for its clients. All are sans-IO.

import type { Burst } from '../model/burst.ts';
import type { Command, CommandType } from '../model/command.ts';
import type { Message } from '../model/content.ts';
import type { Outcome } from '../model/errors.ts';
import type { Event, EventType, Logged } from '../model/event.ts';
import type { SessionSummary } from '../model/outcome-data.ts';
import type { BroughtServer } from '../model/session-info.ts';
import type { Transcript } from '../model/transcript.ts';
import type { BreakerLimits } from './breaker-limits.ts';
import type { Broadcast } from './broadcast.ts';
import type { Channel, CloseCode, Frame, FrameFault, Out, Peek, Splice } from './channel.ts';
import type { Instructions } from './instructions.ts';
import type { LedgerLimits } from './ledger-limits.ts';
import type { LimitRule } from './limit-rule.ts';
import type { FrameEntry } from './reader.ts';
import type { Stretch, StretchPart } from './stretch.ts';
import type { Receipt, Ticket } from './ticket.ts';

/** The only access of a machine to the outside world. */
export interface Env {
  /** A clock, ms. The origin is arbitrary; only differences count. */
  now(): number;
  /** A fresh id. `kind` says what the id is for. */
  id(kind: string): string;
}

/**
 * `loss`: the other protocol has no shape for something. `repair`: the order of events was mended. `violation`: the
 * peer broke its protocol. `internal`: a fault of the gateway ended a stream, a client or an agent.
 */
export type NoteLevel = 'loss' | 'repair' | 'violation' | 'internal';

/** How to start an agent: further arguments for its program, and the options of its adapter. */
export interface AgentLaunch {
  readonly argv: readonly string[];
  readonly options: Options;
}

/** A session that a client subscribes to. For connections that carry several sessions (decision 0016). */
export interface SubscriptionRequest {
  readonly session: string;
  /** The client's own name for the session, if any. The projection uses this name as the session id. */
  readonly as?: string;
  /** Facts about the client that the connection has learned since it began; see {@link FrontendSide.projection}. */
  readonly dialect?: string;
}

/** How a subscription ends. */
export interface SubscriptionEnd {
  /** What the session has said until now is still sent. */
  readonly isDrained?: true;
  /** Then the session ends, unless another client uses it. A session that is kept can be opened again. */
  readonly closes?: true;
}

/** A request of a machine to its driver. Plain data: tests compare actions with toEqual. */
export type Action<Message> =
  /**
   * Passes a canonical message inwards. Connections that carry several sessions name the session. `ticket`: the place
   * of the message among the commands of all clients of this protocol (decision 0018).
   */
  | { readonly do: 'deliver'; readonly message: Message; readonly session?: string; readonly ticket?: Ticket }
  /**
   * Subscribes the peer to a session. For connections that carry several sessions. A repeated subscription with the
   * same name and dialect has no effect; with another name or dialect the subscription starts over with a snapshot.
   */
  | ({ readonly do: 'subscribe' } & SubscriptionRequest)
  | ({ readonly do: 'unsubscribe'; readonly session: string } & SubscriptionEnd)
  /** Sends a frame to the peer. Covers replies at protocol level that core never sees. */
  | { readonly do: 'send'; readonly frame: Out }
  /** Answers the command with this id (backends only). Later answers to the same id are ignored. */
  | { readonly do: 'settle'; readonly id: string; readonly outcome: Outcome }
  | { readonly do: 'note'; readonly level: NoteLevel; readonly text: string }
  /** (Re)starts the timer with this name; `null` stops the timer. `onTimer(id)` follows. */
  | { readonly do: 'timer'; readonly id: string; readonly ms: number | null }
  /** `limit`: the peer has reached a limit that ends it. */
  | { readonly do: 'close'; readonly code: CloseCode; readonly reason: string; readonly limit?: LimitRule };

/** The backend's view of a frame that was recognised by its first bytes; see RecognisedFrame for the fields. */
export interface RecognisedEvent {
  readonly next: number;
  readonly ending: Uint8Array;
  readonly splice: Splice | null;
  /** Consumes the frame. Returns the single event that `decode` would have delivered for this frame. */
  accept(): Event;
}

/** The backend's view of consecutive frames that were recognised as deltas of one block and what comes before each. */
export interface RecognisedBurst {
  /** Offset behind the last of them. */
  readonly next: number;
  /** Consumes the frames. Returns what `decode` would have delivered for them, one event each. */
  accept(): Burst;
}

/** One agent connection; the gateway plays the client. Synchronous and total: never throws. */
export interface Backend {
  /** The agent reads the contexts of a prompt itself. Otherwise the session reads them first (context-text.ts). */
  readonly takesContexts?: boolean;
  /**
   * The agent remembers the permissions that it suggests. Otherwise the session remembers them (standing-approvals.ts).
   */
  readonly keepsPermissions?: boolean;
  /** The options of a question are suggestions: the agent takes an answer in other words as well. */
  readonly takesOtherAnswers?: boolean;
  /** Called once when the channel is open. */
  start?(): Action<Event>[];
  decode(frame: Frame): Action<Event>[];
  /** Recognises frames of the hot path without decoding them. Null: `decode` must read the frame (decision 0011). */
  recognise?(peek: Peek, start: number, end: number): RecognisedEvent | null;
  /**
   * Recognises as many whole frames from byte `start` on as are consecutive deltas of one block, or each such delta and
   * a frame before it, each of at most `maxFrameBytes`. Null: fewer than two frames are.
   */
  recogniseBurst?(peek: Peek, start: number, end: number, maxFrameBytes: number): RecognisedBurst | null;
  /**
   * Passes a command to the agent. `id` is the gateway's own and returns in `settle`, exactly once unless the channel
   * ends first. A prompt that succeeds gives exactly one run (a synthetic run if the agent shows none), unless the
   * prompt joins the open run.
   */
  encode(command: Command, id: string): Action<Event>[];
  onTimer?(timer: string): Action<Event>[];
  /** The session is over and its channel is about to close. Returns the last frames for the agent. */
  leave?(): Action<Event>[];
  /**
   * Replaces the history of the agent with these messages, oldest first. Called before the first command, and between
   * runs when the session cuts its conversation (forks.ts). Only for agents that keep no sessions themselves.
   */
  restoreHistory?(messages: readonly Message[]): void;
  /** The channel ended. Last chance to deliver events that were held back. The session closes the run itself. */
  end?(): Action<Event>[];
}

/** Several frames that replace one frame, in order. */
export interface Frames {
  readonly frames: readonly Out[];
}

/** One client connection; the gateway plays the agent: handshakes, requests, replies. Synchronous and total. */
export interface Frontend {
  start?(): Action<Command>[];
  decode(frame: Frame): Action<Command>[];
  /** The client sent bytes that never became a frame. */
  fault(fault: FrameFault): Action<Command>[];
  /** The outcome of a command that `decode` delivered (the same object). `receipt`: for commands with a ticket. */
  reply(command: Command, outcome: Outcome, receipt?: Receipt): Action<Command>[];
  /** A message for all clients of this protocol. */
  onBroadcast?(broadcast: Broadcast): Action<Command>[];
  /**
   * Maps each outgoing frame of this client, in wire order; replies and broadcasts included. Null drops the frame.
   * Absent: frames go out unchanged.
   */
  mapOutgoing?(out: Out): Out | Frames | null;
  /**
   * Maps frames of deltas that were made together, as `mapOutgoing` does with each. Null: each must be mapped by itself.
   * Absent: as null where there is `mapOutgoing`, else they go out unchanged.
   */
  mapStretch?(part: StretchPart): StretchPart | null;
  /**
   * Called with the answer to `subscribe`, before the first frame of the session. `session.id` is the real id of the
   * session.
   */
  subscribed?(session: SessionView): void;
  /** A session that this connection subscribed to is over, or the subscription failed. No more frames of it follow. */
  sessionEnded?(session: string, reason: string): Action<Command>[];
  onTimer?(timer: string): Action<Command>[];
  end?(): Action<Command>[];
}

/** Facts about an agent that are known before its first frame. */
export interface AgentKind {
  readonly protocol: string;
  /** Commands that the protocol has a shape for, and commands that the session carries out in the agent's place. */
  readonly commands: ReadonlySet<CommandType>;
}

/**
 * The part of a session that its projections may see. `transcript` is the fold up to and including the current event.
 * For a late client a fresh projection over a fresh view gets the shortest events that lead to the present state
 * (replay.ts). A projection therefore has one code path for live events and for snapshots.
 */
export interface SessionView {
  readonly id: string;
  readonly epoch: string;
  /** Wall clock, ms since 1970, when the session clock was 0: `timeOrigin + logged.at` is the time of day. */
  readonly timeOrigin: number;
  /** Working directory of the agent, if known. For agents that do not report one (SessionInfo.cwd). */
  readonly place?: string | undefined;
  readonly transcript: Transcript;
  /** Absent if the agent is unknown. */
  readonly agent?: AgentKind | undefined;
}

/** Something that the projection of another dialect could not say. */
export interface DialectLoss {
  /** Whose clients miss it: the id of a protocol. */
  readonly dialect: string;
  /** The words of the loss note. */
  readonly text: string;
}

/** The part of a projection that writes bursts. Writes the same frames as `event` does for each delta. */
export interface BurstProjection {
  /** Absent: bursts with {@link Burst.asides} are not taken, and `takes` is not asked. */
  readonly takesAsides?: true;
  /** Whether {@link BurstProjection.write} may be called for that burst now: each event gives exactly one frame. */
  takes(burst: Burst): boolean;
  /**
   * The frames of the events from place `from` to before place `to`. `seq`: of event `from`; the others follow it. `at`:
   * of all of them, see Logged.
   */
  write(burst: Burst, seq: number, from: number, to: number, at: number): Stretch;
}

/**
 * The events of a session as frames of one dialect. Deterministic; made once per (session, dialect, options) and shared
 * by all clients of that combination. Ids on the wire derive from (epoch, seq, place), so a replay equals the live
 * frames.
 */
export interface Projection {
  /**
   * True if each delta repeats the message so far. While all readers are behind, deltas of one block are then joined
   * into one event, with the place of the last.
   */
  readonly mergesDeltas?: boolean;
  /** Writes many deltas at once. Absent: `event` is called for each. */
  readonly bursts?: BurstProjection | undefined;
  /** Called once for each logged event, in order. `logged.replay` marks events that are replayed for a late client. */
  event(logged: Logged): readonly Out[];
  /** Takes the notes (losses) that were collected since the last call. */
  notes?(): readonly { level: NoteLevel; text: string }[];
  /** Tells a loss of another dialect of the session, or of its agent. Absent: the dialect has no words for losses. */
  loss?(loss: DialectLoss): readonly Out[];
}

/** Events and commands that a protocol can express. Drives refusals, losses, docs and tests. */
export interface Capabilities {
  /** Events that the protocol has a shape for. */
  readonly events: readonly EventType[];
  /** Commands that the protocol has a shape for. */
  readonly commands: readonly CommandType[];
}

/**
 * Names of framings; the transports implement them. `text`: a WebSocket message is a frame. `lines`: a WebSocket
 * message holds one or more frames, each ended by LF.
 */
export type FramingName = 'jsonl' | 'content-length' | 'text' | 'lines' | 'event-stream';

/**
 * How the frames of a protocol travel as server-sent events and posts, for protocols that wrap them. All pure; the
 * transports use one half for clients and the other half for agents. Without `posted`, `acceptedBody` and `post`, posts
 * carry bare frames.
 */
export interface EventEnvelope {
  /**
   * Wraps a frame as an event. The `id` of the event, if any, comes back as Last-Event-ID and is a cursor like that of
   * a bare frame. `isMissed`: the client was away when the frame was made. Null: the frame is only for clients that are
   * live.
   */
  wrap(
    entry: FrameEntry,
    isMissed: boolean,
  ): { readonly event: string; readonly id?: string; readonly data: Out } | null;
  /** The event for a client that resumes at a place that is gone. A snapshot follows. */
  lost(reason: string): { readonly event: string; readonly data: string };
  /**
   * The frames in the body of a client's post, as JSON values. A repeated `id` (the client missed our answer) counts
   * once. Throws a GatewayError `invalid`.
   */
  posted?(body: unknown): readonly { readonly frame: unknown; readonly id?: string | undefined }[];
  /** The response body for a post that was in order. */
  readonly acceptedBody?: string;
  /** A machine that reads the event stream of one agent. */
  reader(): EventReader;
  /** The body of a post to an agent. */
  post?(frames: readonly string[]): string;
}

/** Reads the events of one agent, across all reconnections of its stream. Synchronous. */
export interface EventReader {
  /**
   * The frame in an event, or the reason why the agent has lost our place. Null: the event has no meaning for us.
   * Throws a GatewayError `bad-frame`.
   */
  read(event: string, data: string): { readonly frame: string } | { readonly lost: string } | null;
  /** Called when a cut stream resumes behind the last id. Events that are only sent live were missed. */
  resumed(): void;
}

/** Adapter options from the configuration or a URL's query: strings or JSON values, checked by the adapter. */
export type Options = Readonly<Record<string, unknown>>;

/** Limits of a protocol for all its clients together. Times in ms. */
export interface FrontendLimits {
  readonly ledger: LedgerLimits;
  /** For agents and for shells. */
  readonly breaker: BreakerLimits;
  /** Longest frame of a client, bytes. */
  readonly maxFrameBytes: number;
  /** Open questions in sessions that these clients open are cancelled after this time. */
  readonly questionMs: number;
  /** How long runs may continue after a shutdown was requested. */
  readonly drainMs: number;
}

/** The client side of a protocol for one set of options. */
export interface FrontendSide {
  /** The options as one canonical string. Clients with equal keys share a projection. */
  readonly key: string;
  /**
   * A connection carries many sessions: the client opens them (`create-session`), names one with each command and
   * subscribes to some. Exception: connections that are bound to one session, as those behind posts always are.
   */
  readonly isMultiplexed?: true;
  /** Set if commands carry tickets. Their ledger has these bounds, the same for all options. */
  readonly limits?: FrontendLimits;
  /** The first frames for each reader of a stream, for readers without a connection of their own. */
  greeting?(): readonly Out[];
  /**
   * A machine for one connection. `session`: the session that the connection is bound to; absent if it carries many.
   */
  connection(session?: SessionView): Frontend;
  /** `dialect`: from the connection's SubscriptionRequest; absent for readers without a connection of their own. */
  projection(session: SessionView, dialect?: string): Projection;
}

/** The dependencies of a library's wire. */
export interface WirePorts {
  frameOf(bytes: Uint8Array): Frame;
  /** Longer frames are reported as a fault. */
  readonly maxFrameBytes: number;
}

/** Routing for agents that carry many sessions over one channel. */
export interface Multiplexing {
  /**
   * The session that a frame is for, by the `name` that {@link AgentAdapter.backend} was given. Null: all sessions get
   * the frame. `isGreeting`: sessions that join later get the frame too, as their first.
   */
  route(frame: Frame): { readonly name: string | null; readonly isGreeting?: boolean };
  /**
   * The session that an uncut frame at byte `start` seems to be for, by its first bytes: the backend of that session is
   * asked to recognise the frame. Null: none. Absent: no frames are recognised.
   */
  seemsFor?(peek: Peek, start: number, end: number): string | null;
}

/** The session files of a protocol's agents. Pure: the gateway reads and writes the files. */
export interface StoredFormat {
  /** Folders below the user's home that hold the files, directly or in subfolders, e.g. `.tool/sessions`. */
  readonly folders: readonly string[];
  /** Folders below a project that may hold such files. */
  readonly inProject?: readonly string[];
  /** File name extensions, with the dot. */
  readonly endings: readonly string[];
  /** The summary of the session in a file with that text. Null if the text is no such file. */
  read(text: string): Omit<SessionSummary, 'file' | 'exists' | 'modifiedAt'> | null;
  /**
   * Copies a session: the text of a file with the same history and this id. `from`: path of the original file. Null if
   * the text is no such file. Absent: sessions cannot be copied.
   */
  copy?(text: string, as: { readonly id: string; readonly createdAt: string; readonly from: string }): string | null;
}

/** The conversation, stored by the agent itself, that a new agent is to go on with. */
export interface Resumption {
  /** The agent's own name for it: SessionInfo.resume of an earlier agent, or what a client has named. */
  readonly name: string;
  /**
   * The session knows what was said; the agent need not tell. An agent that no longer has the conversation begins anew
   * and delivers {@link beginsAnew}. False: the agent tells what was said if it can, and fails without the conversation.
   */
  readonly isKnown: boolean;
}

/** The notice that an agent remembers nothing. */
export const beginsAnew = 'A new agent was started; it does not remember what was said before.';

/** How the agents of a protocol go on with conversations that they have stored themselves. */
export interface AgentResumption {
  /** Why no client may have an agent open that name, as the rest of a sentence; null if it may (docs/threats.md T9). */
  fault(name: string): string | null;
  /**
   * Adds the conversation to the launch of a program. The gateway starts no other agents of the protocol with one. Absent:
   * the backend opens the conversation.
   */
  launch?(start: AgentLaunch, name: string): AgentLaunch;
}

/** Facts about the agents of a protocol that are known without their code. */
export interface AgentTraits {
  /** The agents are part of the gateway: they need neither a program nor an address. */
  readonly isBuiltIn?: true;
  /** The agents can be started with instructions for the model: {@link AgentAdapter.withInstructions} exists. */
  readonly takesInstructions?: true;
  /** The agents take tool servers that a client brings along: {@link AgentAdapter.backend} reads them. */
  readonly takesToolServers?: true;
  /** The agents keep conversations, and the backend opens one by its name: {@link AgentAdapter.resumes}, without a launch. */
  readonly keepsConversations?: true;
}

/** Facts about the clients of a protocol that are known without their code. */
export interface ClientTraits {
  /** `frontend` reads its `settings`. Without this, settings in the configuration or the environment are an error. */
  readonly hasSettings?: true;
  /** On stdio, frames of no bytes are delivered to the frontend. Without this they are skipped. */
  readonly acceptsEmptyFrames?: true;
  /** False: a late client gets the open run and nothing before. The clients of such a protocol ask for the history. */
  readonly replaysHistory?: false;
  /** The header by which the answer to an upgrade names the connection. Absent: connections have no names. */
  readonly connectionHeader?: string;
}

/** A protocol without its code: the data that lists, checks of configurations and command lines need. */
export interface Protocol {
  readonly id: string;
  /** One line for `--help` and the docs. */
  readonly title: string;
  readonly framing: { readonly stdio: FramingName; readonly websocket: FramingName; readonly sse: FramingName };
  readonly can: Capabilities;
  /** Absent: no agents speak this protocol. */
  readonly agent?: AgentTraits;
  /** Absent: no clients speak this protocol. */
  readonly client?: ClientTraits;
}

/** The agent side of a protocol. */
export interface AgentAdapter extends AgentTraits {
  /**
   * A machine for one connection. `folders`: where the user works. `name`: a unique name of the session, for agents
   * with {@link multiplexing}. `resume`: only if {@link resumes}. `toolServers`: from the client, if
   * {@link AgentTraits.takesToolServers}; secret. Throws a GatewayError `invalid` for options that the agent cannot take.
   */
  backend(
    env: Env,
    options: Options,
    folders?: readonly string[],
    name?: string,
    resume?: Resumption,
    toolServers?: readonly BroughtServer[],
  ): Backend;
  /**
   * For an agent that is a library instead of a program or an address: stands in for the wire. The only place in an
   * adapter that does I/O (decision 0014).
   */
  connect?(options: Options, ports: WirePorts): Channel;
  /** One channel carries all sessions of such an agent. */
  readonly multiplexing?: Multiplexing;
  /**
   * Whether a client on the network may pass this `unknown` command to the agent: the command names no program, path or
   * setting of the machine. Absent: all are allowed.
   */
  allowsPassthrough?(payload: unknown): boolean;
  /** Adds instructions for the model to a launch. Absent: these agents cannot be started with instructions. */
  withInstructions?(start: AgentLaunch, instructions: Instructions): AgentLaunch;
  /** The agents go on with stored conversations and report their name in SessionInfo.resume. Absent: they cannot. */
  readonly resumes?: AgentResumption;
  /** The agents keep their sessions as files themselves. */
  readonly stored?: StoredFormat;
}

/** The client side of a protocol. */
export interface ClientAdapter extends ClientTraits {
  /**
   * `options`: from the client. `settings`: from the configuration, for all clients. Throws a GatewayError `invalid`
   * for values that the protocol cannot take.
   */
  frontend(env: Env, options: Options, settings?: Options): FrontendSide;
}

/** A protocol with its code: both sides, or those that were loaded (adapters/protocols.ts). */
export interface Adapter extends Protocol {
  /**
   * The envelope of frames over server-sent events; undefined for bare frames. `options`: of the client or of the agent
   * at the other end.
   */
  envelope?(options: Options): EventEnvelope | undefined;
  /** Absent: no agents speak this protocol, or their code is not loaded. */
  readonly agent?: AgentAdapter;
  /** Absent: no clients speak this protocol, or their code is not loaded. */
  readonly client?: ClientAdapter;
}
