// The frames that a server broadcasts to all clients, and the first frame of each connection
// (docs/protocols/pi-server.md 6, 16).

import type { Broadcast, CommandBroadcast } from '../../../core/contract/broadcast.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { present } from '../../pi/encode-values.ts';
import { reservedPrefix } from '../wire/command-fields.ts';
import type { Dialect } from './dialect.ts';
import { sessionInfo } from './encode-session.ts';
import { protocolVersion, serverVersion } from './version.ts';

/** The recipient of a broadcast. */
export interface Listener {
  readonly dialect: Dialect;
  /** The error text for a failed command. */
  errorOf(broadcast: CommandBroadcast): string | undefined;
  /** The same for all clients of this gateway, and unique to this gateway. */
  readonly serverId: string;
}

/** The first frame of each connection. Does not list SSE: the protocol has no way to describe its address. */
export const serverReady = JSON.stringify({
  type: 'server_ready',
  data: { serverVersion, protocolVersion, transports: ['websocket', 'stdio'] },
});

/** The frame of a broadcast, or null if this client does not get one. */
export function broadcastFrame(broadcast: Broadcast, listener: Listener): string | null {
  switch (broadcast.kind) {
    case 'command':
      return isShown(broadcast, listener.dialect)
        ? frame(`command_${broadcast.phase}`, commandData(broadcast, listener))
        : null;
    case 'session-opened': {
      const { session: summary, state } = broadcast;
      const { id } = summary;
      return frame('session_created', { sessionId: id, sessionInfo: sessionInfo({ id, summary, state }) });
    }
    case 'session-closed':
      return frame('session_deleted', { sessionId: broadcast.session });
    case 'shutdown':
      return frame('server_shutdown', { reason: 'graceful_shutdown', timeoutMs: broadcast.graceMs });
    default:
      return broadcast satisfies never;
  }
}

function frame(type: string, data: Dictionary): string {
  return JSON.stringify({ type, data });
}

/** Newer servers report only the end of commands that they do not execute. */
function isShown({ phase, how }: CommandBroadcast, dialect: Dialect): boolean {
  return dialect === '1.0' || how === 'executed' || phase === 'finished';
}

function commandData(broadcast: CommandBroadcast, listener: Listener): Dictionary {
  const { ticket, number, ending } = broadcast;
  const { sessionId } = dictionaryOf(ticket.payload);
  return present({
    commandId: ticket.id ?? `${reservedPrefix}${listener.serverId}:${number}`,
    commandType: ticket.type,
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
    dependsOn: ticket.dependsOn,
    ifSessionVersion: ticket.ifVersion,
    idempotencyKey: ticket.key,
    success: ending?.outcome.ok,
    error: listener.errorOf(broadcast),
    sessionVersion: ending?.receipt.version,
    replayed: ending?.receipt.replayed === true ? true : undefined,
  });
}
