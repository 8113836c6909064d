// Counts what passes through the connections of one dialect. Read by metrics only.
import type { Out } from './channel.ts';
import { linesOf, type StretchPart } from './stretch.ts';

/**
 * Counts since the start. A class with plain number fields: the hot path adds to the fields, and only a scrape reads
 * them. `In` is towards the gateway, `Out` away from it.
 */
export class Traffic {
  framesIn = 0;
  bytesIn = 0;
  framesOut = 0;
  bytesOut = 0;
  /** Readers that went on at their cursor. */
  resumes = 0;
  /** Readers that got a snapshot instead, by the reason of the reset. */
  readonly resets = { window: 0, epoch: 0, unknown: 0 };

  received(bytes: number): void {
    this.framesIn += 1;
    this.bytesIn += bytes;
  }

  sent(out: Out): void {
    this.framesOut += 1;
    this.bytesOut += sizeOf(out);
  }

  sentStretch(part: StretchPart): void {
    const frames = part.to - part.from;
    this.framesOut += frames;
    this.bytesOut += linesOf(part).length - frames;
  }
}

/** About how many bytes a frame takes on the wire: text counts by characters. */
export function sizeOf(out: Out): number {
  if (typeof out === 'string') return out.length;
  let size = 0;
  for (const piece of out) size += piece.length;
  return size;
}
