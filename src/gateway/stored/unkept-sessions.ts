// The sessions that cannot be kept as files any more: an obstacle, because new sessions would be lost too
// (docs/faults.md F24).
import type { ObstacleSource } from '../../core/contract/gateway/obstacles.ts';

/** The sessions of one gateway. */
export class UnkeptSessions implements ObstacleSource {
  readonly #sessions = new Set<string>();

  /** The session could not be written. */
  add(session: string): void {
    this.#sessions.add(session);
  }

  /** The session is over, or continues in another file. */
  clear(session: string): void {
    this.#sessions.delete(session);
  }

  obstacles(): readonly string[] {
    const count = this.#sessions.size;
    return count === 0 ? [] : [`sessions that cannot be written to their files: ${count}`];
  }
}
