// The cells of a row, by column; and the frame before it that a cell is compared with.
import type { WireCell, WireRow } from '../../core/contract/gateway/wire-rows.ts';
import type { EventLog, Row } from '../state/event-log.ts';
import { clock } from '../state/format.ts';
import { cellOf } from '../state/gateway.ts';
import type { Session } from '../state/session.ts';
import { kindOf, mostListed, wiresOf } from './row-text.ts';

/** A cell, and where it is. */
export interface Cell extends WireCell {
  /** What people call its row: `#12`, or the time of a row without an event. */
  readonly place: string;
  /** Where the rest of the text is; absent: nothing was cut. */
  readonly rest?: { readonly wire: WireRow; readonly index: number };
}

/** A column of a row. */
export interface Part {
  readonly name: string;
  /** `from` and `to` the agent, `canonical`, `command`, or a dialect. */
  readonly column: string;
  readonly cells: readonly Cell[];
}

/** Cells that are looked at for one of the same kind. */
const mostSought = 2000;
/** Longest frame that is fetched whole, characters. */
const longest = 4_000_000;

function cellsOf(wire: WireRow, column: string): readonly Cell[] {
  const place = wire.seq === null ? `${clock(wire.at)} s` : `#${wire.seq}`;
  if (column === 'command')
    return wire.command === undefined ? [] : [{ text: JSON.stringify(wire.command.command), place }];
  const cells = column === 'from' || column === 'to' ? wire[column] : (wire.frames[column] ?? []);
  return cells.map((cell, index) => ({ ...cell, place, rest: { wire, index } }));
}

/** The cells of an event. */
function cellsAt(log: EventLog, place: number, column: string): readonly Cell[] {
  const { seq, event } = log.at(place);
  if (column === 'canonical') return [{ text: JSON.stringify(event), place: `#${seq}` }];
  const wire = log.wireOf(seq);
  return wire === undefined ? [] : cellsOf(wire, column);
}

export function partsOf(log: EventLog, row: Row): readonly Part[] {
  const wires = wiresOf(log, row);
  const client = wires[0]?.command?.client ?? '';
  const part = (column: string, name = column): Part => ({
    name,
    column,
    cells: wires.flatMap((wire) => cellsOf(wire, column)),
  });
  const parts = [
    part('from', 'from the agent'),
    part('command', client === '' ? 'command' : `command of ${client}`),
    part('to', 'to the agent'),
  ].filter(({ cells }) => cells.length > 0);
  if (row.is === 'events') {
    const places = Array.from({ length: Math.min(row.count, mostListed) }, (_, index) => row.first + index);
    const name = row.count > mostListed ? `canonical, first ${mostListed} of ${row.count}` : 'canonical';
    parts.push({ name, column: 'canonical', cells: places.flatMap((place) => cellsAt(log, place, 'canonical')) });
  }
  const dialects = new Set(wires.flatMap(({ frames }) => Object.keys(frames)));
  return [...parts, ...[...dialects].map((dialect) => part(dialect))];
}

/** The cells of a column in the rows above, the nearest first. */
function* above(log: EventLog, row: number, column: string): Generator<Cell> {
  const rows = log.shown();
  for (let at = row - 1; at >= 0; at -= 1) {
    const each = rows[at];
    if (each?.is === 'wire') yield* cellsOf(each.wire, column).toReversed();
    if (each?.is !== 'events') continue;
    for (let place = each.first + each.count - 1; place >= each.first; place -= 1)
      yield* cellsAt(log, place, column).toReversed();
  }
}

/** The frame of the same kind and column that came before a cell of that row, among the rows that are shown; null: none did. */
export function cellBefore(log: EventLog, row: number, { column, cells }: Part, index: number): Cell | null {
  const kind = kindOf(cells[index]?.text ?? '');
  const isSame = ({ text }: Cell) => kindOf(text) === kind;
  const beside = cells.slice(0, index).findLast(isSame);
  if (beside !== undefined) return beside;
  let sought = 0;
  for (const cell of above(log, row, column)) {
    if (isSame(cell)) return cell;
    sought += 1;
    if (sought === mostSought) return null;
  }
  return null;
}

/** More of a cell, from that character on. */
export function moreOf({ id }: Session, { rest }: Cell, column: string, at: number): Promise<WireCell> {
  if (rest === undefined) return Promise.resolve({ text: '' });
  return cellOf(id, rest.wire, column, rest.index, at);
}

/** The whole text of a cell; rejects if the text is too long or not kept. */
export async function wholeOf(session: Session, cell: Cell, column: string): Promise<string> {
  let { text } = cell;
  const { cut = 0 } = cell;
  if (cut > longest) throw new Error('The frame is too long to be compared.');
  while (text.length < cut) {
    const { text: more } = await moreOf(session, cell, column, text.length);
    if (more === '') break;
    text += more;
  }
  return text;
}

/** The value of a frame; undefined: the frame is no JSON, or only its beginning is here. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
