// The clients that have asked for the deletion of their session. They are told once the store has forgotten the session, and
// the streams of the session end behind the last answer: a client may hear its answer in one of them.
import type { Outcome, Settle } from '../model/errors.ts';

/** Takes the outcome of a deletion. `close` must be called once, when the answer is on its way to the client, whatever the outcome. */
export type Deleted = (outcome: Outcome, close: () => void) => void;

/** The deletions of one session. */
export class Deletions {
  readonly #close: (reason: string) => void;
  /** Clients that have no answer yet. */
  #unanswered = 0;
  /** Those of them that wait for the store. Null: the store has not been asked. */
  #waiting: Settle[] | null = null;
  /** Null: the store has not answered. */
  #outcome: Outcome | null = null;
  /** Why the session ends; null while it stays. */
  #reason: string | null = null;

  constructor(close: (reason: string) => void) {
    this.#close = close;
  }

  /** One more client asks. Returns the function that answers it. */
  asked(told: Deleted): Settle {
    this.#unanswered += 1;
    return (outcome) =>
      told(outcome, () => {
        this.#unanswered -= 1;
        this.#endIfAnswered();
      });
  }

  /** Answers together with those before. False: the caller is the first, and is to ask the store. */
  joins(settle: Settle): boolean {
    if (this.#outcome !== null) settle(this.#outcome);
    else if (this.#waiting !== null) this.#waiting.push(settle);
    else {
      this.#waiting = [settle];
      return false;
    }
    return true;
  }

  /** The store has answered. */
  answer(outcome: Outcome, reason: string): void {
    this.#outcome = outcome;
    this.#reason = reason;
    for (const settle of this.#waiting?.splice(0) ?? []) settle(outcome);
  }

  /** The session ends, as soon as nobody waits for an answer. */
  end(reason: string): void {
    this.#reason = reason;
    this.#endIfAnswered();
  }

  #endIfAnswered(): void {
    if (this.#unanswered === 0 && this.#reason !== null) this.#close(this.#reason);
  }
}
