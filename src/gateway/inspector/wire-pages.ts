// The rows of a session as the page asks for them: cut to short texts, with what each dialect makes of them.
import type { FrontendSide } from '../../core/contract/adapter.ts';
import type { CellRequest, WireRequest } from '../../core/contract/inspector-api.ts';
import type { NativeFrame, WireCell, WirePage, WireRow } from '../../core/contract/wire-rows.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Session } from '../../core/session/session.ts';
import { textOf } from '../commands/posted-frames.ts';
import { type DialectCells, dialectCells, type Projected } from './dialect-cells.ts';
import type { KeptFrame, KeptRow, WireTap } from './wire-tap.ts';

/** Longest text of a cell, characters; the rest comes by the cell's own route. */
export const mostCellText = 4096;
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
  }

  page({ from: wanted, to, dialects }: WireRequest): WirePage {
    const { kept, end } = this.#tap;
    const from = Math.max(wanted, kept);
    const until = Math.min(to, end);
    const projected = new Map(dialects.map((dialect) => [dialect, this.#projected(dialect, from, until)]));
    const rows: WireRow[] = [];
    for (let row = from; row < until; row += 1) {
      const found = this.#tap.row(row);
      if (found !== undefined) rows.push(rowOf(row, found, projected, row - from));
    }
    return { rows, kept, end };
  }

  /** A part of one cell. Throws `not-found`. */
  cell({ row, column, index, at }: CellRequest): WireCell {
    const text = this.#textOf(row, column, index);
    if (text === undefined) throw new GatewayError('not-found', 'this cell is not kept');
    return { text: text.slice(at, at + mostPart), cut: text.length };
  }

  #textOf(row: number, column: string, index: number): string | undefined {
    if (column === 'from' || column === 'to') return this.#tap.row(row)?.[column][index]?.bytes.toString();
    if (this.#tap.row(row) === undefined) return undefined;
    const out = this.#projected(column, row, row + 1)[0]?.outs[index];
    return out === undefined ? undefined : textOf(out);
  }

  #projected(dialect: string, from: number, to: number): readonly Projected[] {
    let cells = this.#cells.get(dialect);
    if (cells === undefined || cells.next > from || cells.next < this.#tap.kept) {
      cells = dialectCells(this.#tap, this.#session, this.#sideOf(dialect));
      this.#cells.set(dialect, cells);
    }
    while (cells.next < from) cells.step();
    const projected: Projected[] = [];
    while (cells.next < to) projected.push(cells.step());
    return projected;
  }
}

function rowOf(
  row: number,
  { at, logged, command, from, to, marks }: KeptRow,
  projected: ReadonlyMap<string, readonly Projected[]>,
  place: number,
): WireRow {
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
    from: from.map(frameOf),
    to: to.map(frameOf),
    frames,
    ...(command === null ? {} : { command: { client: '', id: String(row), command } }),
    marks: [...marks, ...losses],
  };
}

function frameOf({ n, at, bytes }: KeptFrame): NativeFrame {
  return { n, at, bytes: bytes.length, ...cellOf(bytes.toString()) };
}

function cellOf(text: string): WireCell {
  return text.length <= mostCellText ? { text } : { text: text.slice(0, mostCellText), cut: text.length };
}
