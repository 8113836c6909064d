// The rows of a session as the page asks for them: cut to short texts, with what each dialect makes of them.
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { CellRequest, LossPage, LossRequest, WireRequest } from '../../core/contract/gateway/inspector-api.ts';
import type { NativeFrame, WireCell, WirePage, WireRow } from '../../core/contract/gateway/wire-rows.ts';
import { eventCount } from '../../core/model/burst.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Session } from '../../core/session/session.ts';
import { textOf } from '../commands/posted-frames.ts';
import { type DialectCells, dialectCells, type Projected } from './dialect-cells.ts';
import { framesIn, type KeptFrames, type SingleFrame } from './kept-frames.ts';
import { eventsOf, type KeptRow, type WireTap } from './wire-tap.ts';

/** Longest text of a cell, characters; the rest comes by the cell's own route. */
export const mostCellText = 4096;
/** Most events of a page; the first row of a page may have more. */
const mostEvents = 2000;
/** Most rows whose losses are looked for at once. */
const mostSearched = 4000;
/** Longest part of a cell, characters. */
const mostPart = 256 * 1024;

/** The pages of one session. */
export class WirePages {
  readonly #tap: WireTap;
  readonly #session: Session;
  readonly #sideOf: (dialect: string) => FrontendSide;
  /** Where each dialect has come to; a page mostly asks for the next rows. */
  readonly #cells = new Map<string, DialectCells>();
  /** The same for the search for losses, which runs ahead of what is looked at. */
  readonly #searches = new Map<string, DialectCells>();

  constructor(tap: WireTap, session: Session, sideOf: (dialect: string) => FrontendSide) {
    this.#tap = tap;
    this.#session = session;
    this.#sideOf = sideOf;
    tap.onOff = () => {
      this.#cells.clear();
      this.#searches.clear();
    };
  }

  page({ from: wanted, to, dialects }: WireRequest): WirePage {
    const { kept, end } = this.#tap;
    const from = Math.max(wanted, kept);
    const until = this.#untilOf(from, Math.min(to, end));
    const projected = new Map(dialects.map((dialect) => [dialect, this.#projected(this.#cells, dialect, from, until)]));
    const before = this.#before();
    const rows: WireRow[] = [];
    for (let row = from; row < until; row += 1) {
      const found = this.#tap.row(row);
      if (found !== undefined) rows.push(...rowsOf({ row, before, ...found }, projected, row - from));
    }
    return { rows, kept, end };
  }

  /** Fewer rows than asked for, if they have many events. */
  #untilOf(from: number, to: number): number {
    let events = 0;
    for (let row = from; row < to; row += 1) {
      events += countOf(this.#tap.row(row));
      if (events > mostEvents) return Math.max(row, from + 1);
    }
    return to;
  }

  /** The number of the last event that was logged before the first row. */
  #before(): number {
    const { kept, end } = this.#tap;
    for (let row = kept; row < end; row += 1) {
      const { after = null, logged = null } = this.#tap.row(row) ?? {};
      if (after !== null) return after;
      if (logged !== null) return logged.seq - 1;
    }
    return this.#session.transcript.lastSeq;
  }

  /** What the dialect could not say, from that row on. */
  losses({ dialect, from: wanted }: LossRequest): LossPage {
    const from = Math.max(wanted, this.#tap.kept);
    const next = Math.max(from, this.#untilOf(from, Math.min(this.#tap.end, from + mostSearched)));
    const losses = this.#projected(this.#searches, dialect, from, next).flatMap((events, place) => {
      const seq = this.#tap.row(from + place)?.logged?.seq ?? 0;
      return events.flatMap(({ losses: fields }, part) => fields.map((field) => ({ seq: seq + part, field })));
    });
    return { losses, next };
  }

  /** A part of one cell. Throws `not-found`. */
  cell(request: CellRequest): WireCell {
    const text = this.#textOf(request);
    if (text === undefined) throw new GatewayError('not-found', 'this cell is not kept');
    const { at } = request;
    return { text: text.slice(at, at + mostPart), cut: text.length };
  }

  #textOf({ row, part, column, index }: CellRequest): string | undefined {
    const kept = this.#tap.row(row);
    if (kept === undefined) return undefined;
    if (column === 'from') return framesOf(kept, part)[index]?.bytes.toString();
    if (column === 'to') return singly(kept.to)[index]?.bytes.toString();
    const out = this.#projected(this.#cells, column, row, row + 1)[0]?.[part]?.outs[index];
    return out === undefined ? undefined : textOf(out);
  }

  #projected(
    known: Map<string, DialectCells>,
    dialect: string,
    from: number,
    to: number,
  ): readonly (readonly Projected[])[] {
    let cells = known.get(dialect);
    if (cells === undefined || cells.next > from || cells.next < this.#tap.kept) {
      cells = dialectCells(this.#tap, this.#session, this.#sideOf(dialect));
      known.set(dialect, cells);
    }
    while (cells.next < from) cells.skip();
    const projected: (readonly Projected[])[] = [];
    while (cells.next < to) projected.push(cells.step());
    return projected;
  }
}

/** A row for each event; one for what gave none. */
function rowsOf(
  kept: KeptRow & { readonly row: number; readonly before: number },
  projected: ReadonlyMap<string, readonly (readonly Projected[])[]>,
  place: number,
): WireRow[] {
  const { row, at, before, command, to, marks } = kept;
  const after = kept.after ?? before;
  const base = { row, at, from: [], to: [], frames: {}, marks: [] };
  const ofRow = {
    from: framesOf(kept, 0).map(frameOf),
    to: singly(to).map(frameOf),
    ...(command === null ? {} : { command: { client: '', id: String(row), command } }),
  };
  const events = eventsOf(kept);
  if (events.length === 0) return [{ ...base, ...ofRow, part: 0, seq: null, after, marks }];
  return events.map(({ seq, event }, part) => {
    const frames: Record<string, readonly WireCell[]> = {};
    const losses = [...projected].flatMap(([dialect, all]) => {
      const { outs = [], losses: texts = [] } = all[place]?.[part] ?? {};
      frames[dialect] = outs.map((out) => cellOf(textOf(out)));
      return texts.map((text) => ({ kind: 'loss' as const, dialect, text, rule: 'docs/fidelity.md' }));
    });
    const shared = part === 0 ? ofRow : { from: framesOf(kept, part).map(frameOf) };
    const all = [...(part === 0 ? marks : []), ...losses];
    return { ...base, ...shared, part, seq, after: after + part, event, frames, marks: all };
  });
}

/** The frames of the agent that gave that event: of deltas that came together each has its own, before its first event. */
function framesOf({ from, burst }: KeptRow, part: number): readonly SingleFrame[] {
  const frames = singly(from);
  if (burst === null || frames.length !== burst.count) return part === 0 ? frames : [];
  const each = eventCount(burst) / burst.count;
  return part % each === 0 ? frames.slice(part / each, part / each + 1) : [];
}

function countOf(row: KeptRow | undefined): number {
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
