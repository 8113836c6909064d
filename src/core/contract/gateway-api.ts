// What the HTTP routes need of the gateway: a port, so that the transport knows no protocol and no session.
import type { Channel, FrameFault } from './channel.ts';
import type { EventEnvelope, FramingName, Options } from './adapter.ts';
import type { Reader } from './reader.ts';

/** A session as the REST routes show it. */
export interface OpenSession {
  readonly id: string;
  readonly agent: string;
  readonly state: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly clients: number;
}

/** An agent as `GET /v1/agents` shows it: never its command, directory or environment (docs/threats.md T8). */
export interface AgentSummary {
  readonly name: string;
  readonly protocol: string;
  readonly title: string;
}

/** Which client wants in, and where. */
export interface ClientRequest {
  /** Frontend id from the path; checked by the board. */
  readonly frontend: string;
  readonly session?: string;
  readonly agent?: string;
  /** The query parameters that are left over: adapter options. */
  readonly options: Options;
  /** Who the token belongs to. */
  readonly principal: string;
}

/** A frame that a client posted; see EventEnvelope.posted for its id. */
export interface PostedFrame {
  readonly bytes: Uint8Array;
  readonly id?: string | undefined;
  /** Of its bytes, where the id is the client's word for a post and says nothing of the frame. */
  readonly digest?: string;
}

/** The answer to posted frames: accepted, or the protocol's own error frames. */
export type PostResult = { readonly ok: true } | { readonly ok: false; readonly frames: readonly string[] };

/** The gateway, seen from HTTP. Every method throws a GatewayError (`not-found`, `invalid`, `limit`, …) to refuse. */
export interface GatewayApi {
  agents(): readonly AgentSummary[];
  sessions(): readonly OpenSession[];
  session(id: string): OpenSession;
  createSession(request: { agent?: string; id?: string; cwd?: string }, principal: string): OpenSession;
  /** Ends the session and its agent. */
  closeSession(id: string): void;
  /** Checks a WebSocket request before the upgrade; throws to refuse it. Returns how messages hold its frames. */
  check(request: ClientRequest): FramingName;
  /** Longest frame of that frontend's clients, bytes, where it has its own; without an id, of any frontend. */
  maxFrameBytes?(frontend?: string): number | undefined;
  /** Hands over an upgraded WebSocket. */
  connect(channel: Channel, request: ClientRequest): void;
  /** How the frames of an SSE client travel, both ways; undefined where they go bare. */
  envelope(request: ClientRequest): EventEnvelope | undefined;
  /** Opens a stream of frames for SSE. `cursor` comes from Last-Event-ID or `?cursor=`, unchecked. */
  stream(request: ClientRequest & { session: string }, cursor: string | null): Reader;
  /** Frames that the client of a stream posted. */
  post(request: ClientRequest & { session: string }, frames: readonly PostedFrame[]): PostResult;
  /** The protocol's own error frames for a body that never became frames. */
  refuse(request: ClientRequest & { session: string }, fault: FrameFault): readonly string[];
  /** Prometheus text for `GET /metrics`. */
  metrics(): string;
  ready(): boolean;
}
