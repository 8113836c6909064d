// Reads a client request from a URL. The gateway checks the names.

import type { ClientRequest, SessionPageRequest } from '../../core/contract/gateway/gateway-api.ts';
import type { Principal } from '../../core/contract/principal.ts';
import { GatewayError } from '../../core/model/errors.ts';

const sessionPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Throws a GatewayError `invalid` for an id that is unsafe in file names or logs (docs/threats.md T9). */
export function checkedSessionId(id: string): string {
  if (!isSessionId(id)) throw new GatewayError('invalid', `a session id must match ${sessionPattern.source}`);
  return id;
}

/** Whether a session can have that id. */
export function isSessionId(id: string): boolean {
  return sessionPattern.test(id);
}

/** `session` and `agent` belong to the gateway, `cursor` to the stream. All other parameters are adapter options. */
export function clientRequest(frontend: string, query: URLSearchParams, principal: Principal): ClientRequest {
  const session = query.get('session');
  const agent = query.get('agent');
  // No prototype: the names come from the wire (docs/threats.md T11).
  const options: Record<string, string> = Object.create(null);
  for (const [name, value] of query) {
    if (name !== 'session' && name !== 'agent' && name !== 'cursor') options[name] ??= value;
  }
  return {
    frontend,
    ...(session === null ? {} : { session: checkedSessionId(session) }),
    ...(agent === null ? {} : { agent }),
    options,
    principal,
  };
}

/** Most sessions of a page, and how many it has if nobody asks for less. */
export const pageSize = { most: 1000, usual: 100 };

/** Longest id behind which a page may begin, characters. */
const longestId = 256;

/** The page that the query asks for; null if it asks for none. Throws a GatewayError `invalid`. */
export function pageRequest(query: URLSearchParams): SessionPageRequest | null {
  const [wanted, after] = [query.get('limit'), query.get('after')];
  if (wanted === null && after === null) return null;
  const limit = wanted === null ? pageSize.usual : Number(/^\d{1,4}$/u.test(wanted) ? wanted : Number.NaN);
  if (!(limit >= 1 && limit <= pageSize.most))
    throw new GatewayError('invalid', `limit must be a number from 1 to ${pageSize.most}`);
  if (after !== null && (after === '' || after.length > longestId))
    throw new GatewayError('invalid', `after must be an id of at most ${longestId} characters`);
  return { limit, after };
}
