// A frame with its place in the stream.
import type { Out } from '../contract/channel.ts';
import type { FrameEntry } from '../contract/reader.ts';
import { formatCursor, numberCursor, type Place } from './cursor.ts';

/** A frame and its place. All readers of a stream get the same object. */
export interface Placed extends Place, FrameEntry {
  /** Bytes counted by the window for all frames up to and including this one. */
  readonly end: number;
}

/** A class: one per frame on the hot path, and its getters format a cursor only for the few readers that ask. */
export class PlacedFrame implements Placed {
  readonly kind = 'frame';
  readonly epoch: string;
  readonly out: Out;
  readonly seq: number;
  readonly sub: number;
  readonly at: number | null;
  readonly end: number;

  constructor(epoch: string, out: Out, seq: number, sub: number, at: number | null, end: number) {
    this.epoch = epoch;
    this.out = out;
    this.seq = seq;
    this.sub = sub;
    this.at = at;
    this.end = end;
  }

  get cursor(): string {
    return formatCursor(this.epoch, this);
  }

  get number(): number | null {
    return numberCursor(this.epoch, this);
  }
}
