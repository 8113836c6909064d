// Who may come in: the checks that every request and every upgrade passes before anything else. Knows no route's meaning.
import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../core/model/errors.ts';
import { headerList, headersNamed, isPreflight } from './headers.ts';
import { createTokenCheck, offeredTokens } from './token.ts';

/** An answer that keeps a request out. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the gates let through. */
export interface GateOptions {
  readonly token: string;
  /** Exact origins (`https://example.org:8443`) of pages elsewhere. Our own pages need no entry. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Further `name:port` for the Host header, lower case; loopback and the address called are known already. */
  readonly allowedHosts: ReadonlySet<string>;
}

/** Paths that hold no secret and need no token. */
const publicPaths: ReadonlySet<string> = new Set(['/', '/healthz']);

/**
 * Returns the check; null means come in. The order matters: a page that rebinds DNS is stopped by Host before Origin
 * is looked at, and neither needs the token to be wrong (docs/threats.md T1, T2, T3, T5).
 * Throws a GatewayError `invalid` for a token that cannot be one.
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

/** `GET http://evil.example/ HTTP/1.1` names a second host, which routers believe. We are no proxy. */
function refuseTarget(request: IncomingMessage): Refusal | null {
  if (request.url?.startsWith('/') === true) return null;
  return { status: 400, code: 'invalid', message: 'the request target must be a path' };
}

/** From the raw headers: URLs made from a request hide an absent, empty or second Host (docs/threats.md T2). */
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
 * Names at which this connection can rightly be called. An address literal is no name that DNS could rebind, so the
 * address that was called is one of them; 0.0.0.0 never is (docs/threats.md T5).
 */
function ownHosts({ socket }: IncomingMessage): readonly string[] {
  const { localAddress = '', localPort } = socket;
  const address = localAddress.replace(/^::ffff:/, '');
  const literal = address.includes(':') ? `[${address}]` : address;
  return ['localhost', '127.0.0.1', '[::1]', literal].map((name) => `${name}:${localPort}`);
}

/** Absent (not a browser, or a plain GET), our own, or configured. `null` is what sandboxed pages and files send. */
function refuseOrigin(request: IncomingMessage, allowedOrigins: ReadonlySet<string>): Refusal | null {
  const [origin, second] = headersNamed(request, 'origin');
  if (origin === undefined) return null;
  const [host = ''] = headersNamed(request, 'host');
  const isAllowed = allowedOrigins.has(origin) || origin === `http://${host.toLowerCase()}`;
  if (isAllowed && second === undefined) return null;
  return { status: 403, code: 'unauthorized', message: 'this Origin is not allowed' };
}

/** Browsers say here what they leave out of Origin, on images, frames and links (docs/threats.md T3). */
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
