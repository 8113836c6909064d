// The wire of a session: rows of one height, of which only those in view are in the document.
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { several } from '../state/format.ts';
import type { Session } from '../state/session.ts';
import { row as chosen, follows, hiddenColumns, isDrawerOpen } from '../state/view.ts';
import { asked, dialectsOf, learn, lookAt, silence } from './fetch.ts';
import { Line } from './line.tsx';

/** Height of a row, px; the style sheet has the same. */
export const rowHeight = 24;
/** Rows above and below the view. */
const spare = 10;

export function Grid({ session }: { readonly session: Session }): VNode {
  const { log } = session;
  void log.changed.value;
  const rows = log.shown();
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const columns = ['agent', 'canonical', ...dialectsOf(session)].filter((name) => !hiddenColumns.value.has(name));
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + spare);
  // The chosen row stays in the document, so that the focus is not lost.
  const places = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  const { value: place } = chosen;
  if (place >= 0 && place < rows.length && (place < first || place >= last)) places.push(place);

  useFollowing(scroller, rows.length);
  useWire(session, log.length, log.shown(), first, last, columns);
  useEffect(() => reveal(scroller.current, place), [place]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setView({ top: element.scrollTop, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= 4;
    if (isAtEnd) follows.value = true;
    else if (element.scrollTop < view.top) follows.value = false;
    setView({ top: element.scrollTop, height: element.clientHeight });
  };
  return (
    <div
      class="grid"
      role="grid"
      aria-label="Wire"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 2}
      aria-activedescendant={place >= 0 ? `row-${place}` : undefined}
      tabIndex={0}
      id="grid"
      data-columns={Math.min(6, columns.length)}
    >
      <Head columns={columns} />
      <div class="rows" role="rowgroup" ref={scroller} onScroll={onScroll}>
        <div role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
          {places.map((index) => {
            const each = rows[index];
            return (
              each && (
                <Line
                  key={index}
                  log={log}
                  row={each}
                  place={index}
                  columns={columns}
                  top={index * rowHeight}
                  version={log.versionOf(each)}
                  isChosen={index === place}
                />
              )
            );
          })}
        </div>
      </div>
      {rows.length === 0 && (
        <p class="empty quiet">
          {log.length === 0 ? 'No events yet.' : `No row of ${several(log.length, 'event')} passes the filters.`}
        </p>
      )}
      {silence.value !== null && <p class="note warning">The wire is not told: {silence.value}</p>}
    </div>
  );
}

function Head({ columns }: { readonly columns: readonly string[] }): VNode {
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
          {asked.value.includes(name) && (
            <button
              type="button"
              class="close"
              aria-label={`hide ${name}`}
              tabIndex={-1}
              onClick={() => (asked.value = asked.value.filter((other) => other !== name))}
            >
              ×
            </button>
          )}
        </span>
      ))}
    </div>
  );
}

function useFollowing(scroller: { readonly current: HTMLDivElement | null }, count: number): void {
  const { value } = follows;
  useEffect(() => {
    const element = scroller.current;
    if (value && element !== null) element.scrollTop = element.scrollHeight;
  }, [value, count]);
}

function reveal(element: HTMLDivElement | null, place: number): void {
  if (element === null || place < 0) return;
  const top = place * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowHeight - element.clientHeight;
}

type Rows = ReturnType<Session['log']['shown']>;

/** Asks for the wire a moment after events came, and for the frames of dialects a moment after scrolling. */
function useWire(
  session: Session,
  count: number,
  rows: Rows,
  first: number,
  last: number,
  columns: readonly string[],
): void {
  useEffect(() => {
    const timer = setTimeout(() => void learn(session), 250);
    return () => clearTimeout(timer);
  }, [session, count]);
  const dialects = columns.slice(columns.indexOf('canonical') + 1);
  const key = dialects.join();
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = rows
        .slice(first, last)
        .flatMap((row) => (row.is === 'events' ? [session.log.wireOf(session.log.at(row.first).seq)] : []));
      const missing = wanted.filter(
        (wire) => wire !== undefined && dialects.some((dialect) => wire.frames[dialect] === undefined),
      );
      const places = missing.flatMap((wire) => (wire === undefined ? [] : [wire.row]));
      if (places.length > 0) void lookAt(session, Math.min(...places), Math.max(...places) + 1, dialects);
    }, 120);
    return () => clearTimeout(timer);
  }, [session, first, last, key, session.log.learned]);
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
