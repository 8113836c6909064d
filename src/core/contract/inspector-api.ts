// What the inspector's page asks of the gateway, besides its conversations.
import type { AgentSummary, OpenSession } from './gateway-api.ts';
import type { Principal } from './principal.ts';
import type { WireCell, WirePage } from './wire-rows.ts';

/** A session in the inspector. */
export interface InspectedSession extends OpenSession {
  /** The dialects that clients read now. */
  readonly dialects: readonly string[];
  readonly name?: string;
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

/** One cell, in parts: `at` and `length` in characters. */
export interface CellRequest {
  readonly session: string;
  readonly row: number;
  /** `from` and `to`: between the gateway and the agent; else the dialect. */
  readonly column: string;
  readonly index: number;
  readonly at: number;
}

/** The inspector as its routes see it. Each method throws a GatewayError to refuse. */
export interface InspectorApi {
  state(principal: Principal): InspectorState;
  wire(request: WireRequest, principal: Principal): WirePage;
  cell(request: CellRequest, principal: Principal): WireCell;
  /** Opens a session that replays the tape, and gives its id. */
  openTape(tape: Uint8Array, principal: Principal): string;
  /** The frames of the agent's connection that are kept, as a tape. */
  tapeOf(session: string, principal: Principal): string;
  /** Whether a page is logged in: only then the wire is kept from now on. */
  watch(isOn: boolean): void;
}
