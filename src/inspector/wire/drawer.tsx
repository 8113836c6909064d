// Everything about the chosen row: its event, the frames that gave it, the frames that it became, its marks.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { WireCell } from '../../core/contract/wire-rows.ts';
import { JsonText, pretty } from '../conversation/json-text.tsx';
import type { Row } from '../state/event-log.ts';
import { clock, several } from '../state/format.ts';
import { cellOf } from '../state/gateway.ts';
import type { Session } from '../state/session.ts';
import { addressOf, row as chosen, isDrawerOpen, said } from '../state/view.ts';
import { Chip } from './chips.tsx';
import { canonicalText } from './row-text.ts';
import { Tree } from './tree.tsx';

/** Deltas of a folded row that are listed. */
const mostListed = 50;

interface Part {
  readonly name: string;
  /** What its cells are called when more of one is asked for; absent: nothing was cut. */
  readonly column?: string;
  readonly texts: readonly WireCell[];
}

function partsOf({ log }: Session, row: Row): Part[] {
  const wire = row.is === 'wire' ? row.wire : log.wireOf(log.at(row.first).seq);
  const parts: Part[] = [];
  if (wire !== undefined && wire.from.length > 0)
    parts.push({ name: 'from the agent', column: 'from', texts: wire.from });
  if (wire?.command !== undefined)
    parts.push({ name: `command of ${wire.command.client}`, texts: [{ text: JSON.stringify(wire.command.command) }] });
  if (wire !== undefined && wire.to.length > 0) parts.push({ name: 'to the agent', column: 'to', texts: wire.to });
  if (row.is === 'events') {
    const events = Array.from({ length: Math.min(row.count, mostListed) }, (_, index) => ({
      text: JSON.stringify(log.at(row.first + index).event),
    }));
    parts.push({
      name: row.count > mostListed ? `canonical, first ${mostListed} of ${row.count}` : 'canonical',
      texts: events,
    });
  }
  for (const [dialect, texts] of Object.entries(wire?.frames ?? {}))
    parts.push({ name: dialect, column: dialect, texts });
  return parts;
}

/** What `c` and the button copy: the event, or the frame that gave none. */
export function copied(session: Session): void {
  const row = session.log.shown()[chosen.value];
  if (row === undefined) return;
  const part = partsOf(session, row).find(({ name }) => name.startsWith('canonical')) ?? partsOf(session, row)[0];
  const text = (part?.texts ?? []).map((cell) => cell.text).join('\n');
  void navigator.clipboard.writeText(text).then(
    () => (said.value = 'The frame is copied.'),
    () => (said.value = 'The browser does not let this page copy.'),
  );
}

export function Drawer({ session }: { readonly session: Session }): VNode | null {
  const [isRaw, setRaw] = useState(true);
  void session.log.changed.value;
  const row = session.log.shown()[chosen.value];
  if (!isDrawerOpen.value || row === undefined) return null;
  const { seq, at } = row.is === 'events' ? session.log.at(row.first) : { seq: null, at: row.wire.at };
  const marks = session.log.marksOf(row);
  return (
    <aside class="drawer" aria-label="Chosen row">
      <header class="row">
        <h3>
          {seq === null ? 'no event' : `#${seq}`} <bdi>{canonicalText(session.log, row)}</bdi>
        </h3>
        <span class="figures">{clock(at)} s</span>
        <span class="gap" />
        <button type="button" class="toggle" aria-pressed={!isRaw} onClick={() => setRaw(!isRaw)}>
          tree
        </button>
        <button type="button" onClick={() => copied(session)}>
          copy
        </button>
        {seq !== null && (
          <button type="button" onClick={() => link(seq)}>
            link
          </button>
        )}
        <button type="button" aria-label="close" onClick={() => (isDrawerOpen.value = false)}>
          ×
        </button>
      </header>
      {marks.length > 0 && (
        <ul class="marks" aria-label="marks">
          {marks.map((mark, index) => (
            <li key={index}>
              <Chip mark={mark} isTabbed />
            </li>
          ))}
        </ul>
      )}
      {partsOf(session, row).map(({ name, column, texts }) => (
        <section key={name} aria-label={name}>
          <h4>
            {name} <span class="figures">{texts.length > 1 && several(texts.length, 'frame')}</span>
          </h4>
          {texts.map((cell, index) => (
            <CellView
              key={`${chosen.value} ${index}`}
              cell={cell}
              isRaw={isRaw}
              more={moreOf(session, row, column, index)}
            />
          ))}
        </section>
      ))}
    </aside>
  );
}

function moreOf(session: Session, row: Row, column: string | undefined, index: number): More | null {
  const wire = row.is === 'wire' ? row.wire : session.log.wireOf(session.log.at(row.first).seq);
  if (wire === undefined || column === undefined) return null;
  return (at) => cellOf(session.id, wire.row, column, index, at);
}

export function link(seq: number): void {
  history.replaceState(null, '', addressOf(seq));
  void navigator.clipboard.writeText(addressOf(seq)).then(
    () => (said.value = 'The link is copied.'),
    () => (said.value = 'The address of the page is the link.'),
  );
}

/** Fetches the rest of a cell, part by part. */
type More = (at: number) => Promise<WireCell>;

function CellView({
  cell,
  isRaw,
  more,
}: {
  readonly cell: WireCell;
  readonly isRaw: boolean;
  readonly more: More | null;
}): VNode {
  const [added, setAdded] = useState('');
  const text = cell.text + added;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const rest = (cell.cut ?? 0) - text.length;
  return (
    <>
      {isRaw || value === undefined ? (
        <JsonText text={value === undefined ? text : pretty(value)} />
      ) : (
        <Tree value={value} />
      )}
      {rest > 0 && (
        <p class="quiet">
          {several(rest, 'character')} more{' '}
          {more !== null && (
            <button
              type="button"
              class="link"
              onClick={() => void more(text.length).then((part) => setAdded(added + part.text))}
            >
              show more
            </button>
          )}
        </p>
      )}
    </>
  );
}
