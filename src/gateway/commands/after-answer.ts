// Steps that follow the answer to a command: clients must get the answer before the news that a session was
// opened or closed.
import type { Outcome } from '../../core/model/errors.ts';
import type { SessionState } from '../../core/model/outcome-data.ts';
import type { HubEntry } from '../../core/session/hub.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** A step that follows an answer. */
export type AfterAnswer =
  /** Announces the session to all clients. */
  | { readonly do: 'announce'; readonly entry: HubEntry; readonly state?: SessionState | undefined }
  /** Closes a deleted session. After the close, a client that is bound to the session could not get the answer. */
  | { readonly do: 'close'; close(): void };

/** The outcome of a command, with the step that follows its answer. */
export interface Settled {
  readonly outcome: Outcome;
  readonly after?: AfterAnswer;
}

/** Takes the outcome of a command. Called exactly once. */
export type SettleWithAfter = (settled: Settled) => void;

/** Carries out a step, after the answer was sent. */
export function carryOut(step: AfterAnswer, sessions: Pick<Sessions, 'announce'>): void {
  switch (step.do) {
    case 'announce':
      sessions.announce(step.entry, step.state);
      break;
    case 'close':
      step.close();
      break;
    default:
      step satisfies never;
  }
}

/**
 * Holds the steps of a command with a ticket until the command has both its outcome and its answer. The ledger may send
 * the answer long after the outcome, or, on a timeout, before the outcome.
 */
export class StepsAfterAnswer {
  readonly #sessions: Pick<Sessions, 'announce'>;
  readonly #waiting: AfterAnswer[] = [];
  #isAnswered = false;

  constructor(sessions: Pick<Sessions, 'announce'>) {
    this.#sessions = sessions;
  }

  /** Adds a step, if any. `carryOutDue` must be called after the outcome was passed on. */
  add(step: AfterAnswer | undefined): void {
    if (step !== undefined) this.#waiting.push(step);
  }

  /** Must be called when the client has its answer. */
  answered(): void {
    this.#isAnswered = true;
    this.carryOutDue();
  }

  /** Carries out the waiting steps if the client has its answer. */
  carryOutDue(): void {
    if (!this.#isAnswered) return;
    for (const step of this.#waiting.splice(0)) carryOut(step, this.#sessions);
  }
}
