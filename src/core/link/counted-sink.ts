// Passes the commands of one frontend on, and counts those without an answer.
import type { NoteLevel } from '../contract/adapter/action.ts';
import type { FrameFault } from '../contract/channel.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Command } from '../model/command.ts';
import { type Outcome, refused } from '../model/errors.ts';
import type { CommandSink } from './frontend-driver.ts';

/** A class: each connection has one. */
export class CountedSink implements CommandSink {
  readonly #sink: CommandSink;
  readonly #onAnswer: (settle: () => void) => void;
  readonly #limit: number;
  #unanswered = 0;

  /**
   * `onAnswer` is called with each answer and calls `settle`, which gives the answer to the frontend. Commands beyond
   * `limit` are refused, aborts beyond twice as many: an abort ends what waits. Commands with a ticket are limited by their ledger.
   */
  constructor(sink: CommandSink, onAnswer: (settle: () => void) => void, limit: number) {
    this.#sink = sink;
    this.#onAnswer = onAnswer;
    this.#limit = limit;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  submit(
    command: Command,
    settle: (outcome: Outcome, receipt?: Receipt) => void,
    session?: string,
    ticket?: Ticket,
  ): void {
    const limit = command.type === 'abort' ? 2 * this.#limit : this.#limit;
    if (ticket === undefined && this.#unanswered >= limit) {
      this.#sink.limited?.('waitingCommands');
      return settle(refused('limit', `${limit} commands are waiting for their answers already`));
    }
    this.#unanswered += 1;
    const answered = (outcome: Outcome, receipt?: Receipt) => {
      this.#unanswered -= 1;
      this.#onAnswer(() => settle(outcome, receipt));
    };
    this.#sink.submit(command, answered, session, ticket);
  }

  note(level: NoteLevel, text: string): void {
    this.#sink.note(level, text);
  }

  fault(fault: FrameFault): void {
    this.#sink.fault?.(fault);
  }
}
