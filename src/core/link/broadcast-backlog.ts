// Counts the broadcasts that a client has not read, so that one which does not read is closed (docs/threats.md T26).

/**
 * Bytes that may be unread for ever; bytes that may be unread at all; ms for which the amount between them may last.
 */
const limits = { forEver: 1024 * 1024, atOnce: 4 * 1024 * 1024, lastingMs: 10_000 };

/** A class: each connection has one. */
export class BroadcastBacklog {
  #bytes = 0;
  /** When the backlog grew beyond `limits.forEver`, ms; null while it is smaller. */
  #behindSince: number | null = null;

  /**
   * Whether the client must be closed. `before` and `after`: bytes of answers that wait for the client on each side of
   * a broadcast. Answers that the client asked for do not count, however long they are.
   */
  isTooMuch(before: number, after: number, now: number): boolean {
    // Nothing waited before: the client has read all earlier broadcasts. This one may still wait for its turn.
    const unread = before === 0 ? 0 : this.#bytes;
    this.#bytes = after === 0 ? 0 : unread + Math.max(0, after - before);
    if (this.#bytes <= limits.forEver) this.#behindSince = null;
    else this.#behindSince ??= now;
    // A burst is not the fault of a client that reads: give it time.
    const isSlow = this.#behindSince !== null && now - this.#behindSince > limits.lastingMs;
    return isSlow || this.#bytes > limits.atOnce;
  }
}
