// What the page shows of what it knows: panes, the row that is chosen, what is written into the address.
import { batch, effect, signal } from '@preact/signals';
import { select, selected, sessions } from './link.ts';

export type Pane = 'sessions' | 'talk' | 'wire';

/** The pane on a narrow screen. */
export const pane = signal<Pane>('talk');
const narrow = matchMedia('(max-width: 60rem)');
/** One pane at a time, as on a phone; the style sheet has the same width. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => (isNarrow.value = matches));
export const isWireShown = signal(!narrow.matches);
/** Place of the chosen row among those that are shown; -1: none. */
export const row = signal(-1);
export const isDrawerOpen = signal(false);
/** The grid stays at its end. */
export const follows = signal(true);
export const isHelpOpen = signal(false);
/** Columns that are not shown. */
export const hiddenColumns = signal<ReadonlySet<string>>(new Set());
/** Single keys do something; can be switched off (WCAG 2.1.4). */
export const hasKeys = signal(localStorage.getItem('keys') !== 'off');
/** A rule whose text is asked for. */
export const openRule = signal<{ readonly rule: string | undefined; readonly text: string } | null>(null);
/** Why a session or tape was not opened, until somebody has read it. */
export const refusal = signal<string | null>(null);
/** Sentence for the status region. */
export const said = signal('');
/** Wins over the colour scheme of the system. */
export const theme = signal<'system' | 'dark' | 'light'>((localStorage.getItem('theme') as 'dark' | null) ?? 'system');

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem('theme', theme.value);
});
effect(() => localStorage.setItem('keys', hasKeys.value ? 'on' : 'off'));

/** Shows a session and writes it into the address. */
export function show(id: string): void {
  batch(() => {
    select(id);
    row.value = -1;
    isDrawerOpen.value = false;
    follows.value = true;
    pane.value = 'talk';
  });
  history.replaceState(null, '', `#s=${encodeURIComponent(id)}`);
}

/** Shows the session once it is open, or why it is not. */
export function showOpened(work: Promise<string>): void {
  work.then(
    (id) => {
      refusal.value = null;
      show(id);
    },
    (thrown: Error) => (refusal.value = thrown.message),
  );
}

/** The address of an event of the chosen session. */
export function addressOf(seq: number): string {
  const { origin, pathname } = location;
  return `${origin}${pathname}#s=${encodeURIComponent(selected.value?.id ?? '')}&e=${seq}`;
}

/** What the address names. */
export function named(): { readonly session: string | null; readonly event: number | null } {
  const parts = new URLSearchParams(location.hash.slice(1));
  const event = Number(parts.get('e') ?? Number.NaN);
  return { session: parts.get('s'), event: Number.isInteger(event) ? event : null };
}

/** Chooses the row of that event, once it is there; of the next one, if it is not kept. */
export function showEvent(seq: number): boolean {
  const log = selected.value?.log;
  if (log === undefined) return false;
  const place = log.placeOf(seq);
  if (log.at(place).seq !== seq && log.mayCome(seq)) return false;
  const found = log.rowOf(place);
  const each = log.shown()[found];
  if (each?.is !== 'events' || place >= each.first + each.count) return false;
  batch(() => {
    isWireShown.value = true;
    pane.value = 'wire';
    follows.value = false;
    row.value = found;
    isDrawerOpen.value = true;
  });
  return true;
}

/** Goes where the address says: its session, then its event when that has come. */
export function followAddress(): void {
  const { session, event } = named();
  if (session === null) return;
  if (selected.value?.id !== session) {
    if (!sessions.has(session)) select(session);
    selected.value = sessions.get(session) ?? null;
  }
  if (event === null) return;
  const stop = effect(() => {
    const log = selected.value?.log;
    void log?.changed.value;
    if (log !== undefined && showEvent(event)) queueMicrotask(() => stop());
  });
}
