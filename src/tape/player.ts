// Plays one side of a tape against a live peer. A state machine without clock and I/O: the caller says what it heard and when,
// and asks what is to be sent.
import { type KnownFrame, knownFrame, likeness } from './frame-kind.ts';
import { createIdMap } from './id-map.ts';
import { refusalOf } from './protocol-guess.ts';
import type { TapeFrame } from './reader.ts';
import { saidOf, wireBytes } from './row.ts';

/** How alike a live frame must be to the taped one to count as the same: decides what is reported as changed. */
export type MatchLevel = 'strict' | 'shape' | 'kind';

/** Where the peer left the tape. */
export interface Departure {
  readonly type: 'missing' | 'extra' | 'reordered' | 'changed';
  /** The line of the tape; null for `extra`. */
  readonly number: number | null;
  /** What was awaited or heard, e.g. `prompt`; for `changed` with the place that differs. */
  readonly what: string;
}

/** The departure for people. Its words are of a frame: they may hold control characters. */
export function inWords({ type, number, what }: Departure): string {
  const place = number === null ? '' : `line ${number}: `;
  return `${place}${type}: ${what.slice(0, 200)}`;
}

/** What the caller does next. */
export type Next =
  | { readonly type: 'send'; readonly dir: TapeFrame['dir']; readonly bytes: Buffer; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  | Awaited
  | { readonly type: 'over' };

/** A frame of the peer that has not come. */
export interface Awaited {
  readonly type: 'await';
  readonly number: number;
  readonly what: string;
  /** A later frame of the tape has come, so this one may never come: see {@link Player.giveUp}. */
  readonly isOvertaken: boolean;
  /** We have nothing more to say. */
  readonly isLast: boolean;
}

/** A playing tape. */
export interface Player {
  /** The peer has said this frame, at this time (ms). */
  heard(text: string, now: number): void;
  /** Asks for the next step; after `send` ask again. */
  next(now: number): Next;
  /** The awaited frame never comes: goes on without it, and without the answer to it. */
  giveUp(now: number): void;
  /** Everything so far; `isOver`: what has not come counts as missing. */
  departures(isOver: boolean): readonly Departure[];
}

/** How a tape is played. */
export interface PlayOptions {
  readonly side: 'agent' | 'client';
  readonly match?: MatchLevel;
  /** 2 is twice as fast as the tape; `Infinity` waits for nothing but the peer. Default 1. */
  readonly speed?: number;
  /** Longer pauses of the tape are cut to this, ms. */
  readonly idleMs?: number;
  /** For refusals: the protocol of the agent. */
  readonly protocol?: string | null;
}

interface Entry {
  readonly index: number;
  readonly frame: TapeFrame;
  readonly known: KnownFrame;
  readonly isOurs: boolean;
  /** ms between the entry before and this one. */
  readonly gap: number;
  /** Of a frame of the peer: when it came, or that nobody waits any more. */
  met: number | 'given-up' | null;
}

/** At most so many departures are kept; more say nothing more. */
const mostDepartures = 1000;

/** `frames`: one connection of the tape, in its order. */
export function createPlayer(frames: readonly TapeFrame[], options: PlayOptions): Player {
  const { side, match = 'shape', speed = 1, idleMs = Number.POSITIVE_INFINITY, protocol = null } = options;
  const entries = entriesOf(frames, side);
  const awaited = byKind(entries);
  const lastOurs = entries.findLastIndex(({ isOurs }) => isOurs);
  const theirs = entries.filter(({ isOurs }) => !isOurs);
  const ids = createIdMap();
  const departures: Departure[] = [];
  const refusals: string[] = [];
  const givenUpIds = new Set<unknown>();
  let cursor = 0;
  let firstUnmet = 0;
  let lastMet = -1;
  /** When the entry before the cursor was played or came, ms. */
  let clock = Number.NEGATIVE_INFINITY;

  function note(departure: Departure): void {
    if (departures.length < mostDepartures) departures.push(departure);
  }

  function heard(text: string, now: number): void {
    if (clock === Number.NEGATIVE_INFINITY) clock = now;
    const live = knownFrame(text);
    const queue = awaited.get(live.kind) ?? [];
    const alike = queue.findIndex(({ known }) => isEnough(likeness(known, live).level));
    const [entry] = queue.splice(Math.max(alike, 0), 1);
    if (entry === undefined) return extra(live);
    const first = theirs[firstUnmet];
    if (first !== undefined && first !== entry)
      note({ type: 'reordered', number: entry.frame.number, what: live.kind });
    const how = likeness(entry.known, live);
    if (how.level !== 'equal' && !isEnough(how.level)) {
      note({ type: 'changed', number: entry.frame.number, what: `${live.kind}, ${how.path}` });
    }
    entry.met = now;
    lastMet = Math.max(lastMet, entry.index);
    ids.learn(entry.known, live);
    while (theirs[firstUnmet] !== undefined && theirs[firstUnmet]?.met !== null) firstUnmet += 1;
  }

  function isEnough(level: 'equal' | 'shape' | 'kind'): boolean {
    return match === 'kind' || level === 'equal' || (match === 'shape' && level === 'shape');
  }

  function extra(live: KnownFrame): void {
    note({ type: 'extra', number: null, what: live.kind });
    if (side !== 'agent') return;
    const refusal = refusalOf(protocol, live, `the tape holds no ${live.kind}`);
    if (refusal !== null) refusals.push(refusal);
  }

  function next(now: number): Next {
    if (clock === Number.NEGATIVE_INFINITY) clock = now;
    const refusal = refusals.shift();
    if (refusal !== undefined) return { type: 'send', dir: 'out', text: refusal, bytes: framed(refusal, entries) };
    for (;;) {
      const entry = entries[cursor];
      if (entry === undefined) return { type: 'over' };
      const { frame, known, met } = entry;
      if (!entry.isOurs && met === null) {
        const isLast = cursor > lastOurs;
        return { type: 'await', number: frame.number, what: known.kind, isOvertaken: lastMet > cursor, isLast };
      }
      if (entry.isOurs && !isMoot(known)) {
        const due = clock + Math.min(entry.gap, idleMs) / speed;
        if (due > now) return { type: 'wait', ms: due - now };
        clock = due;
        cursor += 1;
        return sending(entry);
      }
      if (typeof met === 'number') clock = Math.max(clock, met);
      cursor += 1;
    }
  }

  /** The answer to a request that was never made. */
  function isMoot({ json, isAnswer }: KnownFrame): boolean {
    return isAnswer && json?.id !== undefined && givenUpIds.has(json.id);
  }

  function sending({ frame, known }: Entry): Next {
    const text = ids.rewrite(frame.text, known);
    const { header, ...row } = frame.row;
    const bytes = text === frame.text ? wireBytes(frame.row) : wireBytes({ ...row, ...saidOf(Buffer.from(text)) });
    return { type: 'send', dir: frame.dir, bytes, text };
  }

  function giveUp(now: number): void {
    const entry = entries[cursor];
    if (entry === undefined || entry.isOurs || entry.met !== null) return;
    note({ type: 'missing', number: entry.frame.number, what: entry.known.kind });
    entry.met = 'given-up';
    const queue = awaited.get(entry.known.kind) ?? [];
    queue.splice(queue.indexOf(entry), 1);
    if (!entry.known.isAnswer && entry.known.json?.id !== undefined) givenUpIds.add(entry.known.json.id);
    while (theirs[firstUnmet] !== undefined && theirs[firstUnmet]?.met !== null) firstUnmet += 1;
    clock = now;
  }

  return {
    heard,
    next,
    giveUp,
    departures(isOver) {
      if (!isOver) return departures;
      const missing = theirs.filter(({ met }) => met === null);
      return [
        ...departures,
        ...missing.map(({ frame, known }): Departure => ({ type: 'missing', number: frame.number, what: known.kind })),
      ];
    },
  };
}

function entriesOf(frames: readonly TapeFrame[], side: PlayOptions['side']): Entry[] {
  const ours = side === 'agent' ? 'out' : 'in';
  // Stderr is the agent's: nobody answers it.
  const played = frames.filter(({ dir }) => dir !== 'err' || side === 'agent');
  return played.map((frame, index): Entry => {
    const gap = Math.max(0, frame.at - (played[index - 1]?.at ?? frame.at));
    const isOurs = frame.dir === ours || frame.dir === 'err';
    return { index, frame, known: knownFrame(frame.text), isOurs, gap, met: null };
  });
}

function byKind(entries: readonly Entry[]): Map<string, Entry[]> {
  const queues = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.isOurs) continue;
    const queue = queues.get(entry.known.kind);
    if (queue === undefined) queues.set(entry.known.kind, [entry]);
    else queue.push(entry);
  }
  return queues;
}

/** Framed as the frames of the tape are. */
function framed(text: string, entries: readonly Entry[]): Buffer {
  const frame = entries.find(({ frame: { row } }) => row.frame === 'content-length')?.frame.row.frame;
  return wireBytes({ line: text, ...(frame === undefined ? {} : { frame }) });
}
