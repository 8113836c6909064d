// Keys of the whole page. Single letters can be switched off, and do nothing within fields.
import { pause, paused, selected } from '../state/link.ts';
import type { Session } from '../state/session.ts';
import {
  follows,
  hasKeys,
  hiddenColumns,
  isDrawerOpen,
  isHelpOpen,
  isWireShown,
  openRule,
  pane,
  row,
} from '../state/view.ts';
import { copied, link } from '../wire/drawer.tsx';
import { columnsOf } from '../wire/fetch.ts';
import { choose, open } from '../wire/grid.tsx';

interface Key {
  readonly keys: readonly string[];
  readonly shown: string;
  readonly does: string;
  /** Absent: a card or field takes the key itself. */
  readonly act?: (session: Session, key: string) => void;
}

/** The next row behind the chosen one, or before it, that passes. */
function seek(session: Session, step: 1 | -1, passes: (place: number) => boolean): void {
  const { length } = session.log.shown();
  for (let place = row.value + step; place >= 0 && place < length; place += step)
    if (passes(place)) return choose(session, place);
}

function kindAt(session: Session, place: number): string {
  const found = session.log.shown()[place];
  return found === undefined ? '' : session.log.kindOf(found);
}

const begins = /^(?:message-start|message-added|tool-start|run-start|approval-request|dialog-request|command)$/u;

function move(session: Session, key: string): void {
  isWireShown.value = true;
  choose(session, Math.max(0, row.value + (key === 'j' || key === 'ArrowDown' ? 1 : -1)));
}

export const keys: readonly Key[] = [
  { keys: ['j', 'k'], shown: 'j k', does: 'next and previous row of the wire', act: move },
  {
    keys: ['J', 'K'],
    shown: 'J K',
    does: 'next and previous message, tool or command',
    act: (session, key) => seek(session, key === 'J' ? 1 : -1, (place) => begins.test(kindAt(session, place))),
  },
  { keys: ['Enter'], shown: 'Enter', does: 'everything about the row' },
  { keys: ['/'], shown: '/', does: 'search', act: () => focus('search') },
  {
    keys: ['n', 'N'],
    shown: 'n N',
    does: 'next and previous row that the search finds',
    act: (session, key) => seek(session, key === 'n' ? 1 : -1, () => true),
  },
  { keys: ['f'], shown: 'f', does: 'follow the end', act: () => (follows.value = !follows.value) },
  {
    keys: ['g', 'G'],
    shown: 'g G',
    does: 'first and last row',
    act: (session, key) => choose(session, key === 'g' ? 0 : -1),
  },
  { keys: ['[', ']'], shown: '[ ]', does: 'where the block, tool or question begins and ends', act: counterpart },
  {
    keys: ['e', 'l'],
    shown: 'e l',
    does: 'next error, next row with a mark',
    act: (session, key) =>
      seek(session, 1, (place) =>
        key === 'e' ? /error|retry-start/u.test(kindAt(session, place)) : isLossy(session, place),
      ),
  },
  { keys: ['c'], shown: 'c', does: 'copy the frame', act: copied },
  { keys: ['y'], shown: 'y', does: 'link to the event', act: (session) => linkTo(session) },
  {
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    shown: '1–9',
    does: 'show or hide a column',
    act: (session, key) => toggleColumn(session, Number(key)),
  },
  { keys: ['p'], shown: 'p', does: 'pause', act: () => pause(!paused.value) },
  { keys: ['q'], shown: 'q', does: 'go to the next question that waits', act: nextQuestion },
  { keys: [], shown: 'a d', does: 'allow, deny, on the question that has the focus' },
  { keys: ['i'], shown: 'i', does: 'go to the prompt', act: () => focus('prompt') },
  { keys: ['?'], shown: '?', does: 'this list', act: () => (isHelpOpen.value = true) },
  { keys: [], shown: 'Esc', does: 'close; twice: abort the run' },
];

const byKey = new Map(keys.flatMap((each) => each.keys.map((key) => [key, each] as const)));

function nextQuestion(): void {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-question]')];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  pane.value = 'talk';
  queueMicrotask(() => cards[(at + 1) % cards.length]?.focus());
}

function isLossy(session: Session, place: number): boolean {
  const found = session.log.shown()[place];
  return found !== undefined && session.log.marksOf(found).length > 0;
}

function counterpart(session: Session, key: string): void {
  const found = session.log.shown()[row.value];
  if (found?.is !== 'events') return;
  const event = session.log.at(found.first).event as
    | { type: string; index?: number; call?: string; id?: string }
    | undefined;
  const same = (place: number) => {
    const other = session.log.shown()[place];
    if (event === undefined || other?.is !== 'events') return false;
    const each = session.log.at(other.first).event as typeof event;
    const isEnd = each?.type.endsWith(key === '[' ? '-start' : '-end') || each?.type.endsWith('-request');
    return isEnd === true && each?.index === event.index && (event.call === undefined || each?.call === event.call);
  };
  seek(session, key === '[' ? -1 : 1, same);
}

function linkTo(session: Session): void {
  const found = session.log.shown()[row.value];
  if (found?.is === 'events') link(session.log.at(found.first).seq);
}

function toggleColumn(session: Session, place: number): void {
  const name = columnsOf(session)[place - 1];
  if (name === undefined) return;
  const next = new Set(hiddenColumns.value);
  if (!next.delete(name)) next.add(name);
  hiddenColumns.value = next;
}

function focus(id: string): void {
  pane.value = id === 'search' ? 'wire' : 'talk';
  if (id === 'search') isWireShown.value = true;
  // Behind the drawing that the lines above ask for, and before the next key.
  queueMicrotask(() => document.getElementById(id)?.focus());
}

/** When Escape came, ms: a second one soon after aborts, unless another key came between. */
let escapedAt = Number.NEGATIVE_INFINITY;

function leaveOne(session: Session | null, target: HTMLElement): void {
  if (openRule.value !== null || isHelpOpen.value) return;
  const now = performance.now();
  if (now - escapedAt < 600 && session?.running.value === true) void session.ask({ type: 'abort', target: 'run' });
  escapedAt = now;
  if (isDrawerOpen.value) isDrawerOpen.value = false;
  else target.blur();
}

function pressed(event: KeyboardEvent): void {
  const at = event.target as HTMLElement;
  // A dialog that has closed keeps the focus until the browser draws.
  const target = at.closest('dialog:not([open])') === null ? at : document.body;
  const session = selected.value;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === 'Escape') return leaveOne(session, target);
  escapedAt = Number.NEGATIVE_INFINITY;
  if (target.matches('input, textarea, select, [contenteditable]') || document.querySelector('dialog[open]') !== null)
    return;
  if (session === null) {
    if (event.key === '?' && hasKeys.value) isHelpOpen.value = true;
    return;
  }
  if (target.id === 'grid') {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      return move(session, event.key);
    }
    if (event.key === 'Home' || event.key === 'End') return choose(session, event.key === 'Home' ? 0 : -1);
    if (event.key === 'Enter') return open();
  }
  if (!hasKeys.value) return;
  if (event.key === 'Enter' && target === document.body) return open();
  const found = byKey.get(event.key);
  if (found?.act === undefined) return;
  event.preventDefault();
  found.act(session, event.key);
}

/** Listens to the keys of the page. */
export function listenToKeys(): void {
  addEventListener('keydown', pressed);
}
