// The taps of all sessions of a gateway. Each is on while a page looks at its session, and some seconds more.
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import { type Clock, createTimers } from '../../core/contract/clock.ts';
import type { Limited } from '../../core/contract/limits/limit-rule.ts';
import type { BroughtServer } from '../../core/model/session-info.ts';
import { maskOf } from './mask.ts';
import { WireTap } from './wire-tap.ts';

/** How long a tap stays on when the last page has gone, ms: a page that is loaded again still finds its rows. */
export const graceMs = 15_000;

/** The tap of one session, and who looks. */
interface Watched {
  readonly tap: WireTap;
  pages: number;
}

/** The taps by session. */
export class Taps {
  readonly #watched = new Map<string, Watched>();
  readonly #clock: Clock;
  readonly #timers;
  readonly #mostBytes: number;
  readonly #limited: Limited;

  constructor(clock: Clock, mostBytes: number, limited: Limited) {
    this.#clock = clock;
    this.#timers = createTimers(clock);
    this.#mostBytes = mostBytes;
    this.#limited = limited;
  }

  /** The tap of a new session. `toolServers`: what they hold is not shown. */
  made(session: string, toolServers: readonly BroughtServer[] = []): WireTap {
    const ports = { now: this.#clock.now, evicted: () => this.#limited('wireBytes'), mask: maskOf(toolServers) };
    const tap = new WireTap(ports, this.#mostBytes);
    this.#watched.set(session, { tap, pages: 0 });
    return tap;
  }

  /** A page looks at a session. Returns how the page leaves. */
  watch(session: string): () => void {
    const watched = this.#watched.get(session);
    if (watched === undefined) return () => {};
    watched.tap.on();
    watched.pages += 1;
    this.#timers.set(session, null, () => {});
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      watched.pages -= 1;
      if (watched.pages === 0 && this.#watched.get(session) === watched)
        this.#timers.set(session, graceMs, () => watched.tap.off());
    };
  }

  of(session: string): WireTap | undefined {
    return this.#watched.get(session)?.tap;
  }

  note(session: string, level: NoteLevel, text: string): void {
    this.#watched.get(session)?.tap.note(level, text);
  }

  forget(session: string): void {
    this.#timers.set(session, null, () => {});
    this.#watched.delete(session);
  }
}
