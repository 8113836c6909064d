// Access checks. Every request and every upgrade passes them first.
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../core/contract/principal.ts';
import type { ErrorCode } from '../../core/model/errors.ts';
import { headerList, headersNamed, isPreflight } from './headers.ts';
import { type Hop, hopHeader } from './hop.ts';
import { createTokenCheck, offeredTokens, type TokenEntry } from './token.ts';

/** The answer to a refused request. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The settings of the access checks. */
export interface GateOptions {
  readonly tokens: readonly TokenEntry[];
  /** Exact allowed origins, e.g. `https://example.org:8443`. Pages of the gateway need no entry. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Further allowed Host values in lower case; see {@link withPort}. Loopback names and the called address are always allowed. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Checks requests that another gateway forwards. Null: there is no other one, and their header means nothing. */
  readonly hop: ((request: IncomingMessage) => Hop | null) | null;
  /** Paths whose routes check for themselves who asks; default none. */
  isOwnDoor?(path: string): boolean;
}

/** What the checks say of a request. */
export type Verdict =
  | { readonly refusal: Refusal }
  /** The request may go on. `principal`: null for a request that needs no token. */
  | { readonly refusal: null; readonly principal: Principal | null; readonly hop: Hop | null };

/** Paths that hold no secret and need no token. */
const publicPaths: ReadonlySet<string> = new Set(['/', '/healthz']);

/**
 * Returns the check. The order matters: Host stops DNS rebinding before Origin is examined, and both work even with a
 * correct token (docs/threats.md T1, T2, T3, T5). The check reads headers only, so a refused request costs no byte of its
 * body.
 */
export function createGates(options: GateOptions): (request: IncomingMessage) => Verdict {
  const holderOf = createTokenCheck(options.tokens);
  const { hop } = options;
  return (request) => {
    if (hop !== null && headersNamed(request, hopHeader).length > 0) return forwarded(request, hop(request));
    const refusal =
      refuseTarget(request) ??
      refuseHost(request, options.allowedHosts) ??
      refuseOrigin(request, options.allowedOrigins) ??
      refuseSite(request, options.allowedOrigins);
    if (refusal !== null) return { refusal };
    if (!needsToken(request, options)) return { refusal: null, principal: null, hop: null };
    const principal = principalOf(request, holderOf);
    if (principal === null) return { refusal: noToken };
    const forbidden = refuseRole(request, principal);
    return forbidden === null ? { refusal: null, principal, hop: null } : { refusal: forbidden };
  };
}

/** The other gateway has checked everything else, and the signature stands in the place of the token (docs/threats.md T43). */
function forwarded(request: IncomingMessage, hop: Hop | null): Verdict {
  const refusal = refuseTarget(request) ?? (hop === null ? badHop : refuseRole(request, hop.principal));
  return refusal === null && hop !== null
    ? { refusal: null, principal: hop.principal, hop }
    : { refusal: refusal ?? badHop };
}

const badHop: Refusal = { status: 401, code: 'unauthorized', message: 'the signature of the gateway does not count' };

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

/** A Host value with its port, which is 80 where none is said. */
export function withPort(host: string): string {
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

function needsToken(request: IncomingMessage, { allowedOrigins, isOwnDoor }: GateOptions): boolean {
  const [path = ''] = (request.url ?? '').split('?');
  return !publicPaths.has(path) && isOwnDoor?.(path) !== true && !isPreflight(request, allowedOrigins);
}

function principalOf(request: IncomingMessage, holderOf: (candidate: string) => Principal | null): Principal | null {
  const protocols = request.headers.upgrade === undefined ? [] : headerList(request, 'sec-websocket-protocol');
  for (const token of offeredTokens(headersNamed(request, 'authorization'), protocols)) {
    const holder = holderOf(token);
    if (holder !== null) return holder;
  }
  return null;
}

const noToken: Refusal = {
  status: 401,
  code: 'unauthorized',
  message: 'a valid bearer token is needed',
  headers: { 'www-authenticate': 'Bearer' },
};

/** Posted frames are no requests of this kind: their own protocol refuses what an observer may not do. */
const framesRoute = /^\/v1\/[^/]+\/sessions\/[^/]+\/frames$/;

/** An observer changes nothing (docs/threats.md T24). */
function refuseRole(request: IncomingMessage, { role }: Principal): Refusal | null {
  const { method = 'GET' } = request;
  if (role === 'controller' || ['GET', 'HEAD', 'OPTIONS'].includes(method)) return null;
  const [path = ''] = (request.url ?? '').split('?');
  if (method === 'POST' && framesRoute.test(path)) return null;
  return { status: 403, code: 'unauthorized', message: 'this token may only read' };
}
