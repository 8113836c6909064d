// What the inspector's page asks of the gateway, besides its conversations.

import type { Principal } from '../principal.ts';
import type { Reader } from '../reader.ts';
import type { AgentSummary, OpenSession } from './gateway-api.ts';
import type { WireCell, WirePage } from './wire-rows.ts';

/** A session in the inspector. */
export interface InspectedSession extends OpenSession {
  /** The dialects that clients read now. */
  readonly dialects: readonly string[];
}

/** A session that is not open and can be opened again. */
export interface KeptSession {
  readonly id: string;
  /** Path of its file. Absent: a store keeps the session, which opens when somebody attaches to it. */
  readonly file?: string;
  readonly agent?: string;
  readonly name?: string;
  /** The beginning of the first user message. */
  readonly firstWords?: string;
  /** When it was changed last, or made. ISO 8601. */
  readonly at?: string;
}

/** The gateway at a glance. */
export interface InspectorState {
  readonly version: string;
  readonly agents: readonly AgentSummary[];
  readonly sessions: readonly InspectedSession[];
  /** All protocols that clients can speak: the wire can be shown in each of them. */
  readonly dialects: readonly string[];
}

/** Rows from `from` on and before `to`, with the frames of these dialects. */
export interface WireRequest {
  readonly session: string;
  readonly from: number;
  readonly to: number;
  readonly dialects: readonly string[];
}

/** The losses of one dialect in rows from `from` on. */
export interface LossRequest {
  readonly session: string;
  readonly dialect: string;
  readonly from: number;
}

/** What did not cross, by the number of its event, and the row behind the last one that was looked at. */
export interface LossPage {
  readonly losses: readonly { readonly seq: number; readonly field: string }[];
  readonly next: number;
}

/** One cell, in parts: `at` and `length` in characters. */
export interface CellRequest {
  readonly session: string;
  readonly row: number;
  /** See WireRow. */
  readonly part: number;
  /** `from` and `to`: between the gateway and the agent; else the dialect. */
  readonly column: string;
  readonly index: number;
  readonly at: number;
}

/** How a tape is played, as `patchbay replay` has it. */
export interface TapeOptions {
  /** In the grammar of docs/guides/chaos.md. */
  readonly faults: readonly string[];
  /** What chance depends on: below 2 ** 32. */
  readonly seed: number;
  /** How many times faster than it was recorded. `max`: without a pause. */
  readonly speed: number | 'max';
}

/** The inspector as its routes see it. Each method throws a GatewayError to refuse. */
export interface InspectorApi {
  state(principal: Principal): InspectorState;
  /** The newest sessions that can be opened again, the newest first. */
  kept(principal: Principal): Promise<readonly KeptSession[]>;
  wire(request: WireRequest, principal: Principal): WirePage;
  losses(request: LossRequest, principal: Principal): LossPage;
  cell(request: CellRequest, principal: Principal): WireCell;
  /** Opens a session that replays the tape, and gives its id. */
  openTape(tape: Uint8Array, options: TapeOptions, principal: Principal): string;
  /** Ends the session of such a tape. */
  closeTape(session: string, principal: Principal): void;
  /** The frames of the agent's connection that are kept, as a tape. */
  tapeOf(session: string, principal: Principal): string;
  /** The reader of a page. While it is open, and some seconds more, the wire of its session is kept. */
  watched(session: string, reader: Reader): Reader;
}
