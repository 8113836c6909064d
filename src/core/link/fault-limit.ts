// Counts the bad frames of one client (docs/faults.md F21).

/** How many bad frames a client may send within {@link windowMs}. */
export const mostFaults = 10;
const windowMs = 10_000;

/** A class: each connection has one. */
export class FaultLimit {
  /** When the latest bad frames came, ms, oldest first; created with the first one. */
  #times: number[] | null = null;

  /** Counts a bad frame. Returns true if the client has sent more than it may. */
  isTooMuch(now: number): boolean {
    this.#times ??= [];
    this.#times.push(now);
    if (this.#times.length <= mostFaults) return false;
    const [oldest = now] = this.#times.splice(0, 1);
    return now - oldest < windowMs;
  }
}
