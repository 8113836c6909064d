// Logs and counts the notes of sessions: losses, repairs, violations, and faults of the gateway itself.
import type { NoteLevel } from '../core/contract/adapter/action.ts';
import { faultText } from '../core/contract/guarded.ts';
import { createLineLimit, type LineLimit } from './clients/line-limit.ts';
import type { Log, LogLevel } from './log.ts';

const logLevels: Readonly<Record<NoteLevel, LogLevel>> = {
  loss: 'debug',
  repair: 'debug',
  violation: 'warn',
  internal: 'error',
};

/** Longest stack in the log, characters. */
const longestStack = 2000;

/** The notes of all sessions. */
export class Notes {
  readonly #log: Log;
  readonly #counts = new Map<NoteLevel, number>();
  readonly #lines: LineLimit;
  readonly #limited: (rule: 'logLinesPerMinute') => void;

  /** `now`: monotonic ms. */
  constructor(log: Log, now: () => number, limited: (rule: 'logLinesPerMinute') => void) {
    this.#log = log;
    this.#limited = limited;
    this.#lines = createLineLimit(now, (session, count) => {
      log('warn', `${count} more notes like these were not written`, sessionField(session));
    });
  }

  add(session: string, level: NoteLevel, text: string): void {
    this.#count(level);
    const mayFlood = level === 'violation' || level === 'internal';
    if (mayFlood && !this.#allows(session)) return;
    this.#log(logLevels[level], text, { ...sessionField(session), note: level });
  }

  /** A fault of the gateway that belongs to no session. */
  fault(thrown: unknown): void {
    this.#count('internal');
    if (!this.#allows('')) return;
    const stack = thrown instanceof Error ? (thrown.stack ?? '').slice(0, longestStack) : '';
    this.#log('error', faultText(thrown), { note: 'internal', ...(stack === '' ? {} : { stack }) });
  }

  /** The session is over. */
  forget(session: string): void {
    this.#lines.forget(session);
  }

  /** Number of notes so far, by level. */
  get counts(): ReadonlyMap<NoteLevel, number> {
    return this.#counts;
  }

  #allows(session: string): boolean {
    if (this.#lines.allows(session)) return true;
    this.#limited('logLinesPerMinute');
    return false;
  }

  #count(level: NoteLevel): void {
    this.#counts.set(level, (this.#counts.get(level) ?? 0) + 1);
  }
}

function sessionField(session: string): Readonly<Record<string, string>> {
  return session === '' ? {} : { session };
}
