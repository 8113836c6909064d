// The wire of a session: rows of one height, of which only those in view are in the document.
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { everything } from '../state/event-log.ts';
import { several } from '../state/format.ts';
import type { Session } from '../state/session.ts';
import { row as chosen, follows, hiddenColumns, isDrawerOpen, isNarrow } from '../state/view.ts';
import { asked, columnsOf, dialectsOf, learn, lookAt, silence, usedIn } from './fetch.ts';
import { Line } from './line.tsx';
import { Minimap } from './minimap.tsx';
import { wiresOf } from './row-text.ts';

/** Height of a row, px; the style sheet has the same. On a phone a row is as high as a finger. */
export const heightOfRow = () => (isNarrow.value ? 44 : 24);
/** Height of the column names above the rows, px. */
const heightOfHead = () => (isNarrow.value ? 0 : 28);
/** Height that rows are seen in, px. */
const heightIn = (element: HTMLElement) => element.clientHeight - heightOfHead();
/** Rows above and below the view, and above it while its end is followed. */
const spare = { around: 8, followed: 3 };
/** Rows that the view moves by before others are drawn. */
const step = 8;

export function Grid({ session }: { readonly session: Session }): VNode {
  const { log } = session;
  void log.changed.value;
  const rows = log.shown();
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  /** Where the scroller was last, px. */
  const reached = useRef(0);
  const rowHeight = heightOfRow();
  const columns = columnsOf(session).filter((name) => !hiddenColumns.value.has(name));
  // While the end is followed, its rows are drawn before the scroller has got there.
  const seen = Math.ceil(view.height / rowHeight) + 1;
  const top = Math.floor(reached.current / rowHeight / step) * step;
  const first = Math.max(0, follows.value ? rows.length - seen - spare.followed : top - spare.around);
  const last = Math.min(rows.length, follows.value ? rows.length : top + step + seen + spare.around);
  const { value: place } = chosen;
  const line = (index: number, ownTop?: number) => {
    const row = rows[index];
    return (
      row && (
        <Line
          // By its place in the view: in a flood every row is another one, and none moves.
          key={ownTop === undefined ? index - first : 'chosen'}
          log={log}
          row={row}
          place={index}
          columns={columns}
          version={log.versionOf(row)}
          isChosen={index === place}
          {...(ownTop !== undefined && { top: ownTop })}
        />
      )
    );
  };

  useFollowing(scroller, reached, rows.length);
  useWire(session, log.length, log.shown(), first, last, columns);
  // The drawer takes of the height in which the row that it is about is seen.
  useEffect(() => reveal(scroller.current, place), [place, isDrawerOpen.value && view.height]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setView({ top: element.scrollTop, height: heightIn(element) }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= 4;
    if (isAtEnd) follows.value = true;
    else if (element.scrollTop < reached.current) follows.value = false;
    reached.current = element.scrollTop;
    if (!follows.value) setView({ top: element.scrollTop, height: heightIn(element) });
  };
  return (
    <div class="grid-frame">
      <Beginning session={session} />
      <div
        class="grid"
        role="grid"
        aria-label="Wire"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 2}
        aria-activedescendant={place >= 0 ? `row-${place}` : undefined}
        tabIndex={0}
        id="grid"
        ref={scroller}
        onScroll={onScroll}
      >
        <Head session={session} columns={columns} />
        <div class="rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          <div class="view" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {Array.from({ length: Math.max(0, last - first) }, (_, index) => line(first + index))}
          </div>
          {/* The chosen row stays in the document, so that the focus is not lost. */}
          {place >= 0 && (place < first || place >= last) && line(place, place * rowHeight)}
        </div>
      </div>
      <Minimap session={session} go={(share) => choose(session, Math.floor(share * rows.length))} />
      {rows.length === 0 && <Nothing session={session} />}
      {silence.value !== null && <p class="note warning">The wire is not told: {silence.value}</p>}
    </div>
  );
}

/** Why there are no rows. */
function Nothing({ session: { log } }: { readonly session: Session }): VNode {
  if (log.length === 0)
    return (
      <div class="empty">
        <p>No event yet.</p>
        <p class="quiet">
          Each event of the agent becomes a row, with the frames that it came from and those that it became.
        </p>
      </div>
    );
  return (
    <div class="empty">
      <p>None of {several(log.length, 'event')} passes the filters.</p>
      <button type="button" onClick={() => log.show({ ...everything, isFolded: log.filter.isFolded })}>
        Show all
      </button>
    </div>
  );
}

/** The wire is kept while a page is open, and bounded: what was before has events and no frames. */
function Beginning({ session: { log } }: { readonly session: Session }): VNode | null {
  if (log.learned === 0 || log.length === 0) return null;
  const { firstWired } = log;
  if (firstWired !== null && firstWired <= log.at(0).seq) return null;
  const which = firstWired === null ? 'of these events' : `before #${firstWired}`;
  return <p class="beginning quiet">The frames {which} are not kept.</p>;
}

function Head({ session, columns }: { readonly session: Session; readonly columns: readonly string[] }): VNode {
  const shown = dialectsOf(session);
  const used = usedIn(session);
  return (
    <div class="line head" role="row" aria-rowindex={1}>
      <span role="columnheader" class="seq">
        #
      </span>
      <span role="columnheader" class="time">
        s
      </span>
      {columns.map((name) => (
        <span key={name} role="columnheader" class="cell">
          {name}
          {shown.includes(name) && !used.includes(name) && (
            <button
              type="button"
              class="close"
              aria-label={`hide ${name}`}
              tabIndex={-1}
              onClick={() => (asked.value = shown.filter((other) => other !== name))}
            >
              ×
            </button>
          )}
        </span>
      ))}
    </div>
  );
}

function useFollowing(
  scroller: { readonly current: HTMLDivElement | null },
  reached: { current: number },
  count: number,
): void {
  const { value } = follows;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!value || element === null) return;
    element.scrollTop = count * heightOfRow();
    reached.current = element.scrollTop;
  }, [value, count]);
}

function reveal(element: HTMLDivElement | null, place: number): void {
  if (element === null || place < 0) return;
  const rowHeight = heightOfRow();
  const top = place * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + heightIn(element))
    element.scrollTop = top + rowHeight - heightIn(element);
}

type Rows = ReturnType<Session['log']['shown']>;

/** Events before something is due, a quarter of a second at most, that nobody can read. */
const flood = 500;

/**
 * Does something a moment after its causes change, also while they go on changing. `events`: how many there are; once more than `most` came
 * meanwhile, the moment begins anew.
 */
function useSoon(
  act: () => void,
  ms: number,
  { events, most }: { readonly events: number; readonly most: number },
  causes: readonly unknown[],
): void {
  const latest = useRef(act);
  latest.current = act;
  const due = useRef<{ readonly timer: ReturnType<typeof setTimeout>; readonly events: number } | null>(null);
  useEffect(() => {
    if (due.current !== null && events - due.current.events > most) {
      clearTimeout(due.current.timer);
      due.current = null;
    }
    const now = () => {
      due.current = null;
      latest.current();
    };
    due.current ??= { timer: setTimeout(now, ms), events };
  }, causes);
  useEffect(() => () => clearTimeout(due.current?.timer), []);
}

/** Asks for the wire after events came, and for the frames of dialects after scrolling. */
function useWire(
  session: Session,
  count: number,
  rows: Rows,
  first: number,
  last: number,
  columns: readonly string[],
): void {
  const dialects = dialectsOf(session).filter((name) => columns.includes(name));
  const key = dialects.join();
  const { log } = session;
  // A flood is asked for once it is over: nobody reads it, and the answers would slow it down.
  useSoon(() => void learn(session), 250, { events: count, most: flood }, [
    session,
    log.life,
    session.isWhole.value,
    count,
    key,
  ]);
  const lookAtMissing = () => {
    // A row that grows is told in parts: any of its deltas may lack its frames.
    const wanted = rows.slice(first, last).flatMap((row) => (row.is === 'events' ? wiresOf(log, row) : []));
    const missing = wanted.filter(({ frames }) => dialects.some((dialect) => frames[dialect] === undefined));
    const places = missing.map(({ row }) => row);
    if (places.length > 0) void lookAt(session, Math.min(...places), Math.max(...places) + 1, dialects);
  };
  // Of what is scrolled past nothing is asked: going back costs the gateway all rows from the first one on.
  const most = follows.value ? flood : -1;
  useSoon(lookAtMissing, 120, { events: count, most }, [session, log.life, first, last, key, log.learned]);
}

/** Chooses a row; -1 for the last one. */
export function choose(session: Session, place: number): void {
  const { length } = session.log.shown();
  if (length === 0) return;
  follows.value = false;
  chosen.value = Math.max(0, Math.min(length - 1, place < 0 ? length - 1 : place));
}

/** Opens the drawer of the chosen row. */
export function open(): void {
  if (chosen.value >= 0) isDrawerOpen.value = true;
}
