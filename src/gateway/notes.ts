// Logs and counts the notes of sessions: losses, repairs and violations.
import type { NoteLevel } from '../core/contract/adapter.ts';
import type { Log } from './log.ts';

/** The notes of all sessions. */
export class Notes {
  readonly #log: Log;
  readonly #counts = new Map<NoteLevel, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(session: string, level: NoteLevel, text: string): void {
    this.#counts.set(level, (this.#counts.get(level) ?? 0) + 1);
    this.#log(level === 'violation' ? 'warn' : 'debug', text, { session, level });
  }

  /** Number of notes so far, by level. */
  get counts(): ReadonlyMap<NoteLevel, number> {
    return this.#counts;
  }
}
