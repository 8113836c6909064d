// Outcomes of prompts that several parts of the queue share.
import { dictionaryOf } from '../../model/dictionary.ts';
import { type Outcome, refused } from '../../model/errors.ts';

/** The outcome of a prompt that its client has withdrawn. */
export const takenBack = refused('aborted', 'its client took it back');

/** Adds `taken` to a success, unless the agent has already reported what became of the message. */
export function withTaken(taken: 'queued' | 'handled', outcome: Outcome): Outcome {
  return outcome.ok ? { ok: true, data: { taken, ...dictionaryOf(outcome.data) } } : outcome;
}
