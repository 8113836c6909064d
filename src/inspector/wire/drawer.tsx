// Everything about the chosen row: its event, the frames that gave it, the frames that it became, its marks.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { WireCell, WireRow } from '../../core/contract/wire-rows.ts';
import { JsonText, pretty } from '../conversation/json-text.tsx';
import type { Row } from '../state/event-log.ts';
import { clock, several } from '../state/format.ts';
import { cellOf } from '../state/gateway.ts';
import type { Session } from '../state/session.ts';
import { addressOf, row as chosen, isDrawerOpen, said } from '../state/view.ts';
import { Chip } from './chips.tsx';
import { canonicalText, mostListed, wiresOf } from './row-text.ts';
import { Tree } from './tree.tsx';

interface Part {
  readonly name: string;
  /** What its cells are called when more of one is asked for; absent: nothing was cut. */
  readonly column?: string;
  readonly cells: readonly Cell[];
}

/** A cell, and where the rest of it is. */
interface Cell extends WireCell {
  readonly wire?: WireRow;
  readonly index?: number;
}

/** The cells of one column of several rows of the wire. */
function cellsOf(wires: readonly WireRow[], of: (wire: WireRow) => readonly WireCell[] | undefined): readonly Cell[] {
  return wires.flatMap((wire) => (of(wire) ?? []).map((cell, index) => ({ ...cell, wire, index })));
}

function partsOf(session: Session, row: Row): Part[] {
  const { log } = session;
  const wires = wiresOf(log, row);
  const command = wires[0]?.command;
  const parts: Part[] = [{ name: 'from the agent', column: 'from', cells: cellsOf(wires, ({ from }) => from) }];
  if (command !== undefined)
    parts.push({
      name: `command${command.client === '' ? '' : ` of ${command.client}`}`,
      cells: [{ text: JSON.stringify(command.command) }],
    });
  parts.push({ name: 'to the agent', column: 'to', cells: cellsOf(wires, ({ to }) => to) });
  if (row.is === 'events') {
    const cells = Array.from({ length: Math.min(row.count, mostListed) }, (_, index) => ({
      text: JSON.stringify(log.at(row.first + index).event),
    }));
    const name = row.count > mostListed ? `canonical, first ${mostListed} of ${row.count}` : 'canonical';
    parts.push({ name, cells });
  }
  for (const dialect of new Set(wires.flatMap(({ frames }) => Object.keys(frames))))
    parts.push({ name: dialect, column: dialect, cells: cellsOf(wires, ({ frames }) => frames[dialect]) });
  return parts.filter(({ name, cells }) => cells.length > 0 || (name !== 'from the agent' && name !== 'to the agent'));
}

/** What `c` and the button copy: the event, or the frame that gave none. */
export function copied(session: Session): void {
  const row = session.log.shown()[chosen.value];
  if (row === undefined) return;
  const part = partsOf(session, row).find(({ name }) => name.startsWith('canonical')) ?? partsOf(session, row)[0];
  const text = (part?.cells ?? []).map((cell) => cell.text).join('\n');
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
      {partsOf(session, row).map(({ name, column, cells }) => (
        <section key={name} aria-label={name}>
          <h4>
            {name} <span class="figures">{cells.length > 1 && several(cells.length, 'frame')}</span>
          </h4>
          {cells.length === 0 && <p class="quiet">nothing: the protocol has no frame for it</p>}
          {cells.map((cell, index) => (
            <CellView key={`${chosen.value} ${index}`} cell={cell} isRaw={isRaw} more={moreOf(session, cell, column)} />
          ))}
        </section>
      ))}
    </aside>
  );
}

function moreOf({ id }: Session, { wire, index = 0 }: Cell, column: string | undefined): More | null {
  if (wire === undefined || column === undefined) return null;
  return (at) => cellOf(id, wire, column, index, at);
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
