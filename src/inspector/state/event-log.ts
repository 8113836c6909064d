// The events of a session in arrays that only grow, and the rows of the grid over them. A row is a stretch of events: one,
// or the consecutive deltas of a block.
import { signal } from '@preact/signals';
import type { WireMark, WireRow } from '../../core/contract/wire-rows.ts';
import type { Event, EventType } from '../../core/model/event.ts';

/** Which rows are shown. Empty: all of them. */
export interface Filter {
  readonly kinds: ReadonlySet<EventType | 'command' | 'native'>;
  readonly marks: ReadonlySet<WireMark['kind']>;
  readonly text: string;
  /** Consecutive deltas of a block are one row. */
  readonly isFolded: boolean;
}

export const everything: Filter = { kinds: new Set(), marks: new Set(), text: '', isFolded: true };

/** Either events from place `first` on, or a row of the wire that gave no event. */
export type Row =
  | { readonly is: 'events'; readonly first: number; count: number }
  | { readonly is: 'wire'; readonly wire: WireRow };

const isSame = (a: WireMark, b: WireMark) => a.kind === b.kind && a.text === b.text && a.dialect === b.dialect;

export type EventLog = ReturnType<typeof createEventLog>;

export function createEventLog() {
  /** Counts changes. */
  const changed = signal(0);
  const seqs: number[] = [];
  const ats: number[] = [];
  const events: Event[] = [];
  const marks = new Map<number, WireMark[]>();
  /** What the gateway told about the wire, by `seq`. */
  const wires = new Map<number, WireRow>();
  /** Rows without an event, behind the event of that place. */
  const between = new Map<number, WireRow[]>();
  /** How often the wire was told about. */
  let learned = 0;
  let filter = everything;
  let rows: Row[] = [];
  /** Events that the rows have taken. */
  let taken = 0;

  function placeOf(seq: number): number {
    let [low, high] = [0, seqs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((seqs[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function marksOf(row: Row): readonly WireMark[] {
    if (row.is === 'wire') return row.wire.marks;
    const found: WireMark[] = [];
    for (let place = row.first; place < row.first + row.count; place += 1) {
      const seq = seqs[place] ?? 0;
      const told = wires.get(seq)?.marks ?? [];
      const others = (marks.get(seq) ?? []).filter((mark) => !told.some((other) => isSame(mark, other)));
      found.push(...[...told, ...others].filter((mark) => !found.some((other) => isSame(mark, other))));
      if (events[place]?.synthetic === true && !found.some(({ kind }) => kind === 'repair'))
        found.push({ kind: 'repair', text: 'the gateway made this event to keep the order legal' });
    }
    return found;
  }

  function isShown(row: Row): boolean {
    const { kinds, marks: wanted, text } = filter;
    if (kinds.size > 0 && !kinds.has(kindOf(row))) return false;
    if (wanted.size > 0 && !marksOf(row).some(({ kind }) => wanted.has(kind))) return false;
    return text === '' || textOf(row).toLowerCase().includes(text);
  }

  function kindOf(row: Row): EventType | 'command' | 'native' {
    if (row.is === 'wire') return row.wire.command === undefined ? 'native' : 'command';
    return events[row.first]?.type ?? 'unknown';
  }

  function textOf(row: Row): string {
    if (row.is === 'wire') return JSON.stringify(row.wire);
    let text = '';
    for (let place = row.first; place < row.first + row.count; place += 1) text += JSON.stringify(events[place]);
    return text;
  }

  function take(place: number): void {
    const event = events[place];
    const last = rows.at(-1);
    if (filter.isFolded && event !== undefined && last?.is === 'events' && goesOn(last, event, place)) last.count += 1;
    else push({ is: 'events', first: place, count: 1 });
    for (const wire of between.get(place) ?? []) push({ is: 'wire', wire });
  }

  function goesOn(last: Extract<Row, { is: 'events' }>, event: Event, place: number): boolean {
    const before = events[last.first];
    if (last.first + last.count !== place || before?.type !== event.type) return false;
    if (event.type === 'tool-update') return before.type === 'tool-update' && before.call === event.call;
    if (event.type !== 'block-delta' || before.type !== 'block-delta') return false;
    return before.index === event.index && before.parent === event.parent;
  }

  function push(row: Row): void {
    if (isShown(row)) rows.push(row);
  }

  /** The rows that are shown now. Drawn from `changed`. */
  function shown(): readonly Row[] {
    for (; taken < events.length; taken += 1) take(taken);
    return rows;
  }

  function rebuild(): void {
    rows = [];
    taken = 0;
    for (const wire of between.get(-1) ?? []) push({ is: 'wire', wire });
    changed.value += 1;
  }

  return {
    changed,
    get length() {
      return events.length;
    },
    get filter() {
      return filter;
    },
    at: (place: number) => ({ seq: seqs[place] ?? 0, at: ats[place] ?? 0, event: events[place] }),
    placeOf,
    marksOf,
    kindOf,
    get learned() {
      return learned;
    },
    /** Changes when what is told of a row changes. */
    versionOf(row: Row): string {
      if (row.is === 'wire') return `w${row.wire.row}`;
      const seq = seqs[row.first] ?? 0;
      const wire = wires.get(seq);
      return `${seq}+${row.count} ${marks.get(seq)?.length ?? 0} ${wire === undefined ? '' : Object.keys(wire.frames).join()}`;
    },
    textOf,
    shown,
    wireOf: (seq: number) => wires.get(seq),
    append(seq: number, at: number, event: Event) {
      seqs.push(seq);
      ats.push(at);
      events.push(event);
      changed.value += 1;
    },
    lose(seq: number, { dialect, field }: { readonly dialect: string; readonly field: string }) {
      const before = marks.get(seq) ?? [];
      marks.set(seq, [...before, { kind: 'loss', dialect, text: field }]);
      changed.value += 1;
    },
    /** Takes what the gateway told about the wire. Rows without an event stand behind the event before them. */
    learn(told: readonly WireRow[]) {
      if (told.length === 0) return;
      let hasOthers = false;
      let place = -1;
      learned += 1;
      for (const wire of told) {
        if (wire.seq !== null) {
          wires.set(wire.seq, { ...wire, frames: { ...wires.get(wire.seq)?.frames, ...wire.frames } });
          place = placeOf(wire.seq);
        } else {
          const others = between.get(place) ?? [];
          if (!others.some(({ row }) => row === wire.row)) {
            between.set(place, [...others, wire]);
            hasOthers = true;
          }
        }
      }
      if (hasOthers || filter.marks.size > 0) rebuild();
      else changed.value += 1;
    },
    show(wanted: Filter) {
      filter = wanted;
      rebuild();
    },
    clear() {
      for (const array of [seqs, ats, events]) array.length = 0;
      for (const map of [marks, wires, between]) map.clear();
      rebuild();
    },
  };
}
