// A reader that counts what a client of server-sent events reads, and whether the client went on at its cursor.
import type { Limited } from '../../core/contract/limits/limit-rule.ts';
import type { Entry, Reader } from '../../core/contract/reader.ts';
import type { ReadPart } from '../../core/contract/stretch.ts';
import type { Traffic } from '../../core/contract/traffic.ts';
import { ForwardingReader } from '../clients/forwarding-reader.ts';

class MeteredReader extends ForwardingReader {
  readonly #traffic: Traffic;
  readonly #limited: Limited;
  /** The client came with a cursor and has read nothing yet. */
  #isResuming: boolean;

  constructor(reader: Reader, traffic: Traffic, limited: Limited, isResuming: boolean) {
    super(reader);
    this.#traffic = traffic;
    this.#limited = limited;
    this.#isResuming = isResuming;
  }

  read(maxBytes: number, until?: number, beforeStretch?: boolean): readonly Entry[] {
    const entries = this.inner.read(maxBytes, until, beforeStretch);
    if (this.#isResuming && entries[0]?.kind !== 'reset') this.#traffic.resumes += 1;
    this.#isResuming = false;
    for (const entry of entries) {
      if (entry.kind === 'frame') this.#traffic.sent(entry.out);
      else if (entry.kind === 'reset') this.#reset(entry.reason);
    }
    return entries;
  }

  readStretch(maxBytes: number, until?: number): ReadPart | null {
    const part = this.inner.readStretch?.(maxBytes, until) ?? null;
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
}

/** The reader with a count. `isResuming`: the client came with a cursor. */
export function meteredReader(reader: Reader, traffic: Traffic, limited: Limited, isResuming: boolean): Reader {
  return new MeteredReader(reader, traffic, limited, isResuming);
}
