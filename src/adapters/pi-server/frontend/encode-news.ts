// What a server tells all its clients, and what each is told first (docs/protocols/pi-server.md 6, 16). Pure.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { CommandNews, News } from '../../../core/contract/broadcast.ts';
import { present } from '../../pi/encode-values.ts';
import type { Dialect } from './dialect.ts';
import { sessionInfo } from './encode-session.ts';
import { protocolVersion, serverVersion } from './version.ts';
import { reservedPrefix } from '../wire/fields.ts';

/** Who is told, and how. */
export interface Listener {
  readonly dialect: Dialect;
  /** The words for a command that failed. */
  errorOf(news: CommandNews): string | undefined;
  /** The same for all clients of this gateway, and no other gateway has it. */
  readonly serverId: string;
}

/** The first frame of each connection. How SSE is found is not for this protocol to say, so it is not in the list. */
export const serverReady = JSON.stringify({
  type: 'server_ready',
  data: { serverVersion, protocolVersion, transports: ['websocket', 'stdio'] },
});

/** The frame for a piece of news; null where this client is not told. */
export function newsFrame(news: News, listener: Listener): string | null {
  switch (news.news) {
    case 'command':
      return isTold(news, listener.dialect) ? frame(`command_${news.phase}`, commandData(news, listener)) : null;
    case 'session-opened': {
      const { session: summary, state } = news;
      const { id } = summary;
      return frame('session_created', { sessionId: id, sessionInfo: sessionInfo({ id, summary, state }) });
    }
    case 'session-closed':
      return frame('session_deleted', { sessionId: news.session });
    case 'shutdown':
      return frame('server_shutdown', { reason: 'graceful_shutdown', timeoutMs: news.graceMs });
    default:
      return news satisfies never;
  }
}

function frame(type: string, data: Dictionary): string {
  return JSON.stringify({ type, data });
}

/** Newer servers tell no more than the end of what they do not carry out. */
function isTold({ phase, how }: CommandNews, dialect: Dialect): boolean {
  return dialect === '1.0' || how === 'executed' || phase === 'finished';
}

function commandData(news: CommandNews, listener: Listener): Dictionary {
  const { ticket, number, ending } = news;
  const { sessionId } = dictionaryOf(ticket.payload);
  return present({
    commandId: ticket.id ?? `${reservedPrefix}${listener.serverId}:${number}`,
    commandType: ticket.type,
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
    dependsOn: ticket.dependsOn,
    ifSessionVersion: ticket.ifVersion,
    idempotencyKey: ticket.key,
    success: ending?.outcome.ok,
    error: listener.errorOf(news),
    sessionVersion: ending?.receipt.version,
    replayed: ending?.receipt.replayed === true ? true : undefined,
  });
}
