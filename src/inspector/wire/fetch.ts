// Brings the wire of a session to the page: its rows after they happened, and the frames of dialects for what is looked at.
import { signal } from '@preact/signals';
import type { WireRow } from '../../core/contract/wire-rows.ts';
import { gateway, wireOf } from '../state/gateway.ts';
import { selected } from '../state/link.ts';
import type { Session } from '../state/session.ts';
import { row as chosen } from '../state/view.ts';

/** Rows of one request. */
const most = 500;

/** Why there are no native frames; null: there are. */
export const silence = signal<string | null>(null);

interface Progress {
  next: number;
  kept: number;
  isBusy: boolean;
  /** Events came while a request was under way. */
  isStale: boolean;
}

const progress = new WeakMap<Session, Progress>();

function progressOf(session: Session): Progress {
  const found = progress.get(session) ?? { next: 0, kept: 0, isBusy: false, isStale: false };
  progress.set(session, found);
  return found;
}

/** Rows that come between others move those behind them: the chosen one stays chosen. */
function tell(session: Session, rows: readonly WireRow[]): void {
  const { log } = session;
  const before = log.shown()[chosen.value];
  log.learn(rows);
  if (before?.is !== 'events' || selected.value !== session) return;
  const after = log.shown().findIndex((row) => row.is === 'events' && row.first === before.first);
  if (after >= 0) chosen.value = after;
}

/** Asks for the rows that the page has not, until there are no more. */
export async function learn(session: Session): Promise<void> {
  const state = progressOf(session);
  state.isStale = true;
  if (state.isBusy) return;
  state.isBusy = true;
  try {
    while (state.isStale) {
      state.isStale = false;
      const { rows, kept, end } = await wireOf(session.id, state.next, state.next + most, []);
      state.kept = kept;
      tell(session, rows);
      const last = rows.at(-1);
      state.next = Math.max(kept, last === undefined ? state.next : last.row + 1);
      if (state.next < end && rows.length > 0) state.isStale = true;
      silence.value = null;
    }
  } catch (thrown) {
    silence.value = (thrown as Error).message;
  } finally {
    state.isBusy = false;
  }
}

/** Rows that the gateway keeps no more. */
export function lostRows(session: Session): number {
  return progressOf(session).kept;
}

/** The columns of dialects, in use or asked for. */
export const asked = signal<readonly string[]>([]);

export function dialectsOf(session: Session): readonly string[] {
  const summary = gateway.value.sessions.find(({ id }) => id === session.id);
  return [...new Set([...(summary?.dialects ?? []), ...asked.value])].filter((dialect) => dialect !== 'canonical');
}

/** Brings the frames of these dialects for a stretch of rows, once. */
export async function lookAt(session: Session, from: number, to: number, dialects: readonly string[]): Promise<void> {
  if (dialects.length === 0 || to <= from) return;
  try {
    const { rows } = await wireOf(session.id, from, to, dialects);
    tell(session, rows);
  } catch (thrown) {
    silence.value = (thrown as Error).message;
  }
}
