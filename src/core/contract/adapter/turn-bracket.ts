// The turns of a run, for backends whose agent does not tell when a turn ends.
import type { Outbox } from './outbox.ts';

/**
 * Delivers the beginning and the end of each turn. The end of a settled turn waits for the next frame, because a message in
 * the user's name still belongs to the turn.
 */
export class TurnBracket {
  readonly #out: Outbox;
  #phase: 'between' | 'open' | 'settled' = 'between';

  constructor(out: Outbox) {
    this.#out = out;
  }

  /** A turn has begun and not ended. */
  get isOpen(): boolean {
    return this.#phase !== 'between';
  }

  /** Begins a turn, unless an unsettled one is open. */
  begin(): void {
    if (this.#phase === 'open') return;
    this.end();
    this.#phase = 'open';
    this.#out.deliver({ type: 'turn-start' });
  }

  /** Notes whether the open turn may be over. */
  settle(isOver: boolean): void {
    if (this.#phase !== 'between') this.#phase = isOver ? 'settled' : 'open';
  }

  /** Ends the turn if it is settled. */
  endSettled(): void {
    if (this.#phase === 'settled') this.end();
  }

  /** Ends the open turn, if there is one. */
  end(): void {
    if (this.#phase === 'between') return;
    this.#phase = 'between';
    this.#out.deliver({ type: 'turn-end' });
  }
}
