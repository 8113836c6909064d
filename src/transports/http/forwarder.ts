// Forwards requests and WebSockets to the gateway that has the session (decision 0033). Only to addresses that the gateway
// itself has found; only named headers go on (docs/threats.md T43).
import {
  Agent,
  type ClientRequest as HttpRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { GatewayApi, SessionUse } from '../../core/contract/gateway/gateway-api.ts';
import type { Principal } from '../../core/contract/principal.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Refusal } from './gates.ts';
import { headersNamed, securityHeaders } from './headers.ts';
import { hopHeader, signHop } from './hop.ts';

/** A request of a client that another gateway answers. */
export interface Forwarding {
  /** Origin of that gateway. */
  readonly to: string;
  readonly request: IncomingMessage;
  readonly principal: Principal;
}

/** Forwards to other gateways. */
export interface Forwarder {
  /** Reads the body, forwards, and answers. `refuse`: answers with a refusal. */
  answer(forwarding: Forwarding, response: ServerResponse, refuse: (refusal: Refusal) => void): void;
  /** Forwards an upgrade, and then the bytes of both directions. */
  upgrade(forwarding: Forwarding, socket: Duplex, head: Buffer, refuse: (refusal: Refusal) => void): void;
  /** Cuts everything that is forwarded. */
  close(): void;
}

/** Times in ms: until an answer begins, and of silence in an answer, which has signs of life (docs/limits.md 11.9). */
const limits = { answerMs: 15_000, silenceMs: 60_000 };

/** Headers of clients that go on. All others stay here, whatever they are. */
const passed = ['content-type', 'accept', 'last-event-id', 'idempotency-key'] as const;
const passedUpgrade = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'] as const;
/** Headers of answers that go on. */
const returned = ['content-type', 'content-length', 'retry-after', 'x-accel-buffering'] as const;
const returnedUpgrade = ['sec-websocket-accept', 'sec-websocket-protocol'] as const;

const unreachable: Refusal = {
  status: 503,
  code: 'timeout',
  message: 'the gateway that has the session does not answer',
  headers: { 'retry-after': '1' },
};

const sessionRoute = /^\/v1\/(?:sessions|[^/?]+\/sessions)\/([A-Za-z0-9_-]{1,64})(?:\/(events|frames))?(?:\?|$)/u;

/** The session that a request names, and for what; null if the request names none. */
export function sessionUse({ method, url = '' }: IncomingMessage): { session: string; use: SessionUse } | null {
  const [, session, part] = sessionRoute.exec(url) ?? [];
  if (session === undefined) return null;
  if (part === 'events' && method === 'GET') return { session, use: 'read' };
  return { session, use: part === 'frames' && method === 'POST' ? 'say' : 'command' };
}

/** Where another gateway has the session; null also while that cannot be found out. */
export async function placeOf(
  board: Pick<GatewayApi, 'elsewhere'>,
  session: string,
  use: SessionUse,
): Promise<string | null> {
  try {
    return (await board.elsewhere?.(session, use)) ?? null;
  } catch {
    // The store does not answer; what happens then, the route says.
    return null;
  }
}

/** Creates a forwarder that signs with that secret. `maxBodyBytes`: longest body of a client. */
export function createForwarder(secret: string, maxBodyBytes: () => number): Forwarder {
  const agents = { http: new Agent({ keepAlive: true }), https: new SecureAgent({ keepAlive: true }) };
  const open = new Set<{ destroy(): unknown }>();

  function begin({ to, request, principal }: Forwarding, body: Buffer, names: readonly string[]): HttpRequest {
    const { method = 'GET', url: target = '/' } = request;
    const hop = signHop(secret, to, { method, target, body }, principal);
    const headers: Record<string, string> = { [hopHeader]: hop };
    for (const name of names) {
      const values = headersNamed(request, name);
      if (values.length > 0) headers[name] = values.join(', ');
    }
    if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = String(body.length);
    const isUpgrade = names === passedUpgrade;
    if (isUpgrade) Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket' });
    const { protocol, hostname, port } = new URL(to);
    const isSecure = protocol === 'https:';
    const agent = isUpgrade ? false : isSecure ? agents.https : agents.http;
    const options = {
      host: hostname.replace(/^\[|\]$/gu, ''),
      port: port === '' ? undefined : port,
      method,
      path: target,
      headers,
      agent,
    };
    const sent = (isSecure ? httpsRequest : httpRequest)(options);
    const late = setTimeout(() => sent.destroy(new Error('no answer')), limits.answerMs);
    for (const name of ['response', 'upgrade', 'close']) sent.once(name, () => clearTimeout(late));
    open.add(sent);
    sent.once('close', () => open.delete(sent));
    return sent;
  }

  return {
    answer(forwarding, response, refuse) {
      readWhole(forwarding.request, maxBodyBytes()).then(
        (body) => {
          if (response.destroyed) return;
          const sent = begin(forwarding, body, passed);
          response.once('close', () => sent.destroy());
          sent.once('error', () => (response.headersSent ? response.destroy() : refuse(unreachable)));
          sent.once('response', (answer: IncomingMessage) => {
            answer.setTimeout(limits.silenceMs, () => answer.destroy());
            answer.once('error', () => response.destroy());
            // Whoever is cut off in the middle must not take the answer for a whole one.
            answer.once('aborted', () => response.destroy());
            response.writeHead(answer.statusCode ?? 502, headersOf(answer, returned));
            response.flushHeaders();
            answer.pipe(response);
          });
          sent.end(body);
        },
        (thrown: unknown) => {
          const { code, message } = thrown instanceof GatewayError ? thrown : new GatewayError('invalid', 'no body');
          refuse({ status: code === 'too-large' ? 413 : 400, code, message });
        },
      );
    },
    upgrade(forwarding, socket, head, refuse) {
      const sent = begin(forwarding, Buffer.alloc(0), passedUpgrade);
      const left = () => sent.destroy();
      socket.once('close', left);
      sent.once('error', () => refuse(unreachable));
      sent.once('response', (answer: IncomingMessage) => {
        const fixed = { ...securityHeaders, ...headersOf(answer, returned), connection: 'close' };
        socket.write(headOf(answer, fixed));
        socket.once('finish', () => socket.destroy());
        answer.pipe(socket);
      });
      sent.once('upgrade', (answer: IncomingMessage, upstream: Duplex, first: Buffer) => {
        socket.off('close', left);
        socket.write(
          headOf(answer, { connection: 'Upgrade', upgrade: 'websocket', ...headersOf(answer, returnedUpgrade) }),
        );
        socket.write(first);
        upstream.write(head);
        join(socket, upstream);
      });
      sent.end();
    },
    close() {
      for (const one of open) one.destroy();
      agents.http.destroy();
      agents.https.destroy();
    },
  };

  /** Passes bytes both ways until one side ends. Each side waits for the other one to read. */
  function join(client: Duplex, upstream: Duplex): void {
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const pair = { destroy: cut };
    open.add(pair);
    client.once('close', () => open.delete(pair));
    for (const one of [client, upstream]) {
      one.on('error', cut);
      one.once('close', cut);
    }
    if ('setTimeout' in upstream && typeof upstream.setTimeout === 'function')
      upstream.setTimeout(limits.silenceMs, cut);
    client.pipe(upstream).pipe(client);
  }
}

/** Reads the body within a bound. Rejects with a GatewayError. */
async function readWhole(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const tooLarge = new GatewayError('too-large', `the body has more than ${mostBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > mostBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** The headers of an answer that go on. Node's parser takes no line ends in them. */
function headersOf(answer: IncomingMessage, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const [value] = headersNamed(answer, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function headOf({ statusCode = 502 }: IncomingMessage, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`, ...lines, '', ''].join('\r\n');
}
