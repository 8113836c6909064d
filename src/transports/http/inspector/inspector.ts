// The routes of the inspector: the public shell, the login, and what a page that is logged in may ask. Every request has
// passed the checks of Host, Origin and site (gates.ts), but no token check (docs/threats.md T37 to T41).
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../core/contract/clock.ts';
import type { GatewayApi } from '../../../core/contract/gateway/gateway-api.ts';
import type { InspectorApi } from '../../../core/contract/gateway/inspector-api.ts';
import type { Principal } from '../../../core/contract/principal.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { contentType, readBody, stringFields } from '../body.ts';
import { headersNamed } from '../headers.ts';
import { describeError, errorBody } from '../status.ts';
import { jsonAnswer } from './answers.ts';
import { formFor, pageFiles } from './files.ts';
import { createLogins, type Login, type Logins, loginLimits } from './logins.ts';
import { answerPage } from './page-routes.ts';

/** The inspector of one port. */
export interface InspectorOptions {
  readonly api: InspectorApi;
  /** The folder of the page's files. */
  readonly folder: string;
  /** The protocol of the page's WebSocket. */
  readonly frontend: string;
}

/** A page that may open its WebSocket. */
export interface PageSocket {
  readonly principal: Principal;
  /** See Login. */
  holds(end: () => void): () => void;
  /** See InspectorApi. */
  readonly watched: InspectorApi['watched'];
}

/** The inspector as the server sees it. */
export interface Inspector {
  /** The code for the address that the user opens; null: used or expired. */
  readonly code: string | null;
  readonly frontend: string;
  /** Whether the path is one of these routes, which check for themselves who asks. */
  owns(path: string): boolean;
  /** Whether the path is the page's WebSocket. */
  isSocket(path: string): boolean;
  /** The answer; null: the routes of the gateway answer. */
  answer(request: Request, incoming: IncomingMessage): Promise<Response | null>;
  /** Throws a GatewayError if this is no page that is logged in. */
  socket(request: IncomingMessage): PageSocket;
}

const privateRoute = /^\/i\/([\w-]{1,64})\/(\w+(?:\/\w+)?)$/u;

/** Sent with the shell and its files. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const;

/** What the inspector needs of its port. */
export interface InspectorPorts {
  readonly board: GatewayApi;
  holderOf(token: string): Principal | null;
  readonly clock: Clock;
}

/** Creates the inspector of a port. */
export function createInspector(options: InspectorOptions, ports: InspectorPorts): Inspector {
  const logins = createLogins(ports);
  const files = pageFiles(options.folder);

  function file(name: string, request: Request): Response | null {
    const found = files.get(name);
    if (found === undefined) return null;
    const { body, headers } = formFor(found, request.headers.get('accept-encoding') ?? undefined);
    // A name with a hash changes with the content.
    const caching = /\.[\w-]{8}\.(?:js|css)$/u.test(name) ? 'public, max-age=31536000, immutable' : 'no-store';
    return new Response(new Uint8Array(body), { headers: { ...headers, ...pageHeaders, 'cache-control': caching } });
  }

  async function answer(request: Request, incoming: IncomingMessage): Promise<Response | null> {
    const { pathname } = new URL(request.url);
    const isRead = request.method === 'GET';
    if (pathname === '/') {
      const isPage = isRead && (request.headers.get('accept') ?? '').includes('text/html');
      return isPage ? file('index.html', request) : null;
    }
    if (pathname === '/inspector/login' && request.method === 'POST') return enter(request, incoming);
    if (pathname.startsWith('/inspector/') && isRead) return file(pathname.slice('/inspector/'.length), request);
    const [, id = '', route = ''] = privateRoute.exec(pathname) ?? [];
    if (id === '') return null;
    if (!isRead) checkOrigin(incoming);
    const login = loginOf(incoming, id, logins);
    if (route === 'logout' && request.method === 'POST') {
      logins.end(login);
      return jsonAnswer('{}', { 'set-cookie': cookieOf(incoming, id, '', 0) });
    }
    return answerPage(route, request, login.principal, { ...ports, api: options.api });
  }

  async function enter(request: Request, incoming: IncomingMessage): Promise<Response> {
    checkOrigin(incoming);
    if (contentType(request) !== 'application/json')
      return jsonAnswer(errorBody({ code: 'invalid', message: 'the content type must be application/json' }), {}, 415);
    const body = await readBody(request, mostLoginBytes);
    const { code, token } = stringFields(parsed(body), ['code', 'token']);
    const given = code !== undefined ? { code } : token !== undefined ? { token } : null;
    if (given === null) throw new GatewayError('invalid', 'a login needs a code or a token');
    const attempt = logins.enter(given);
    switch (attempt.is) {
      case 'in': {
        const { id } = attempt.login;
        const cookie = cookieOf(incoming, id, attempt.secret, cookieSeconds);
        return jsonAnswer(JSON.stringify({ path: `/i/${id}/` }), { 'set-cookie': cookie });
      }
      case 'wrong':
        return jsonAnswer(errorBody({ code: 'unauthorized', message: 'this code or token counts no more' }), {}, 401);
      case 'too-many':
        throw new GatewayError('limit', 'too many attempts to log in: wait a minute');
      default:
        throw attempt satisfies never;
    }
  }

  return {
    get code() {
      return files.has('index.html') ? logins.code : null;
    },
    frontend: options.frontend,
    owns: (path) => path === '/' || path.startsWith('/inspector/') || path.startsWith('/i/'),
    isSocket: (path) => privateRoute.exec(path)?.[2] === 'socket',
    async answer(request, incoming) {
      try {
        return await answer(request, incoming);
      } catch (thrown) {
        const { status, problem, headers } = describeError(thrown);
        ports.board.refused(problem.code);
        const code = thrown instanceof NoLogin ? 401 : status;
        return jsonAnswer(errorBody(problem), headers, code);
      }
    },
    socket(incoming) {
      checkOrigin(incoming);
      const [path = ''] = (incoming.url ?? '').split('?');
      const { principal, holds } = loginOf(incoming, privateRoute.exec(path)?.[1] ?? '', logins);
      return { principal, holds, watched: options.api.watched };
    },
  };
}

/** Longest body of a login, bytes. */
const mostLoginBytes = 4096;

/** How long the browser keeps the cookie, s. */
const cookieSeconds = loginLimits.lastsMs / 1000;

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new GatewayError('invalid', 'the body must be JSON');
  }
}

/** The page is not logged in, or not any more. */
class NoLogin extends GatewayError {}

/**
 * Cookies do not know ports, so the page of another port could send ours: the Origin, which a browser always sends with an
 * upgrade and a post, must be our own. A configured foreign origin is none (docs/threats.md T38).
 */
function checkOrigin(incoming: IncomingMessage): void {
  const [host = ''] = headersNamed(incoming, 'host');
  const [origin, second] = headersNamed(incoming, 'origin');
  const name = host.toLowerCase();
  const isOwn = origin === `http://${name}` || origin === `https://${name}`;
  if (!isOwn || second !== undefined)
    throw new GatewayError('unauthorized', 'only the page of this gateway may do that');
}

function loginOf(incoming: IncomingMessage, id: string, logins: Logins): Login {
  const login = logins.find(id, cookieIn(incoming));
  if (login === null) throw new NoLogin('unauthorized', 'this page is not logged in');
  return login;
}

/** Ports share cookies, so the port is in the name. */
function cookieName({ socket }: IncomingMessage): string {
  return `patchbay-${socket.localPort}`;
}

function cookieOf(incoming: IncomingMessage, id: string, secret: string, seconds: number): string {
  const [origin = ''] = headersNamed(incoming, 'origin');
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(incoming)}=${secret}; Path=/i/${id}/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function cookieIn(incoming: IncomingMessage): string | undefined {
  const wanted = `${cookieName(incoming)}=`;
  const pairs = headersNamed(incoming, 'cookie').flatMap((header) => header.split(/;\s*/u));
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
}
