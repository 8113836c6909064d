// The gateway's interface for the HTTP routes.

import type { ErrorCode } from '../../model/errors.ts';
import type { FramingName } from '../adapter/adapter.ts';
import type { EventEnvelope } from '../adapter/event-envelope.ts';
import type { Options } from '../adapter/launch.ts';
import type { Channel, FrameFault } from '../channel.ts';
import type { Delivery } from '../delivery.ts';
import type { Limited } from '../limits/limit-rule.ts';
import type { Principal } from '../principal.ts';
import type { Reader } from '../reader.ts';
import type { ObstacleSource } from './obstacles.ts';

/** A session in the answers of the REST routes. */
export interface OpenSession {
  readonly id: string;
  readonly agent: string;
  /** `stored`: kept by the store and not open. */
  readonly state: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly clients: number;
  /** Of an open session only the inspector is told the name and the words. */
  readonly name?: string | undefined;
  /** The beginning of the first user message. */
  readonly firstWords?: string | undefined;
}

/** Which part of the sessions a page has: at most `limit` behind the id `after`. */
export interface SessionPageRequest {
  readonly limit: number;
  readonly after: string | null;
}

/** A part of the sessions. May have fewer than were asked for, even none, and still a `next`. */
export interface SessionPage {
  readonly sessions: readonly OpenSession[];
  /** Where the next page begins; absent: this is the last page. */
  readonly next?: string;
}

/** An agent in the answer of `GET /v1/agents`: never its command, directory or environment (docs/threats.md T8). */
export interface AgentSummary {
  readonly name: string;
  readonly protocol: string;
  readonly title: string;
}

/** A client that wants to connect, and where to. */
export interface ClientRequest {
  /** Frontend id from the path; checked by the gateway. */
  readonly frontend: string;
  readonly session?: string;
  readonly agent?: string;
  /** The remaining query parameters: adapter options. */
  readonly options: Options;
  /** Holder of the token. */
  readonly principal: Principal;
}

/** A frame that a client posted. `id`: see EventEnvelope.posted. */
export interface PostedFrame {
  readonly bytes: Uint8Array;
  readonly id?: string | undefined;
  /** Digest of the bytes, if the id is the client's own name for the post and does not identify the content. */
  readonly digest?: string;
}

/** What a request does with a session: reads its frames, says something that is answered among them, or anything else. */
export type SessionUse = 'read' | 'say' | 'command';

/**
 * Where another gateway is reached that has the session, an origin such as `http://10.0.0.1:8137`. Null: no other one has
 * it, or the use is served here.
 */
export type Elsewhere = (session: string, use: SessionUse) => Promise<string | null> | string | null;

/** The answer to posted frames: accepted, or error frames of the protocol. */
export type PostResult = { readonly ok: true } | { readonly ok: false; readonly frames: readonly string[] };

/**
 * The gateway as the HTTP routes see it. Each method throws a GatewayError (`not-found`, `invalid`, `limit`, …) to
 * refuse.
 */
export interface GatewayApi extends ObstacleSource {
  agents(principal: Principal): readonly AgentSummary[];
  sessions(principal: Principal): readonly OpenSession[];
  /** The open sessions and those that a store keeps, in the order of their ids. */
  sessionPage(request: SessionPageRequest, principal: Principal): Promise<SessionPage>;
  /**
   * Brings a stored session back before it is asked for. Null: nothing is to be done. Rejects if it cannot be read.
   * Absent: no session is stored. `cursor`: where its client wants to go on, if it is read elsewhere too.
   */
  wake?(session: string, cursor?: string | null): Promise<void> | null;
  /**
   * Resolves once everything of the session so far is on disk, or cannot be written to it. Rejects with `timeout` if another
   * gateway has the session. Absent: no session is stored.
   */
  whenKept?(session: string, principal: Principal): Promise<void>;
  /**
   * Takes what another gateway brings for a session of this one, in order. Calls back once for each item. Rejects
   * with `not-found`, `conflict` and `invalid`. Absent: there is no other one.
   */
  deliver?(session: string, items: readonly unknown[], settled: Delivery['settled']): Promise<void>;
  /** Whether a request for a session must go to another gateway. Absent: there is no other one. */
  readonly elsewhere?: Elsewhere;
  session(id: string, principal: Principal): OpenSession;
  createSession(request: { agent?: string; id?: string; cwd?: string }, principal: Principal): OpenSession;
  /**
   * Opens a stored session: `resume` is its id, the path of its file, or what its agent calls it. Rejects with a
   * GatewayError; no session is left behind then.
   */
  resumeSession(
    request: { resume: string; agent?: string; id?: string; cwd?: string },
    principal: Principal,
  ): Promise<OpenSession>;
  /** Ends the session and its agent. Resolves once the session cannot come back, not even at the next gateway. */
  closeSession(id: string, principal: Principal): Promise<void>;
  /** Checks a WebSocket request before the upgrade; throws to refuse. Returns the framing of its messages. */
  check(request: ClientRequest): FramingName;
  /**
   * The same for a WebSocket that resumes, whose client names its sessions later. Returns whether a connection of that
   * protocol carries several.
   */
  checkResumable(request: ClientRequest): boolean;
  /**
   * Longest frame of that frontend's clients, bytes, if the frontend has its own limit; without an id, of any frontend.
   */
  maxFrameBytes?(frontend?: string): number | undefined;
  /** See ClientTraits. */
  connectionHeader?(frontend: string): string | undefined;
  /** Hands over an upgraded WebSocket. */
  connect(channel: Channel, request: ClientRequest): void;
  /** The envelope for the frames of an SSE client, both ways; undefined for bare frames. */
  envelope(request: ClientRequest): EventEnvelope | undefined;
  /** Opens a stream of frames for SSE. `cursor` comes from Last-Event-ID or `?cursor=`, unchecked. */
  stream(request: ClientRequest & { session: string }, cursor: string | null): Reader;
  /** Takes frames that the client of a stream posted, behind those of the posts before. */
  post(request: ClientRequest & { session: string }, frames: readonly PostedFrame[]): Promise<PostResult>;
  /** Error frames of the protocol for a body that holds no frames. */
  refuse(request: ClientRequest & { session: string }, fault: FrameFault): readonly string[];
  /** Prometheus text for `GET /metrics`. */
  metrics(): string;
  /** Counts a request that was refused before or by a route. */
  refused(reason: ErrorCode): void;
  /** Counts a limit that a peer has reached. */
  readonly limited: Limited;
}
