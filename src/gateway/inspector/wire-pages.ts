// The rows of a session as the page asks for them: cut to short texts, with what each dialect makes of them.
import type { FrontendSide } from '../../core/contract/adapter.ts';
import type { CellRequest, WireRequest } from '../../core/contract/inspector-api.ts';
import type { NativeFrame, WireCell, WirePage, WireRow } from '../../core/contract/wire-rows.ts';
import { eventCount } from '../../core/model/burst.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Session } from '../../core/session/session.ts';
import { textOf } from '../commands/posted-frames.ts';
import { type DialectCells, dialectCells, type Projected } from './dialect-cells.ts';
import { framesIn, type KeptFrames, type SingleFrame } from './kept-frames.ts';
import type { KeptRow, WireTap } from './wire-tap.ts';

/** Longest text of a cell, characters; the rest comes by the cell's own route. */
export const mostCellText = 4096;
/** Most events of a page; the first row of a page may have more. */
const mostEvents = 2000;
/** Longest part of a cell, characters. */
const mostPart = 256 * 1024;

/** The pages of one session. */
export class WirePages {
  readonly #tap: WireTap;
  readonly #session: Session;
  readonly #sideOf: (dialect: string) => FrontendSide;
  /** Where each dialect has come to; a page mostly asks for the next rows. */
  readonly #cells = new Map<string, DialectCells>();

  constructor(tap: WireTap, session: Session, sideOf: (dialect: string) => FrontendSide) {
    this.#tap = tap;
    this.#session = session;
    this.#sideOf = sideOf;
    tap.onOff = () => this.#cells.clear();
  }

  page({ from: wanted, to, dialects }: WireRequest): WirePage {
    const { kept, end } = this.#tap;
    const from = Math.max(wanted, kept);
    const until = this.#untilOf(from, Math.min(to, end));
    const projected = new Map(dialects.map((dialect) => [dialect, this.#projected(dialect, from, until)]));
    const rows: WireRow[] = [];
    for (let row = from; row < until; row += 1) {
      const found = this.#tap.row(row);
      if (found !== undefined) rows.push(rowOf(row, found, projected, row - from));
    }
    return { rows, kept, end };
  }

  /** Fewer rows than asked for, if they have many events. */
  #untilOf(from: number, to: number): number {
    let events = 0;
    for (let row = from; row < to; row += 1) {
      events += eventsOf(this.#tap.row(row));
      if (events > mostEvents) return Math.max(row, from + 1);
    }
    return to;
  }

  /** A part of one cell. Throws `not-found`. */
  cell({ row, column, index, at }: CellRequest): WireCell {
    const text = this.#textOf(row, column, index);
    if (text === undefined) throw new GatewayError('not-found', 'this cell is not kept');
    return { text: text.slice(at, at + mostPart), cut: text.length };
  }

  #textOf(row: number, column: string, index: number): string | undefined {
    const kept = this.#tap.row(row);
    if (kept === undefined) return undefined;
    if (column === 'from' || column === 'to') return singly(kept[column])[index]?.bytes.toString();
    const out = this.#projected(column, row, row + 1)[0]?.outs[index];
    return out === undefined ? undefined : textOf(out);
  }

  #projected(dialect: string, from: number, to: number): readonly Projected[] {
    let cells = this.#cells.get(dialect);
    if (cells === undefined || cells.next > from || cells.next < this.#tap.kept) {
      cells = dialectCells(this.#tap, this.#session, this.#sideOf(dialect));
      this.#cells.set(dialect, cells);
    }
    while (cells.next < from) cells.skip();
    const projected: Projected[] = [];
    while (cells.next < to) projected.push(cells.step());
    return projected;
  }
}

function rowOf(
  row: number,
  kept: KeptRow,
  projected: ReadonlyMap<string, readonly Projected[]>,
  place: number,
): WireRow {
  const { at, logged, command, from, to, marks } = kept;
  const count = eventsOf(kept);
  const frames: Record<string, readonly WireCell[]> = {};
  const losses = [...projected].flatMap(([dialect, all]) => {
    const { outs = [], losses: texts = [] } = all[place] ?? {};
    frames[dialect] = outs.map((out) => cellOf(textOf(out)));
    return texts.map((text) => ({ kind: 'loss' as const, dialect, text, rule: 'docs/fidelity.md' }));
  });
  return {
    row,
    at,
    seq: logged?.seq ?? null,
    ...(logged === null ? {} : { event: logged.event }),
    from: singly(from).map(frameOf),
    to: singly(to).map(frameOf),
    frames,
    ...(command === null ? {} : { command: { client: '', id: String(row), command } }),
    marks: [...marks, ...losses],
    ...(count > 1 ? { count } : {}),
  };
}

function eventsOf(row: KeptRow | undefined): number {
  if (row === undefined || row.logged === null) return 0;
  return row.burst === null ? 1 : eventCount(row.burst);
}

function singly(frames: readonly KeptFrames[]): readonly SingleFrame[] {
  return frames.flatMap((kept) => [...framesIn(kept)]);
}

function frameOf({ n, at, bytes }: SingleFrame): NativeFrame {
  return { n, at, bytes: bytes.length, ...cellOf(bytes.toString()) };
}

function cellOf(text: string): WireCell {
  return text.length <= mostCellText ? { text } : { text: text.slice(0, mostCellText), cut: text.length };
}
