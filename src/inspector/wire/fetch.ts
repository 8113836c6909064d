// Brings the wire of a session to the page: its rows after they happened, and the frames of dialects for what is looked at.
import { signal } from '@preact/signals';
import { gateway, lossesOf, wireOf } from '../state/gateway.ts';
import { selected } from '../state/link.ts';
import type { Session } from '../state/session.ts';
import { row as chosen, isNarrow } from '../state/view.ts';

/** Rows of one request. */
const most = 500;
/** Time from a request that failed to the next one, ms. */
const pause = 2000;

/** Why there are no native frames; null: there are. */
export const silence = signal<string | null>(null);

interface Progress {
  /** The life of the log that this is about. */
  readonly life: number;
  next: number;
  isBusy: boolean;
  /** The next row whose losses are looked for, by dialect. */
  readonly searched: Map<string, number>;
  /** Events came while a request was under way. */
  isStale: boolean;
  /** Frames of dialects are asked for. */
  isLooking: boolean;
}

const progress = new WeakMap<Session, Progress>();

/** Begins at the first row again once the log has forgotten what it knew. */
function progressOf(session: Session): Progress {
  const { life } = session.log;
  const found = progress.get(session);
  if (found?.life === life) return found;
  const fresh: Progress = { life, next: 0, searched: new Map(), isBusy: false, isStale: false, isLooking: false };
  progress.set(session, fresh);
  return fresh;
}

/** Changes the rows: the chosen one stays chosen, wherever it is then. */
export function keepChosen(session: Session, change: () => void): void {
  const { log } = session;
  const before = log.shown()[chosen.value];
  const seq = before?.is === 'events' ? log.at(before.first).seq : null;
  change();
  if (seq === null || selected.value !== session) return;
  const after = log.rowOf(log.placeOf(seq));
  if (after >= 0) chosen.value = after;
}

/** Asks for the rows that the page has not, until there are no more. Nothing before the snapshot is whole. */
export async function learn(session: Session): Promise<void> {
  if (!session.isWhole.value) return;
  const state = progressOf(session);
  state.isStale = true;
  if (state.isBusy) return;
  state.isBusy = true;
  try {
    while (state.isStale) {
      state.isStale = false;
      const { rows, kept, end } = await wireOf(session.id, state.next, state.next + most, []);
      if (state.life !== session.log.life) return;
      const last = rows.at(-1);
      const next = Math.max(kept, last === undefined ? state.next : last.row + 1);
      // Of the rows that were asked for, all may be gone: they say nothing, and more come.
      state.isStale ||= next < end && next > state.next;
      state.next = next;
      if (rows.length > 0 || !state.isStale) keepChosen(session, () => session.log.learn(rows));
      if (!state.isStale) await search(session, state);
      silence.value = null;
    }
  } catch (thrown) {
    silence.value = (thrown as Error).message;
    // No event may come that would bring the next request.
    setTimeout(() => {
      if (selected.value === session && session.standing.value.is === 'live') void learn(session);
    }, pause);
  } finally {
    state.isBusy = false;
  }
}

/** Looks for what the dialects of the columns could not say, in the rows that were not looked at yet. */
async function search(session: Session, { life, searched, next }: Progress): Promise<void> {
  for (const dialect of dialectsOf(session)) {
    for (let from = searched.get(dialect) ?? 0; from < next; ) {
      const page = await lossesOf(session.id, dialect, from);
      if (life !== session.log.life) return;
      if (page.next <= from) break;
      from = page.next;
      searched.set(dialect, from);
      session.log.learnLosses(dialect, page.losses);
    }
  }
}

/** The columns that were asked for; null: nobody has chosen yet. */
export const asked = signal<readonly string[] | null>(null);

/** The dialects that clients read now. */
export function usedIn({ id }: Session): readonly string[] {
  const { sessions } = gateway.value;
  return (sessions.find((session) => session.id === id)?.dialects ?? []).filter((dialect) => dialect !== own);
}

/** The columns of dialects: in use, or asked for. Where there would be none, one shows what a client would get. */
export function dialectsOf(session: Session): readonly string[] {
  const used = usedIn(session);
  const protocol = session.agent.value?.protocol;
  const others = gateway.value.dialects.filter((dialect) => dialect !== own && dialect !== protocol);
  const other = others.includes(known) ? known : others[0];
  const first = used.length > 0 || other === undefined || isNarrow.value ? [] : [other];
  return [...new Set([...used, ...(asked.value ?? first)])];
}

/** The protocol of the page itself, which has a column of its own. */
const own = 'canonical';
/** The protocol that most readers know. */
const known = 'claude';

/** The columns of the wire. An agent inside the gateway has no frames and no column. */
export function columnsOf(session: Session): readonly string[] {
  const { log } = session;
  const native = log.learned > 0 && !log.hasNative ? [] : ['agent'];
  return [...native, own, ...dialectsOf(session)];
}

/** Brings the frames of these dialects for a stretch of rows, once. Nothing while an answer is awaited: its caller comes again with what is learned. */
export async function lookAt(session: Session, from: number, to: number, dialects: readonly string[]): Promise<void> {
  const state = progressOf(session);
  if (dialects.length === 0 || to <= from || state.isLooking) return;
  state.isLooking = true;
  try {
    const { rows } = await wireOf(session.id, from, to, dialects);
    if (state.life !== session.log.life) return;
    keepChosen(session, () => session.log.learn(rows));
  } catch (thrown) {
    silence.value = (thrown as Error).message;
  } finally {
    state.isLooking = false;
  }
}
