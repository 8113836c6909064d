// An export that the disk did not take: an obstacle for a while, because the next one would fail too (docs/faults.md F24).
import type { ObstacleSource } from '../../core/contract/gateway/obstacles.ts';

/** How long a failure counts, ms: nobody may ask for another export, and the gateway is more than its exports. */
export const obstacleMs = 60_000;

/** What the system says of the disk, and not of the path that a client has chosen. */
const diskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** The exports of one gateway. */
export class UnwrittenExports implements ObstacleSource {
  readonly #now: () => number;
  /** The latest failure; null if the latest export was written. */
  #failure: { readonly code: string; readonly at: number } | null = null;

  /** `now`: monotonic ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** An export has ended: null when it is written, else the error code of the system. */
  ended(code: string | null): void {
    if (code === null) this.#failure = null;
    else if (diskCodes.has(code)) this.#failure = { code, at: this.#now() };
  }

  obstacles(): readonly string[] {
    if (this.#failure === null || this.#now() - this.#failure.at >= obstacleMs) return [];
    return [`an export could not be written (${this.#failure.code})`];
  }
}
