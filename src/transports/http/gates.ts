// Access checks. Every request and every upgrade passes them first.
import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../core/model/errors.ts';
import { headerList, headersNamed, isPreflight } from './headers.ts';
import { createTokenCheck, offeredTokens } from './token.ts';

/** The answer to a refused request. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The settings of the access checks. */
export interface GateOptions {
  readonly token: string;
  /** Exact allowed origins, e.g. `https://example.org:8443`. Pages of the gateway need no entry. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Further allowed Host values, `name:port` in lower case. Loopback names and the called address are always allowed. */
  readonly allowedHosts: ReadonlySet<string>;
}

/** Paths that hold no secret and need no token. */
const publicPaths: ReadonlySet<string> = new Set(['/', '/healthz']);

/**
 * Returns the check; it returns null for an allowed request. The order matters: Host stops DNS rebinding before Origin is
 * examined, and both work even with a correct token (docs/threats.md T1, T2, T3, T5). Throws a GatewayError `invalid` for a
 * malformed token.
 */
export function createGates(options: GateOptions): (request: IncomingMessage) => Refusal | null {
  const isToken = createTokenCheck(options.token);
  return (request) =>
    refuseTarget(request) ??
    refuseHost(request, options.allowedHosts) ??
    refuseOrigin(request, options.allowedOrigins) ??
    refuseSite(request, options.allowedOrigins) ??
    (needsToken(request, options.allowedOrigins) ? refuseToken(request, isToken) : null);
}

/** `GET http://evil.example/ HTTP/1.1` names a second host, which routers would use. The gateway is not a proxy. */
function refuseTarget(request: IncomingMessage): Refusal | null {
  if (request.url?.startsWith('/') === true) return null;
  return { status: 400, code: 'invalid', message: 'the request target must be a path' };
}

/** Uses the raw headers: a URL built from a request hides an absent, empty or second Host (docs/threats.md T2). */
function refuseHost(request: IncomingMessage, allowedHosts: ReadonlySet<string>): Refusal | null {
  const [host, second] = headersNamed(request, 'host');
  if (host === undefined || host === '' || second !== undefined) {
    return { status: 400, code: 'invalid', message: 'the request must have exactly one Host header' };
  }
  const name = withPort(host.toLowerCase());
  if (allowedHosts.has(name) || ownHosts(request).includes(name)) return null;
  return { status: 403, code: 'unauthorized', message: 'this Host is not allowed' };
}

function withPort(host: string): string {
  return /:\d+$/.test(host) ? host : `${host}:80`;
}

/**
 * The valid Host values for this connection. DNS cannot rebind an address literal, so the called address is valid;
 * 0.0.0.0 never is (docs/threats.md T5).
 */
function ownHosts({ socket }: IncomingMessage): readonly string[] {
  const { localAddress = '', localPort } = socket;
  const address = localAddress.replace(/^::ffff:/, '');
  const literal = address.includes(':') ? `[${address}]` : address;
  return ['localhost', '127.0.0.1', '[::1]', literal].map((name) => `${name}:${localPort}`);
}

/** Allows an absent Origin (no browser, or a plain GET), our own and configured ones. Sandboxed pages and files send `null`. */
function refuseOrigin(request: IncomingMessage, allowedOrigins: ReadonlySet<string>): Refusal | null {
  const [origin, second] = headersNamed(request, 'origin');
  if (origin === undefined) return null;
  const [host = ''] = headersNamed(request, 'host');
  const isAllowed = allowedOrigins.has(origin) || origin === `http://${host.toLowerCase()}`;
  if (isAllowed && second === undefined) return null;
  return { status: 403, code: 'unauthorized', message: 'this Origin is not allowed' };
}

/** Checks Sec-Fetch-Site, which browsers send even without Origin: on images, frames and links (docs/threats.md T3). */
function refuseSite(request: IncomingMessage, allowedOrigins: ReadonlySet<string>): Refusal | null {
  const [origin] = headersNamed(request, 'origin');
  if (origin !== undefined && allowedOrigins.has(origin)) return null;
  const sites = headersNamed(request, 'sec-fetch-site');
  if (sites.every((site) => site === 'same-origin' || site === 'none')) return null;
  return { status: 403, code: 'unauthorized', message: 'requests from other sites are not allowed' };
}

function needsToken(request: IncomingMessage, allowedOrigins: ReadonlySet<string>): boolean {
  const [path = ''] = (request.url ?? '').split('?');
  return !publicPaths.has(path) && !isPreflight(request, allowedOrigins);
}

function refuseToken(request: IncomingMessage, isToken: (candidate: string) => boolean): Refusal | null {
  const protocols = request.headers.upgrade === undefined ? [] : headerList(request, 'sec-websocket-protocol');
  if (offeredTokens(headersNamed(request, 'authorization'), protocols).some(isToken)) return null;
  return {
    status: 401,
    code: 'unauthorized',
    message: 'a valid bearer token is needed',
    headers: { 'www-authenticate': 'Bearer' },
  };
}
