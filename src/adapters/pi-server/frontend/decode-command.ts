// Converts a frame of a client to a canonical command with its ticket (docs/protocols/pi-server.md 4), or to the reason
// for its refusal. commands.ts has the commands.
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Ticket } from '../../../core/contract/ticket.ts';
import type { Command } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary, without } from '../../../core/model/dictionary.ts';
import { clipped } from '../wire/command-fields.ts';
import { Identity, Precondition } from '../wire/commands.ts';
import { faultsIn } from '../wire/validate.ts';
import { type Patience, type Row, rows } from './commands.ts';

/** A command and its session. */
export interface Decoded {
  readonly command: Command;
  readonly ticket: Ticket;
  readonly session: string | undefined;
}

/** Why a command is not admitted, and the fields that its response repeats. `id` as sent, whatever its type. */
export interface Refused {
  readonly problem: string;
  readonly type: string;
  readonly id?: unknown;
}

/** A read that takes longer has failed (docs/protocols/pi-server.md 11.2), ms. */
const shortMs = 30_000;

/** The dependencies of the decoding. */
export interface DecodingPorts {
  readonly commandTimeoutMs: number;
  /** A new unique name for a prompt. */
  handle(): string;
  /** A session that the connection is subscribed to. */
  view(session: string): SessionView | undefined;
}

/** Decodes a command from any JSON value. A value that fails validation is refused. */
export function decodeCommand(json: unknown, { commandTimeoutMs, handle, view }: DecodingPorts): Decoded | Refused {
  const faults = faultsIn(json);
  const line = isDictionary(json) ? json : {};
  const type = typeof line.type === 'string' ? line.type : 'unknown';
  const read = rows.get(type);
  if (faults.length > 0 || read === undefined) {
    return {
      problem: `Validation failed: ${faults.join('; ')}`,
      type: clipped(type),
      ...('id' in line ? { id: line.id } : {}),
    };
  }
  const named = typeof line.sessionId === 'string' ? line.sessionId : undefined;
  const { command, place, patience } = retractable(read(line, named === undefined ? undefined : view(named)), handle);
  // One server command queries an existing session. Others name a new session, or none.
  const session = place.lane === 'session' || type === 'switch_session' ? named : undefined;
  return {
    command,
    ticket: ticketOf(line, type, { ...place, session, timeoutMs: waitOf(patience, commandTimeoutMs) }),
    session,
  };
}

/** When a prompt times out, only its own run is aborted: the prompt may wait behind another client's run. */
function retractable(row: Row, handleOf: () => string): Row {
  const { command, place } = row;
  if (command.type !== 'prompt' || place.undo?.type !== 'abort') return row;
  const handle = handleOf();
  return { ...row, command: { ...command, handle }, place: { ...place, undo: { ...place.undo, handle } } };
}

function ticketOf(
  line: Dictionary,
  type: string,
  place: Omit<Ticket, 'type' | 'id' | 'key' | 'payload' | 'dependsOn' | 'ifVersion'>,
): Ticket {
  const { id, idempotencyKey: key, dependsOn = [] } = Identity.parse(line);
  const { ifSessionVersion: ifVersion } = Precondition.parse(line);
  return { type, id, key, payload: without(line, 'id', 'idempotencyKey'), dependsOn, ifVersion, ...place };
}

function waitOf(patience: Patience, longMs: number): number | null {
  switch (patience) {
    case 'short':
      return Math.min(shortMs, longMs);
    case 'long':
      return longMs;
    case 'endless':
      return null;
    default:
      return patience satisfies never;
  }
}
