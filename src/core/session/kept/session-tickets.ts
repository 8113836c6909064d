// Outcomes of the commands that carry tickets, kept with their session for each ledger. They go where the session goes: into another
// process, or to another gateway (docs/protocols/common.md 2).
import type { KeptTicket } from '../../log/stored-records.ts';
import { estimateBytes } from '../../model/memory-estimate.ts';
import type { SessionRecorder } from './session-recorder.ts';

/** The most that a snapshot repeats: the newest ones (docs/limits.md 10.6). */
const most = { tickets: 256, bytes: 1024 * 1024 };

/** A class: each session that is kept and gets a ticket has one. */
export class SessionTickets {
  readonly #recorder: () => SessionRecorder | null;
  /** Oldest first, each with its bytes. */
  #tickets: { readonly ticket: KeptTicket; readonly bytes: number }[] = [];
  #bytes = 0;

  /** `recorder`: null while the session is not kept, or is being made again. */
  constructor(recorder: () => SessionRecorder | null) {
    this.#recorder = recorder;
  }

  /** Keeps a record of that ledger. Calls back once it is on disk. Returns false if the session is not kept. */
  keep(ticket: KeptTicket, then?: () => void): boolean {
    const recorder = this.#recorder();
    if (recorder === null) return false;
    recorder.ticket(ticket);
    this.restore(ticket);
    if (then !== undefined) recorder.sync(() => then());
    return true;
  }

  /** The records of that ledger, oldest first. */
  recordsOf(ledger: string): unknown[] {
    return this.#tickets.flatMap(({ ticket }) => (ticket.ledger === ledger ? [ticket.record] : []));
  }

  /** Takes a record of an earlier process. */
  restore(ticket: KeptTicket): void {
    const bytes = estimateBytes(ticket.record, most.bytes);
    this.#tickets.push({ ticket, bytes });
    this.#bytes += bytes;
    while (this.#tickets.length > most.tickets || this.#bytes > most.bytes) {
      const oldest = this.#tickets.shift();
      if (oldest === undefined) break;
      this.#bytes -= oldest.bytes;
    }
  }

  /** For the snapshot of the session. */
  all(): KeptTicket[] {
    return this.#tickets.map(({ ticket }) => ticket);
  }
}
