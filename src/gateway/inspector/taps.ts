// The taps of all sessions of a gateway. They keep nothing before the first page logs in.
import type { NoteLevel } from '../../core/contract/adapter.ts';
import type { Limited } from '../../core/contract/limit-rule.ts';
import { WireTap } from './wire-tap.ts';

/** The taps by session. */
export class Taps {
  readonly #watch = { isOn: false };
  readonly #taps = new Map<string, WireTap>();
  readonly #now: () => number;
  readonly #mostBytes: number;
  readonly #limited: Limited;

  constructor(now: () => number, mostBytes: number, limited: Limited) {
    this.#now = now;
    this.#mostBytes = mostBytes;
    this.#limited = limited;
  }

  /** Whether the wire of every session is kept from now on. What was kept stays. */
  watch(isOn: boolean): void {
    this.#watch.isOn = isOn;
  }

  /** The tap of a new session. */
  made(session: string): WireTap {
    const tap = new WireTap(this.#watch, this.#now, this.#mostBytes, () => this.#limited('wireBytes'));
    this.#taps.set(session, tap);
    return tap;
  }

  of(session: string): WireTap | undefined {
    return this.#taps.get(session);
  }

  note(session: string, level: NoteLevel, text: string): void {
    if (this.#watch.isOn) this.#taps.get(session)?.note(level, text);
  }

  forget(session: string): void {
    this.#taps.delete(session);
  }
}
