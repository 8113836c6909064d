// What keeps the gateway from doing all that it promises, by name, for health checks (docs/faults.md F24).

/** An obstacle, e.g. `storage`. */
export interface Obstacle {
  readonly name: string;
  /** One sentence without paths. */
  readonly reason: string;
}

/** The sessions that cannot be kept as files any more. */
export class Obstacles {
  readonly #unkept = new Set<string>();

  /** The session could not be written. */
  add(session: string): void {
    this.#unkept.add(session);
  }

  /** The session is over, or continues in another file. */
  clear(session: string): void {
    this.#unkept.delete(session);
  }

  /** Empty while nothing is wrong. */
  list(): readonly Obstacle[] {
    const count = this.#unkept.size;
    return count === 0 ? [] : [{ name: 'storage', reason: `sessions that cannot be written to their files: ${count}` }];
  }
}
