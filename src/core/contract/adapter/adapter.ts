// The contract of a protocol: a backend for its agents, a frontend and a projection for its clients. All are sans-IO.
import type { CommandType } from '../../model/command.ts';
import type { EventType } from '../../model/event.ts';
import type { BroughtServer } from '../../model/session-info.ts';
import type { Channel, Frame, Peek } from '../channel.ts';
import type { Env } from './action.ts';
import type { Backend } from './backend.ts';
import type { EventEnvelope } from './event-envelope.ts';
import type { FrontendSide } from './frontend.ts';
import type { Instructions } from './instructions.ts';
import type { AgentLaunch, Options } from './launch.ts';
import type { AgentResumption, Resumption, StoredFormat } from './stored-conversations.ts';

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
