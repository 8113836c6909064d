// The page's one connection, its sessions, and when their frames are taken: in slices, so that no frame of the screen waits.
import { batch, computed, signal } from '@preact/signals';
import { connectMany, type ManyClient, type ManyState, type SessionLine } from '../../client/many.ts';
import { visible } from './format.ts';
import type { Frame } from './frames.ts';
import { login, refresh, signedOut, socketUrl } from './gateway.ts';
import { tell } from './pace.ts';
import { Session } from './session.ts';

/** Longest time that frames are taken for without a pause, ms. */
const slice = 8;

export const link = signal<ManyState>({ is: 'idle' });
/** Attached sessions by id, the one that was shown last at the end. */
export const sessions = new Map<string, Session>();
const lines = new WeakMap<Session, SessionLine>();

/** Sessions that stay attached; a connection carries 64. */
const mostAttached = 48;
export const selected = signal<Session | null>(null);
/** The page is asked to stop taking frames; they wait. */
export const paused = signal(false);
export const held = signal(0);
/** Whether what is shown may be old. */
export const isStale = computed(() => link.value.is !== 'open' && link.value.is !== 'idle');

/** A frame that is not taken yet. */
interface Waiting {
  readonly session: Session;
  readonly frame: Frame;
  readonly cursor: string | null;
}

let client: ManyClient | null = null;
let queue: Waiting[] = [];
let next = 0;
let isDue = false;

function drain(): void {
  isDue = false;
  if (paused.value) {
    held.value = queue.length - next;
    return;
  }
  const start = performance.now();
  const first = next;
  batch(() => {
    for (let count = 0; next < queue.length; count += 1) {
      if (count % 64 === 63 && performance.now() > start + slice) break;
      const { session, frame, cursor } = queue[next] as Waiting;
      next += 1;
      session.take(frame, cursor);
    }
  });
  const isTold = tell(next - first, start);
  if (next < queue.length) return due();
  queue = [];
  next = 0;
  held.value = 0;
  if (!isTold) due();
}

function due(): void {
  if (isDue) return;
  isDue = true;
  // A hidden tab draws nothing, and goes on in steps.
  if (document.hidden) setTimeout(drain, 100);
  else requestAnimationFrame(drain);
}

export function pause(isPaused: boolean): void {
  paused.value = isPaused;
  if (!isPaused) due();
}

function connection(): ManyClient {
  const { value } = login;
  if (value.is !== 'in') throw new Error('signed out');
  client ??= connectMany({
    url: socketUrl(value.path),
    frontend: 'canonical',
    backoff: { firstMs: 500, mostMs: 15_000 },
    isTurnedAway: async () => (await refresh()) === 'gone',
    onState(state) {
      link.value = state;
      if (state.is !== 'over') return;
      leave();
      signedOut(`The connection has ended: ${state.reason}.`);
    },
  });
  return client;
}

/** Shows a session, and attaches it if that is its first time. */
export function select(id: string): Session {
  let session = sessions.get(id);
  if (session === undefined) {
    session = new Session(id);
    attach(session);
  }
  sessions.delete(id);
  sessions.set(id, session);
  const [oldest] = sessions.values();
  if (sessions.size > mostAttached && oldest !== undefined) forget(oldest);
  selected.value = session;
  return session;
}

/** The session can be shown again, from its beginning. */
function forget(session: Session): void {
  lines.get(session)?.detach();
  sessions.delete(session.id);
  dropQueued(session);
}

function dropQueued(session: Session): void {
  queue = queue.slice(next).filter((waiting) => waiting.session !== session);
  next = 0;
}

function attach(session: Session): void {
  const line = connection().attach(session.id, {
    onFrame(frame, cursor) {
      queue.push({ session, frame: frame as Frame, cursor });
      due();
    },
    onReset: (reason) => {
      dropQueued(session);
      session.reset(reason);
    },
    onClosed(reason) {
      session.closed(reason);
      void refresh();
    },
  });
  lines.set(session, line);
  session.connected((frame) => line.send(frame));
}

/** What people call a session: its name, or the beginning of its first prompt. */
export function titleOf(id: string, name?: string): string {
  const known = sessions.get(id);
  return visible(name ?? known?.info.value.name ?? known?.firstWords.value ?? 'New session');
}

export function retry(): void {
  client?.retry();
}

/** Ends the connection and forgets its sessions. */
export function leave(): void {
  client?.close();
  client = null;
  sessions.clear();
  queue = [];
  next = 0;
  selected.value = null;
  link.value = { is: 'idle' };
}
