// Counts the events of all sessions, the ended ones included. Costs nothing until a scrape asks.
import type { Session } from '../../core/session/session.ts';
import { Counter } from './meter.ts';

interface Tallied {
  readonly dialect: string;
  /** Events of an earlier opening of the session. */
  readonly before: number;
}

/** The sessions of one gateway. */
export class SessionTally {
  readonly #open = new Map<Session, Tallied>();
  readonly #ended = new Counter<string>();

  /** `dialect`: of the agent. */
  add(session: Session, dialect: string): void {
    const { transcript } = session;
    this.#open.set(session, { dialect, before: transcript.lastSeq });
  }

  /** The session has ended: its events stay counted. */
  remove(session: Session): void {
    const tallied = this.#open.get(session);
    if (tallied === undefined) return;
    this.#open.delete(session);
    this.#ended.add(tallied.dialect, session.transcript.lastSeq - tallied.before);
  }

  /** Logged events so far, by dialect. */
  events(): ReadonlyMap<string, number> {
    const all = new Counter<string>();
    for (const [dialect, count] of this.#ended.counts) all.add(dialect, count);
    for (const [{ transcript }, { dialect, before }] of this.#open) all.add(dialect, transcript.lastSeq - before);
    return all.counts;
  }
}
