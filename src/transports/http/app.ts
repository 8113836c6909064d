// The HTTP routes. Every request has passed the access checks (gates.ts) before it comes here.
import { Hono, type MiddlewareHandler } from 'hono';
import type { EventEnvelope } from '../../core/contract/adapter/event-envelope.ts';
import type { FrameFault } from '../../core/contract/channel.ts';
import type { GatewayApi, PostedFrame } from '../../core/contract/gateway/gateway-api.ts';
import type { ObstacleSource } from '../../core/contract/gateway/obstacles.ts';
import type { Principal } from '../../core/contract/principal.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createFrame } from '../framing/frame.ts';
import { hasTooManyLines, mostFrames, tooManyFrames } from '../framing/frame-count.ts';
import { jsonlDecoder } from '../framing/jsonl.ts';
import { type EventStream, type EventStreamOptions, eventStreamHeaders, openEventStream } from '../sse/stream.ts';
import { contentType, maxBodyBytes, readBody, stringFields } from './body.ts';
import { checkedSessionId, clientRequest, isSessionId, pageRequest, pageSize } from './client-request.ts';
import { takeDelivery } from './deliveries.ts';
import { bodyHashOf, type Hop } from './hop.ts';
import { checkedKey, named } from './post-id.ts';
import { describeError, errorBody } from './status.ts';

/** What the routes need. */
export interface AppOptions {
  readonly board: GatewayApi;
  /** Knows whether another client could connect. */
  readonly connections: ObstacleSource;
  /** All open streams, so that a shutdown can end them. */
  readonly streams: Set<EventStream>;
  /** Longest body, bytes. Default 8 MiB. */
  readonly maxFrameBytes?: number;
  readonly stream?: EventStreamOptions;
  /** Receives the errors that clients only see as `internal`. */
  readonly onError?: (error: unknown) => void;
}

const index = `Patchbay: any client plugs into any agent.

GET    /healthz                              is it there (no token)
GET    /readyz  /metrics                     is it ready; Prometheus figures
GET    /v1/agents                            what can be started
GET    /v1/sessions                          what runs; ?limit=&after= in pages, with what is stored
POST   /v1/sessions                          {agent?, id?, cwd?, resume?}
GET    /v1/sessions/:id
DELETE /v1/sessions/:id
GET    /v1/:frontend/ws?session=&agent=      WebSocket, frames of that protocol; subprotocol :frontend.v1+resume resumes
GET    /v1/:frontend/sessions/:id/events     server-sent events; Last-Event-ID or ?cursor= resumes
POST   /v1/:frontend/sessions/:id/frames     application/json or application/x-ndjson

All but this page and /healthz need "Authorization: Bearer <token>".
`;

/** The routes. */
export type App = Hono<{ Bindings: RequestBindings }>;

/** What comes with each request that has passed the access checks. */
export interface RequestBindings {
  /** The holder of the token. */
  readonly principal: Principal;
  /** What another gateway has signed; null for a request that comes from a client. */
  readonly hop?: Hop | null;
  /** Cuts the connection. */
  cut(): void;
}

/** Builds the routes. Errors are answered as `{"error":{"code","message"}}`. */
export function createApp({ board, connections, streams, maxFrameBytes, stream, onError }: AppOptions): App {
  const app: App = new Hono();
  const obstacleSources = [board, connections];
  const longestBody = () => Math.max(maxFrameBytes ?? maxBodyBytes, board.maxFrameBytes?.() ?? 0);

  async function mustBeHere(id: string): Promise<void> {
    const place = (await board.elsewhere?.(id, 'command')) ?? null;
    if (place !== null) throw new GatewayError('conflict', `session ${id} belongs to another gateway`);
  }

  const woken: MiddlewareHandler = async (context, next) => {
    const id = context.req.param('id') ?? '';
    const cursor = context.req.header('last-event-id') ?? context.req.query('cursor') ?? null;
    if (isSessionId(id)) await board.wake?.(id, cursor);
    await next();
  };

  app.use('*', async (context, next) => {
    const { hop = null } = context.env;
    if (hop !== null) context.req.raw = await signedRequest(context.req.raw, hop, longestBody());
    await next();
  });
  app.get('/', (context) => context.text(index));
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', (context) => {
    const reasons = obstacleSources.flatMap((source) => source.obstacles());
    return reasons.length === 0
      ? context.json({ status: 'ready' })
      : context.json({ status: 'not ready', reasons }, 503, { 'retry-after': '1' });
  });
  app.get('/metrics', (context) =>
    context.body(board.metrics(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  );

  app.get('/v1/agents', (context) => context.json({ agents: board.agents(context.env.principal) }));
  app.get('/v1/sessions', async (context) => {
    const page = pageRequest(new URL(context.req.url).searchParams);
    const { principal } = context.env;
    if (page !== null) return context.json(await board.sessionPage(page, principal));
    const { sessions, next } = await board.sessionPage({ limit: pageSize.most, after: null }, principal);
    const stored = sessions.filter(({ state }) => state === 'stored');
    return context.json({ sessions: [...board.sessions(principal), ...stored], next });
  });
  app.post('/v1/sessions', onlyTypes('application/json'), async (context) => {
    const { json } = createFrame(await readBody(context.req.raw));
    const { resume, ...fields } = stringFields(json, ['agent', 'id', 'cwd', 'resume']);
    if (fields.id !== undefined) checkedSessionId(fields.id);
    if (fields.id !== undefined) await mustBeHere(fields.id);
    if (fields.id !== undefined) await board.wake?.(fields.id);
    if (resume !== undefined)
      return context.json(await board.resumeSession({ ...fields, resume }, context.env.principal), 201);
    const made = board.createSession(fields, context.env.principal);
    await board.whenKept?.(made.id, context.env.principal);
    return context.json(made, 201);
  });
  // A session that is only stored is opened by whoever asks for it.
  app.use('/v1/sessions/:id', woken);
  app.use('/v1/:frontend/sessions/:id/*', woken);
  app.get('/v1/sessions/:id', (context) =>
    context.json(board.session(checkedSessionId(context.req.param('id')), context.env.principal)),
  );
  // From other gateways only: their clients' rights were checked there.
  app.post('/v1/sessions/:id/deliveries', async (context) => {
    if ((context.env.hop ?? null) === null) return context.notFound();
    const id = checkedSessionId(context.req.param('id'));
    await board.wake?.(id);
    return takeDelivery(board, id, createFrame(await readBody(context.req.raw, longestBody())).json);
  });
  app.delete('/v1/sessions/:id', async (context) => {
    await board.closeSession(checkedSessionId(context.req.param('id')), context.env.principal);
    return context.body(null, 204);
  });

  // upgrade.ts handles upgrades before the routes, so this is a plain request.
  app.get('/v1/:frontend/ws', (context) =>
    context.json({ error: { code: 'invalid', message: 'this address speaks WebSocket' } }, 426, {
      upgrade: 'websocket',
    }),
  );

  app.get('/v1/:frontend/sessions/:id/events', (context) => {
    // A HEAD request also matches, but nobody would read or cancel its stream.
    if (context.req.method === 'HEAD') return context.body(null, 200, eventStreamHeaders);
    const query = new URL(context.req.url).searchParams;
    const session = checkedSessionId(context.req.param('id'));
    const request = { ...clientRequest(context.req.param('frontend'), query, context.env.principal), session };
    const cursor = context.req.header('last-event-id') ?? query.get('cursor');
    const opened = openEventStream(board.stream(request, cursor), {
      ...stream,
      envelope: board.envelope(request),
      isResumed: cursor !== null,
      onStall: () => context.env.cut(),
      onClose: () => streams.delete(opened),
      onError,
    });
    streams.add(opened);
    return new Response(opened.body, { headers: eventStreamHeaders });
  });

  app.post(
    '/v1/:frontend/sessions/:id/frames',
    onlyTypes('application/json', 'application/x-ndjson'),
    async (context) => {
      const session = checkedSessionId(context.req.param('id'));
      const query = new URL(context.req.url).searchParams;
      const request = { ...clientRequest(context.req.param('frontend'), query, context.env.principal), session };
      const limit = board.maxFrameBytes?.(request.frontend) ?? maxFrameBytes;
      const envelope = board.envelope(request);
      const isOne = contentType(context.req.raw) === 'application/json';
      const posted = await readBody(context.req.raw, limit)
        .then((body) => postedIn(body, isOne, envelope))
        .catch((thrown: unknown) => asFault(thrown));
      if ('code' in posted) return context.body(linesWith(board.refuse(request, posted)), 413, lineHeaders);
      const header = context.req.header('idempotency-key');
      const key = header === undefined ? undefined : checkedKey(header, 'Idempotency-Key');
      const frames = key === undefined ? posted : posted.map((frame, place) => named(frame, key, place));
      if (frames.length === 0) throw new GatewayError('invalid', 'the body holds no frame');
      const result = await board.post(request, frames);
      if (!result.ok) return context.body(linesWith(result.frames), 400, lineHeaders);
      if (envelope?.acceptedBody === undefined) return context.json({ accepted: frames.length }, 202);
      return context.body(envelope.acceptedBody, 200, { 'content-type': 'application/json' });
    },
  );

  app.notFound((context) => context.json({ error: { code: 'not-found', message: 'there is nothing here' } }, 404));
  app.onError((thrown) => {
    const { status, problem, headers } = describeError(thrown);
    board.refused(problem.code);
    if (problem.code === 'internal') onError?.(thrown);
    return new Response(errorBody(problem), { status, headers: { ...headers, 'content-type': 'application/json' } });
  });
  return app;
}

/** The request with its body, if that is the body that was signed. Throws a GatewayError. */
async function signedRequest(request: Request, { bodyHash }: Hop, mostBytes: number): Promise<Request> {
  const body = await readBody(request, mostBytes);
  if (bodyHashOf(body) !== bodyHash) throw new GatewayError('unauthorized', 'the body is not the one that was signed');
  if (body.length === 0) return request;
  return new Request(request.url, { method: request.method, headers: request.headers, body: Buffer.from(body) });
}

/** Error frames of the protocol come as lines, so that clients can tell them from the gateway's JSON object. */
const lineHeaders = { 'content-type': 'application/x-ndjson' };

function linesWith(frames: readonly string[]): string {
  return frames.map((frame) => `${frame}\n`).join('');
}

/** Turns a body that is too large, or holds too many frames, into a fault in the client's protocol. Rethrows everything else. */
function asFault(thrown: unknown): FrameFault {
  if (thrown instanceof GatewayError && thrown.code === 'too-large')
    return { code: 'too-large', message: thrown.message };
  throw thrown;
}

/** Refuses other media types. Foreign pages can post forms and plain text without a CORS preflight (docs/threats.md T3). */
function onlyTypes(...accepted: readonly string[]): MiddlewareHandler {
  const message = `the content type must be ${accepted.join(' or ')}`;
  return async (context, next) => {
    if (!accepted.includes(contentType(context.req.raw))) {
      return context.json({ error: { code: 'invalid', message } }, 415);
    }
    await next();
  };
}

/** The frames of a body. Throws a GatewayError `too-large` if there are too many of them. */
function postedIn(body: Uint8Array, isOne: boolean, envelope: EventEnvelope | undefined): readonly PostedFrame[] {
  if (body.length === 0) return [];
  if (!isOne && hasTooManyLines(body)) throw tooManyFrames('post');
  const frames = (isOne ? [body] : linesOf(body)).flatMap((bytes) => framesIn(bytes, envelope));
  if (frames.length > mostFrames) throw tooManyFrames('post');
  return frames;
}

function framesIn(bytes: Uint8Array, envelope: EventEnvelope | undefined): readonly PostedFrame[] {
  if (envelope?.posted === undefined) return [{ bytes }];
  const posted = envelope.posted(createFrame(bytes).json);
  return posted.map(({ frame, id }) => ({ bytes: Buffer.from(JSON.stringify(frame)), id }));
}

function linesOf(body: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  const sink = { frame: (frame: { bytes: Uint8Array }) => lines.push(frame.bytes), fault: () => {} };
  const decoder = jsonlDecoder(sink, { maxFrameBytes: maxBodyBytes });
  decoder.push(body);
  decoder.end();
  return lines;
}
