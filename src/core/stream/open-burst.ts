// A burst on its way into one stream: what is folded of it becomes frames, part by part.
import type { BurstProjection } from '../contract/adapter/projection.ts';
import type { Stretch } from '../contract/stretch.ts';
import { type Burst, eventCount } from '../model/burst.ts';
import { pressureShare } from './reader-set.ts';
import type { WindowLimits } from './window.ts';

/** Bytes of a frame around its delta, about. */
const frameBytes = 512;

/** Frames of some events, and the number of the first of them. */
interface BurstPart {
  readonly stretch: Stretch;
  readonly seq: number;
}

/** A class: `take` may be called again while its own part is being told. */
export class OpenBurst {
  /** Of all its events, see Logged. */
  readonly at: number;
  readonly #burst: Burst;
  readonly #bursts: BurstProjection;
  readonly #seq: number;
  /** Most events in one part: so few that readers are woken before the window has no room. */
  readonly #most: number;
  #written = 0;

  /** `seq`: the number of the first event. */
  constructor(burst: Burst, bursts: BurstProjection, seq: number, at: number, limits: WindowLimits) {
    this.#burst = burst;
    this.#bursts = bursts;
    this.#seq = seq;
    this.at = at;
    const fitting = Math.min(limits.frames, limits.bytes / (burst.bytes.length / eventCount(burst) + frameBytes));
    this.#most = Math.max(1, Math.floor(fitting * pressureShare.low));
  }

  /** The next part of what is folded; null when all of that is taken. `lastSeq`: the event that was folded last. */
  take(lastSeq: number): BurstPart | null {
    const from = this.#written;
    const to = Math.min(lastSeq + 1 - this.#seq, from + this.#most);
    if (from >= to) return null;
    this.#written = to;
    const seq = this.#seq + from;
    return { stretch: this.#bursts.write(this.#burst, seq, from, to, this.at), seq };
  }
}
