// The clients that have asked for the deletion of their session. They are told once the store has forgotten the session, and
// the streams of the session end behind the last answer: a client may hear its answer in one of them.
import type { Command, CommandOf } from '../model/command.ts';
import type { Outcome, Problem, Settle } from '../model/errors.ts';
import type { SessionPorts } from './session-ports.ts';

/** Why a session that was deleted is closed. */
export const deleted = 'the session was deleted';

/** Takes the outcome of a deletion. `close` must be called once, when the answer is on its way to the client, whatever the outcome. */
export type Deleted = (outcome: Outcome, close: () => void) => void;

/** The parts of a session that a deletion uses. */
export interface DeletionPorts {
  /** `forward`: asks the gateway that owns the session. `forget`: asks the store to forget the session. */
  readonly session: Pick<SessionPorts, 'forward' | 'forget'>;
  /** Asks the conversation. */
  submit(command: Command, settle: Settle): void;
  /** Ends the run and the agent, and records nothing more. */
  began(reason: string): void;
  /** The store has not forgotten the session. */
  failed(): void;
  close(reason: string): void;
}

/** Where the store is with the deletion. */
type Forgetting =
  | { readonly phase: 'unasked' }
  | { readonly phase: 'asked'; readonly waiting: Settle[] }
  | { readonly phase: 'answered'; readonly outcome: Outcome };

/** The deletions of one session. */
export class Deletions {
  readonly #ports: DeletionPorts;
  /** Clients that have no answer yet. */
  #unanswered = 0;
  #forgetting: Forgetting = { phase: 'unasked' };
  /** Why the session ends; null while it stays. */
  #reason: string | null = null;

  constructor(ports: DeletionPorts) {
    this.#ports = ports;
  }

  /** The run and the agent have ended, and the store is asked to forget the session. */
  get hasBegun(): boolean {
    return this.#forgetting.phase !== 'unasked';
  }

  /** A client asks for the deletion. */
  delete(command: CommandOf<'delete-session'>, told: Deleted): void {
    const { session, submit } = this.#ports;
    const settle = this.#asked(told);
    if (session.forward !== undefined) {
      return session.forward(command, (outcome) => {
        settle(outcome);
        if (outcome.ok) this.end(deleted);
      });
    }
    if (this.hasBegun) return this.#join(settle);
    submit(command, (outcome) => (outcome.ok ? this.#join(settle) : settle(outcome)));
  }

  /** One more client waits. Returns the function that answers it. */
  #asked(told: Deleted): Settle {
    this.#unanswered += 1;
    return (outcome) =>
      told(outcome, () => {
        this.#unanswered -= 1;
        this.#endIfAnswered();
      });
  }

  /** Answers together with those before. The first one asks the store. */
  #join(settle: Settle): void {
    const forgetting = this.#forgetting;
    if (forgetting.phase === 'answered') return settle(forgetting.outcome);
    if (forgetting.phase === 'asked') return void forgetting.waiting.push(settle);
    this.#forgetting = { phase: 'asked', waiting: [settle] };
    const { session, began } = this.#ports;
    began(deleted);
    if (session.forget === undefined) this.#forgotten(null);
    else session.forget((problem) => this.#forgotten(problem));
  }

  #forgotten(problem: Problem | null): void {
    if (problem !== null) this.#ports.failed();
    const waiting = this.#forgetting.phase === 'asked' ? this.#forgetting.waiting : [];
    const outcome: Outcome = problem === null ? { ok: true } : { ok: false, error: problem };
    this.#forgetting = { phase: 'answered', outcome };
    this.#reason = problem?.message ?? deleted;
    for (const settle of waiting) settle(outcome);
  }

  /** The session ends, as soon as nobody waits for an answer. */
  end(reason: string): void {
    this.#reason = reason;
    this.#endIfAnswered();
  }

  #endIfAnswered(): void {
    if (this.#unanswered === 0 && this.#reason !== null) this.#ports.close(this.#reason);
  }
}
