// A board without a gateway: sessions are plain logs of frames, so that HTTP can be tested alone.
import type { EventEnvelope } from '../../src/core/contract/adapter/event-envelope.ts';
import type { Channel, Out } from '../../src/core/contract/channel.ts';
import type {
  ClientRequest,
  GatewayApi,
  OpenSession,
  PostResult,
} from '../../src/core/contract/gateway/gateway-api.ts';
import type { LimitRule } from '../../src/core/contract/limits/limit-rule.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Entry, Reader } from '../../src/core/contract/reader.ts';
import { type ErrorCode, GatewayError } from '../../src/core/model/errors.ts';
import { type Arrivals, createArrivals } from '../transports/support/arrivals.ts';
import { namingEnvelope, taggedEnvelope } from '../transports/support/tagged-envelope.ts';

/** One session: everything that was said, and who reads it. */
export interface FakeSession {
  readonly id: string;
  readonly posted: Arrivals<string>;
  /** The ids under which they were posted; undefined for one without. */
  readonly postedIds: (string | undefined)[];
  /** Readers that are open. */
  readonly readers: ReadonlySet<Reader>;
  /** Resolves when a reader has closed. */
  readonly left: Promise<void>;
  /** Adds a frame with the cursor `e1.<n>.0`, n counting from 1. */
  append(out: Out): void;
  /** Adds a frame without a cursor, as in a snapshot. */
  appendUnnumbered(out: Out): void;
  /** Forgets all frames before number `n`: who resumes before that gets a reset. */
  forgetBefore(n: number): void;
  close(reason: string): void;
}

export interface FakeBoard extends GatewayApi {
  session(id: string): OpenSession;
  /** Makes a session, as if somebody had. */
  add(id: string): FakeSession;
  /** The session that was added under that id. */
  find(id: string): FakeSession;
  /** WebSockets that were handed over. */
  readonly connections: Arrivals<{ readonly channel: Channel; readonly request: ClientRequest }>;
  /** Every call that a refused request must not cause, by name. */
  readonly touched: readonly string[];
  /** The refusals that were counted. */
  readonly refusals: readonly ErrorCode[];
  /** The limits that were counted. */
  readonly limits: readonly LimitRule[];
  /** The cursors that `stream` was given, and what came with them. */
  readonly streams: Arrivals<{ readonly cursor: string | null; readonly request: ClientRequest }>;
  /** Makes `post` answer with the protocol's own errors. */
  refusePosts(frames: readonly string[]): void;
  /** Makes it not ready. */
  hinder(reason: string): void;
  /** Makes every method throw. */
  breakDown(thrown: unknown): void;
}

/** By the option that asks for them. */
const envelopes: ReadonlyMap<string, EventEnvelope> = new Map([
  ['tagged', taggedEnvelope],
  ['named', namingEnvelope],
]);

export function createFakeBoard(): FakeBoard {
  const sessions = new Map<string, ReturnType<typeof createSession>>();
  const connections: FakeBoard['connections'] = createArrivals();
  const streams: FakeBoard['streams'] = createArrivals();
  const touched: string[] = [];
  const obstacles: string[] = [];
  const refusals: ErrorCode[] = [];
  const limits: LimitRule[] = [];
  let broken: { readonly thrown: unknown } | undefined;
  let postResult: PostResult = { ok: true };

  function touch(name: string): void {
    touched.push(name);
    if (broken !== undefined) throw broken.thrown;
  }

  function find(id: string) {
    const session = sessions.get(id);
    if (session === undefined) throw new GatewayError('not-found', `no session ${id}`);
    return session;
  }

  function summary(id: string, agent = 'demo'): OpenSession {
    return { id, agent, state: 'idle', createdAt: '2026-01-01T00:00:00.000Z', clients: find(id).readers.size };
  }

  function add(id: string) {
    const session = createSession(id);
    sessions.set(id, session);
    return session;
  }

  return {
    add,
    find,
    connections,
    streams,
    touched,
    refusePosts: (frames) => {
      postResult = { ok: false, frames };
    },
    breakDown: (thrown) => {
      broken = { thrown };
    },
    agents() {
      touch('agents');
      return [{ name: 'demo', protocol: 'demo', title: 'Scripted' }];
    },
    sessions() {
      touch('sessions');
      return [...sessions.keys()].map((id) => summary(id));
    },
    async sessionPage({ limit, after }) {
      touch('sessionPage');
      const ids = [...sessions.keys()].sort().filter((id) => after === null || id > after);
      const shown = ids.slice(0, limit).map((id) => summary(id));
      const next = ids.length > limit ? shown.at(-1)?.id : undefined;
      return { sessions: shown, ...(next === undefined ? {} : { next }) };
    },
    async resumeSession({ resume, ...request }) {
      touch('resumeSession');
      if (resume === 'gone') throw new GatewayError('not-found', 'no stored session "gone"');
      return this.createSession(request, owner);
    },
    session(id) {
      touch('session');
      return summary(id);
    },
    createSession({ agent, id = `made-${sessions.size + 1}` }) {
      touch('createSession');
      if (sessions.has(id)) throw new GatewayError('conflict', `there is a session ${id}`);
      add(id);
      return summary(id, agent);
    },
    async closeSession(id) {
      touch('closeSession');
      find(id).close('deleted');
      sessions.delete(id);
    },
    check(request) {
      touch('check');
      if (request.session !== undefined) find(request.session);
      if (request.frontend !== 'pi') throw new GatewayError('not-found', 'no such frontend');
      return request.options.framing === 'lines' ? 'lines' : 'text';
    },
    checkResumable(request) {
      touch('checkResumable');
      if (request.session !== undefined) find(request.session);
      if (request.frontend !== 'pi') throw new GatewayError('not-found', 'no such frontend');
      return request.options.many === 'yes';
    },
    envelope: (request) => envelopes.get(String(request.options.envelope)),
    connect(channel, request) {
      touch('connect');
      connections.add({ channel, request });
    },
    stream(request, cursor) {
      touch('stream');
      streams.add({ cursor, request });
      return find(request.session).read(cursor);
    },
    async post(request, frames) {
      touch('post');
      for (const { bytes, id } of frames) {
        const session = find(request.session);
        session.posted.add(Buffer.from(bytes).toString());
        session.postedIds.push(id);
      }
      return postResult;
    },
    refuse(request, fault) {
      touch('refuse');
      find(request.session);
      return [JSON.stringify({ refused: fault.code })];
    },
    metrics() {
      touch('metrics');
      return 'patchbay_sessions 0\n';
    },
    refused: (reason) => {
      refusals.push(reason);
    },
    limited: (rule) => {
      limits.push(rule);
    },
    refusals,
    limits,
    obstacles: () => obstacles,
    hinder(reason) {
      obstacles.push(reason);
    },
  };
}

function createSession(id: string) {
  const log: Entry[] = [];
  const readers = new Set<Reader>();
  const posted = createArrivals<string>();
  const postedIds: FakeSession['postedIds'] = [];
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let numbered = 0;
  let firstKept = 1;

  function push(entry: Entry): void {
    log.push(entry);
    for (const reader of [...readers]) reader.onReadable();
  }

  function read(cursor: string | null): Reader {
    const { start, preface } = place(cursor);
    let at = start;
    let pending = preface;
    let idle = false;
    const reader: Reader = {
      read(maxBytes, until = log.length) {
        const entries: Entry[] = [...pending];
        pending = [];
        for (let bytes = 0; at < until && (bytes < maxBytes || entries.length === 0); at += 1) {
          const entry = log[at];
          if (entry === undefined) break;
          entries.push(entry);
          if (entry.kind === 'frame') bytes += sizeOf(entry.out);
        }
        idle = entries.length === 0;
        return entries;
      },
      mark: () => log.length,
      onReadable: () => {},
      close() {
        readers.delete(proxy);
        leave();
      },
    };
    // As the real one: told once, and only after a read that found nothing.
    const proxy: Reader = {
      ...reader,
      onReadable: () => {
        if (!idle) return;
        idle = false;
        reader.onReadable();
      },
    };
    readers.add(proxy);
    return reader;
  }

  function place(cursor: string | null): { start: number; preface: readonly Entry[] } {
    if (cursor === null) return { start: 0, preface: [] };
    const number = Number(/^e1\.(\d+)\.0$/.exec(cursor)?.[1] ?? Number.NaN);
    const index = log.findIndex((entry) => entry.kind === 'frame' && entry.cursor === cursor);
    if (index !== -1 && number + 1 >= firstKept) return { start: index + 1, preface: [] };
    const reason = cursor.startsWith('e1.') ? 'window' : 'epoch';
    return { start: log.length, preface: [{ kind: 'reset', reason, cursor: `e1.${numbered}.0` }] };
  }

  return {
    id,
    posted,
    postedIds,
    readers,
    left,
    read,
    append(out: Out) {
      numbered += 1;
      push({ kind: 'frame', out, cursor: `e1.${numbered}.0`, number: numbered, at: 0 });
    },
    appendUnnumbered: (out: Out) => push({ kind: 'frame', out, cursor: null, number: null, at: null }),
    forgetBefore: (n: number) => {
      firstKept = n;
    },
    close: (reason: string) => push({ kind: 'closed', reason }),
  };
}

function sizeOf(out: Out): number {
  return typeof out === 'string' ? out.length : out.reduce((sum, piece) => sum + piece.length, 0);
}
