// Reads raw request headers, and defines the headers of every answer.
import type { IncomingMessage } from 'node:http';

/** All values of a header from the raw list. Node joins or drops duplicates, which attackers use to evade checks. */
export function headersNamed(request: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** The members of a comma-separated header. */
export function headerList(request: IncomingMessage, name: string): readonly string[] {
  return headersNamed(request, name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** Sent with every answer (docs/threats.md T4): no sniffing, no embedding, no caching. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** CORS headers for a configured origin, otherwise none. Never a wildcard (docs/threats.md T4). */
export function corsHeaders(request: IncomingMessage, allowedOrigins: ReadonlySet<string>): Record<string, string> {
  if (allowedOrigins.size === 0) return {};
  const [origin] = headersNamed(request, 'origin');
  if (origin === undefined || !allowedOrigins.has(origin)) return { vary: 'Origin' };
  return { vary: 'Origin', 'access-control-allow-origin': origin, 'cross-origin-resource-policy': 'cross-origin' };
}

/** Whether the request is a CORS preflight from a configured origin. A preflight carries no token. */
export function isPreflight(request: IncomingMessage, allowedOrigins: ReadonlySet<string>): boolean {
  const [origin] = headersNamed(request, 'origin');
  const asks = headersNamed(request, 'access-control-request-method').length > 0;
  return request.method === 'OPTIONS' && asks && origin !== undefined && allowedOrigins.has(origin);
}

/** The headers of the answer to a preflight. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Last-Event-ID, Idempotency-Key',
  'access-control-max-age': '600',
} as const;
