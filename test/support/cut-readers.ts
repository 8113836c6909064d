// Readers of each dialect over each transport that are cut and come back with their cursor.
import { expect } from 'vitest';
import { isFull } from './full.ts';
import {
  type Connect,
  type Connection,
  connectEvents,
  connectResumable,
  type Heard,
  type Place,
} from './resuming-readers.ts';

/** A dialect of clients. */
export interface Dialect {
  readonly name: string;
  readonly frontend: string;
  readonly options: string;
  /** A connection that names its session needs no greeting, and its prompts name none. */
  readonly needsNoGreeting?: true;
}

export const dialects: readonly Dialect[] = [
  { name: 'claude', frontend: 'claude', options: '' },
  { name: 'rpc-message', frontend: 'rpc-message', options: '' },
  { name: 'pi, growing', frontend: 'pi', options: '' },
  { name: 'pi, delta-only', frontend: 'pi', options: 'dialect=delta-only' },
  { name: 'pi-legacy', frontend: 'pi-legacy', options: '' },
  { name: 'pi-server', frontend: 'pi-server', options: '' },
  // One stream, whatever the names of the events: bare frames can be compared.
  { name: 'eca', frontend: 'eca', options: 'events=frames' },
  { name: 'acp', frontend: 'acp', options: '' },
  { name: 'canonical', frontend: 'canonical', options: '', needsNoGreeting: true },
];

export const transports: readonly (readonly [string, Connect])[] = [
  ['websocket', connectResumable],
  ['sse', connectEvents],
];

/** The part that counts: what comes behind the last cursor is said again to a client that comes back. */
export function kept(heard: readonly Heard[]): readonly Heard[] {
  return heard.slice(0, heard.findLastIndex(({ cursor }) => cursor !== null) + 1);
}

/** A reader that is cut again and again, and comes back with its cursor. */
export interface CutReader {
  /** Resolves once the first connection is open, or over. */
  readonly opened: Promise<void>;
  /** Resolves with the frames it began behind and all that came, once that goes as far as `last`. */
  until(last: string | null): Promise<readonly Heard[]>;
}

export function readCut(connect: Connect, place: Place, from: readonly Heard[]): CutReader {
  const all: Heard[] = [...from];
  const known = new Set(all.map(({ cursor }) => cursor));
  let goal: string | null | undefined;
  let connection: Connection | undefined;
  const isThere = () => goal !== undefined && known.has(goal);

  async function read(): Promise<readonly Heard[]> {
    while (!isThere()) {
      connection = connect(place, all.at(-1)?.cursor ?? null, ({ cursor }) => {
        known.add(cursor);
        if (isThere()) connection?.end();
      });
      all.push(...kept(await connection.over));
    }
    // More may have come in the same piece.
    return all.slice(0, 1 + all.findIndex(({ cursor }) => cursor === goal));
  }
  const reading = read();
  return {
    opened: connection?.opened ?? Promise.resolve(),
    until(last) {
      goal = last;
      // Nothing more would come.
      if (isThere()) connection?.end();
      return reading;
    },
  };
}

/** Fails at the first of these frames that is another one than expected. `toEqual` of all of them takes longer than to read them. */
export function agree(heard: readonly Heard[], expected: readonly Heard[], label: string): void {
  for (const [at, { cursor, frame }] of heard.entries()) {
    const other = expected[at];
    if (other?.cursor !== cursor || other.frame !== frame)
      expect(heard[at], `${label}, frame ${at} of ${expected.length}`).toEqual(other);
  }
}

/** Fails unless these are all of the expected frames. */
export function agreeWhole(heard: readonly Heard[], expected: readonly Heard[], label: string): void {
  agree(heard, expected, label);
  expect(heard.length, label).toBe(expected.length);
}

/** One connection behind the first of these frames, which may be cut. Resolves with the number of frames that its client then has. */
export async function readOnce(
  connect: Connect,
  place: Place,
  expected: readonly Heard[],
  label: string,
): Promise<number> {
  const last = expected.at(-1)?.cursor;
  const connection = connect(place, expected[0]?.cursor ?? null, ({ cursor }) => {
    if (cursor === last) connection.end();
  });
  const heard = [...expected.slice(0, 1), ...kept(await connection.over)].slice(0, expected.length);
  agree(heard, expected, label);
  return heard.length;
}

/** A client that has so many of these frames comes back until it has all of them. */
export async function readRest(
  connect: Connect,
  place: Place,
  expected: readonly Heard[],
  known: number,
  label: string,
): Promise<void> {
  const all = await readCut(connect, place, expected.slice(0, known)).until(expected.at(-1)?.cursor ?? null);
  agreeWhole(all, expected, label);
}

/** Readers at the same time. */
const atOnce = 32;

/** Does that for each item, some at the same time. */
export async function forEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [at, item] of rest) results[at] = await work(item, at);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** So many places over that many bytes. */
export const placesIn = (size: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => Math.floor((at * size) / count));

/** Figures of a long run. */
export function report(figures: string): void {
  if (isFull) console.log(figures);
}

/** Numbers from 0 to below 1 that are the same in each run, unlike those of chance. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
