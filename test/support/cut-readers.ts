// Readers of each dialect over each transport that are cut and come back with their cursor.
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
  /** Resolves with the frames it began behind and all that came, once that goes as far as `last`. */
  until(last: string | null): Promise<readonly Heard[]>;
}

export function readCut(connect: Connect, place: Place, from: readonly Heard[]): CutReader {
  const all: Heard[] = [...from];
  let goal: string | null | undefined;
  /** The newest cursor, also of the open connection. */
  let newest = all.at(-1)?.cursor ?? null;
  let connection: Connection | undefined;
  const isThere = (cursor: string | null | undefined) => goal !== undefined && cursor === goal;

  async function read(): Promise<readonly Heard[]> {
    while (!isThere(all.at(-1)?.cursor)) {
      connection = connect(place, all.at(-1)?.cursor ?? null, ({ cursor }) => {
        newest = cursor;
        if (isThere(cursor)) connection?.end();
      });
      all.push(...kept(await connection.over));
    }
    return all;
  }
  const reading = read();
  return {
    until(last) {
      goal = last;
      // Nothing more would come.
      if (isThere(newest)) connection?.end();
      return reading;
    },
  };
}

/** Numbers from 0 to below 1 that are the same in each run, unlike those of chance. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
