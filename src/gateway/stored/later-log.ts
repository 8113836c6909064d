// The log of a session that is not made yet: a session opens at once, and its store may take a moment.
import type { Durability, StoredLog, StoredRecord } from '../../core/contract/store/session-store.ts';

/** What is done with a log as soon as it is there. */
type Step = (log: StoredLog) => void;

/** A class: each session that is kept has one. */
export class LaterLog implements Pick<StoredLog, 'append' | 'sync'> {
  #log: StoredLog | null = null;
  /** Null: the log is there, or will never be. */
  #waiting: { readonly step: Step; readonly never?: () => void }[] | null = [];

  append(record: StoredRecord): void {
    if (this.#log !== null) this.#log.append(record);
    else this.#waiting?.push({ step: (log) => log.append(record) });
  }

  sync(done: (durability: Durability) => void): void {
    this.#then(
      (log) => log.sync(done),
      () => done('memory'),
    );
  }

  /** Calls back with the log once it is there, or `never` once it is known that it will not be. */
  whenThere(step: (log: StoredLog) => void, never?: () => void): void {
    this.#then(step, never);
  }

  /** The log is there. */
  begin(log: StoredLog): void {
    this.#log = log;
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const { step } of waiting) step(log);
  }

  /** There will be no log. */
  giveUp(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const { never } of waiting) never?.();
  }

  #then(step: Step, never?: () => void): void {
    if (this.#log !== null) step(this.#log);
    else if (this.#waiting === null) never?.();
    else this.#waiting.push(never === undefined ? { step } : { step, never });
  }
}
