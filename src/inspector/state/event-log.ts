// The events of a session in arrays that only grow, and the rows of the grid over them. A row is a stretch of events: one,
// or the consecutive deltas of a block.
import { signal } from '@preact/signals';
import type { WireMark, WireRow } from '../../core/contract/gateway/wire-rows.ts';
import type { Event, EventType } from '../../core/model/event.ts';
import { createMarks, type MarkKind } from './marks.ts';
import { count } from './pace.ts';

/** Which rows are shown. Empty: all of them. */
export interface Filter {
  readonly kinds: ReadonlySet<EventType | 'command' | 'native'>;
  readonly marks: ReadonlySet<MarkKind>;
  readonly text: string;
  /** Consecutive deltas of a block are one row. */
  readonly isFolded: boolean;
}

export const everything: Filter = { kinds: new Set(), marks: new Set(), text: '', isFolded: true };

/** Either events from place `first` on, or a row of the wire that gave no event, behind the event of place `first`. */
export type Row =
  | { readonly is: 'events'; readonly first: number; count: number }
  | { readonly is: 'wire'; readonly first: number; readonly wire: WireRow };

export type EventLog = ReturnType<typeof createEventLog>;

export function createEventLog() {
  /** Counts changes. */
  const changed = signal(0);
  const seqs: number[] = [];
  const ats: number[] = [];
  const events: Event[] = [];
  /** Events of the snapshot: the wire tells of the same time in events that nobody has joined. */
  let past = 0;
  /** The number of the first event behind the snapshot. */
  let firstLive: number | null = null;
  const marks = createMarks();
  /** What the gateway told about the wire, by `seq`. */
  const wires = new Map<number, WireRow>();
  /** The first event that the wire tells of. */
  let firstWired: number | null = null;
  let hasNative = false;
  /** Rows without an event, by the number of the event before them. */
  const between = new Map<number, WireRow[]>();
  /** The rows of `between`. */
  const seen = new Set<number>();
  /** How often the wire was told about. */
  let learned = 0;
  /** How often everything was forgotten. */
  let life = 0;
  /** The gateway has answered about the wire, be it with no row. */
  let isAnswered = false;
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
    const first = seqs[row.first] ?? 0;
    if (row.count === 1) return marks.of(first);
    const found = new Map<string, WireMark>();
    for (let place = row.first; place < row.first + row.count; place += 1)
      for (const mark of marks.of(seqs[place] ?? 0)) found.set(`${mark.kind} ${mark.dialect} ${mark.text}`, mark);
    return [...found.values()];
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
    for (let place = row.first; place < row.first + row.count; place += 1) {
      text += JSON.stringify(events[place]);
      for (const frame of wires.get(seqs[place] ?? 0)?.from ?? []) text += frame.text;
    }
    return text;
  }

  function take(place: number): void {
    const event = events[place];
    const last = rows.at(-1);
    if (filter.isFolded && event !== undefined && last?.is === 'events' && goesOn(last, event, place)) last.count += 1;
    else push({ is: 'events', first: place, count: 1 });
    // Events of a snapshot may share a number.
    if (seqs[place + 1] !== seqs[place])
      for (const wire of between.get(seqs[place] ?? 0) ?? []) push({ is: 'wire', first: place, wire });
  }

  function goesOn(last: Extract<Row, { is: 'events' }>, event: Event, place: number): boolean {
    const before = events[last.first];
    if (last.first + last.count !== place || before?.type !== event.type) return false;
    // What happened between two deltas stands between them.
    if (between.has(seqs[place - 1] ?? 0)) return false;
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

  /** The place among the shown rows of the last one that begins at that event or before it; -1: none. */
  function rowOf(place: number): number {
    let [low, high] = [0, shown().length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle]?.first ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    while (rows[low - 1]?.is === 'wire' && has(rows[low - 2], place)) low -= 1;
    return low - 1;
  }

  const has = (row: Row | undefined, place: number) =>
    row !== undefined && place >= row.first && place < row.first + (row.is === 'events' ? row.count : 1);

  function rebuild(): void {
    rows = [];
    taken = 0;
    for (const wire of between.get(0) ?? []) push({ is: 'wire', first: -1, wire });
    changed.value += 1;
  }

  /** Makes the rows from the event of that place on again: what is before them stands. */
  function rebuildFrom(place: number): void {
    if (place <= 0) return rebuild();
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = rows[middle];
      if (row !== undefined && row.first + (row.is === 'events' ? row.count : 1) <= place) low = middle + 1;
      else high = middle;
    }
    taken = Math.min(taken, place, Math.max(0, rows[low]?.first ?? place));
    rows.length = low;
    changed.value += 1;
  }

  /** Puts what the wire tells of the time before the page came in the place of the snapshot's shorter events. */
  function insert(told: readonly (WireRow & { readonly seq: number; readonly event: Event })[]): number {
    const [first] = told;
    if (first === undefined) return Number.POSITIVE_INFINITY;
    const place = placeOf(first.seq);
    for (const { seq, event } of told) mend(seq, event);
    const gone = Math.max(0, past - place);
    for (const [array, values] of [
      [seqs, told.map(({ seq }) => seq)],
      [ats, told.map(({ at }) => at)],
      [events, told.map(({ event }) => event)],
    ] as readonly [unknown[], readonly unknown[]][])
      array.splice(place, gone, ...values);
    past = Math.min(past, place);
    return place;
  }

  function mend(seq: number, event: Event): void {
    if (event.synthetic === true)
      marks.add(seq, { kind: 'repair', text: 'the gateway made this event to keep the order legal' });
  }

  /** The event that a row without one stands behind: a snapshot has not every number. */
  function homeOf(after: number): number {
    const newest = seqs.at(-1) ?? 0;
    if (after > newest && firstLive !== null) return after;
    return seqs[placeOf(after + 1) - 1] ?? 0;
  }

  return {
    changed,
    marks,
    get length() {
      return events.length;
    },
    get filter() {
      return filter;
    },
    at: (place: number) => ({ seq: seqs[place] ?? 0, at: ats[place] ?? 0, event: events[place] }),
    placeOf,
    rowOf,
    marksOf,
    kindOf,
    get learned() {
      return learned;
    },
    /** Another number each time that everything was forgotten: what was asked for before is void. */
    get life() {
      return life;
    },
    /** The number of the first event that the wire tells of; null: none. */
    get firstWired() {
      return firstWired;
    },
    /**
     * Whether an event of that number may still come: live ones do, and the wire tells of events that a snapshot has
     * joined, as far back as it is kept.
     */
    mayCome: (seq: number) => !isAnswered || seq > (seqs.at(-1) ?? 0) || (firstWired !== null && firstWired <= seq),
    /** Whether any frame of the agent was told: an agent inside the gateway has none. */
    get hasNative() {
      return hasNative;
    },
    /** Changes when what is told of a row changes. */
    versionOf(row: Row): string {
      if (row.is === 'wire') return `w${row.wire.row}`;
      const seq = seqs[row.first] ?? 0;
      const wire = wires.get(seq);
      return `${seq}+${row.count} ${marks.of(seq).length} ${wire === undefined ? '' : Object.keys(wire.frames).join()}`;
    },
    textOf,
    shown,
    wireOf: (seq: number) => wires.get(seq),
    /** `isPast`: the event is of the snapshot. */
    append(seq: number, at: number, event: Event, isPast = false) {
      if (!isPast) {
        firstLive ??= seq;
        // The wire has told of it.
        if (wires.has(seq) && seq <= (seqs.at(-1) ?? 0)) return;
      }
      // A snapshot begins with the state of now, under the newest number: the numbers stay in order.
      if (isPast && seqs.length === 1 && (seqs[0] ?? 0) > seq) seqs[0] = seq;
      seqs.push(seq);
      ats.push(at);
      events.push(event);
      if (isPast) past = events.length;
      mend(seq, event);
      count(changed);
    },
    /** Takes what a dialect could not say. */
    learnLosses(dialect: string, losses: readonly { readonly seq: number; readonly field: string }[]) {
      let from = Number.POSITIVE_INFINITY;
      for (const { seq, field } of losses)
        if (marks.add(seq, { kind: 'loss', dialect, text: field })) from = Math.min(from, placeOf(seq));
      if (filter.marks.size > 0 && from < taken) rebuildFrom(from);
      else if (from !== Number.POSITIVE_INFINITY) changed.value += 1;
    },
    /** Takes what the gateway told about the wire. */
    learn(told: readonly WireRow[]) {
      if (!isAnswered) {
        isAnswered = true;
        changed.value += 1;
      }
      if (told.length === 0) return;
      learned += 1;
      /** The first place whose rows are others now. */
      let from = insert(
        told.filter(
          (wire): wire is WireRow & { seq: number; event: Event } =>
            wire.seq !== null &&
            wire.event !== undefined &&
            !wires.has(wire.seq) &&
            wire.seq < (firstLive ?? Number.POSITIVE_INFINITY),
        ),
      );
      for (const wire of told) {
        if (wire.from.length + wire.to.length > 0) hasNative = true;
        if (wire.seq === null) {
          if (seen.has(wire.row)) continue;
          seen.add(wire.row);
          const home = homeOf(wire.after);
          between.set(home, [...(between.get(home) ?? []), wire]);
          marks.count(home, wire.marks);
          from = Math.min(from, home === 0 ? -1 : placeOf(home));
          continue;
        }
        wires.set(wire.seq, { ...wire, frames: { ...wires.get(wire.seq)?.frames, ...wire.frames } });
        firstWired = Math.min(firstWired ?? wire.seq, wire.seq);
        let isNew = false;
        for (const mark of wire.marks) isNew = marks.add(wire.seq, mark) || isNew;
        if ((isNew && filter.marks.size > 0) || filter.text !== '') from = Math.min(from, placeOf(wire.seq));
      }
      if (from < taken) rebuildFrom(from);
      else changed.value += 1;
    },
    show(wanted: Filter) {
      filter = wanted;
      rebuild();
    },
    clear() {
      for (const array of [seqs, ats, events]) array.length = 0;
      for (const each of [marks, wires, between, seen]) each.clear();
      life += 1;
      past = 0;
      firstLive = null;
      firstWired = null;
      hasNative = false;
      isAnswered = false;
      rebuild();
    },
  };
}
