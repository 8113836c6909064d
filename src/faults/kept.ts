// What `reorder` and `join` keep back: bounded in bytes and in time, so that the end of a conversation still comes.

/** Longest time that something is kept back, ms. An agent that waits for what is kept would wait for ever. */
const longestMs = 250;
/** Most bytes that are kept back. */
const mostBytes = 8 * 1024 * 1024;

/** What one direction keeps back. */
export interface Kept {
  readonly isJoining: boolean;
  readonly isReordering: boolean;
  /** Adds to the write that is being gathered, of so many frames. Returns what is whole. */
  join(bytes: Buffer, frames: number, now: number): Buffer[];
  /** Keeps the bytes until so many frames have passed. */
  putBehind(bytes: Buffer, frames: number, now: number): void;
  /** A frame has passed. Returns what was to come behind it. */
  passed(): Buffer[];
  /** When the rest has to leave; null: nothing is kept. */
  until(): number | null;
  /** Everything that is kept. */
  all(): Buffer[];
}

/** Keeps nothing yet. */
export function createKept(): Kept {
  let gathered: Buffer[] = [];
  let missing = 0;
  let late: { readonly bytes: Buffer; left: number }[] = [];
  let size = 0;
  let until: number | null = null;

  function keep(bytes: Buffer, now: number): void {
    size += bytes.length;
    until ??= now + longestMs;
  }

  function gone(bytes: readonly Buffer[]): void {
    for (const one of bytes) size -= one.length;
    if (size === 0) until = null;
  }

  function takeGathered(): Buffer[] {
    const list = gathered;
    gathered = [];
    missing = 0;
    gone(list);
    return list.length === 0 ? [] : [Buffer.concat(list)];
  }

  return {
    get isJoining() {
      return missing > 0;
    },
    get isReordering() {
      return late.length > 0;
    },
    join(bytes, frames, now) {
      if (missing === 0) missing = frames;
      gathered.push(bytes);
      keep(bytes, now);
      missing -= 1;
      return missing === 0 || size > mostBytes ? takeGathered() : [];
    },
    putBehind(bytes, frames, now) {
      late.push({ bytes, left: frames });
      keep(bytes, now);
    },
    passed() {
      for (const one of late) one.left -= 1;
      const isFull = size > mostBytes;
      const due = late.filter(({ left }) => left <= 0 || isFull).map(({ bytes }) => bytes);
      late = late.filter(({ left }) => left > 0 && !isFull);
      gone(due);
      return due;
    },
    until: () => until,
    all() {
      const rest = late.map(({ bytes }) => bytes);
      late = [];
      gone(rest);
      return [...takeGathered(), ...rest];
    },
  };
}
