// A reader that counts what a client of server-sent events reads, and whether the client went on at its cursor.
import type { Limited } from '../../core/contract/limit-rule.ts';
import type { WorkQueue } from '../../core/contract/paced-work.ts';
import type { Entry, Reader } from '../../core/contract/reader.ts';
import type { StretchPart } from '../../core/contract/stretch.ts';
import type { Traffic } from '../../core/contract/traffic.ts';

/** A class because of its accessors: V8 gives each object literal with an accessor a dictionary of its own. */
class MeteredReader implements Reader {
  readonly #reader: Reader;
  readonly #traffic: Traffic;
  readonly #limited: Limited;
  /** The client came with a cursor and has read nothing yet. */
  #isResuming: boolean;

  constructor(reader: Reader, traffic: Traffic, limited: Limited, isResuming: boolean) {
    this.#reader = reader;
    this.#traffic = traffic;
    this.#limited = limited;
    this.#isResuming = isResuming;
  }

  get work(): WorkQueue | undefined {
    return this.#reader.work;
  }

  get isPreparing(): boolean {
    return this.#reader.isPreparing === true;
  }

  read(maxBytes: number, until?: number, beforeStretch?: boolean): readonly Entry[] {
    const entries = this.#reader.read(maxBytes, until, beforeStretch);
    if (this.#isResuming && entries[0]?.kind !== 'reset') this.#traffic.resumes += 1;
    this.#isResuming = false;
    for (const entry of entries) {
      if (entry.kind === 'frame') this.#traffic.sent(entry.out);
      else if (entry.kind === 'reset') this.#reset(entry.reason);
    }
    return entries;
  }

  readStretch(maxBytes: number, until?: number): StretchPart | null {
    const part = this.#reader.readStretch?.(maxBytes, until) ?? null;
    if (part === null) return null;
    if (this.#isResuming) this.#traffic.resumes += 1;
    this.#isResuming = false;
    this.#traffic.sentStretch(part);
    return part;
  }

  #reset(reason: keyof Traffic['resets']): void {
    this.#traffic.resets[reason] += 1;
    if (reason === 'window') this.#limited('window');
  }

  mark(): number {
    return this.#reader.mark();
  }

  set onReadable(callback: () => void) {
    this.#reader.onReadable = callback;
  }

  get onReadable(): () => void {
    return this.#reader.onReadable;
  }

  close(): void {
    this.#reader.close();
  }
}

/** The reader with a count. `isResuming`: the client came with a cursor. */
export function meteredReader(reader: Reader, traffic: Traffic, limited: Limited, isResuming: boolean): Reader {
  return new MeteredReader(reader, traffic, limited, isResuming);
}
