// Answers to prompts that several parts of the queue give.
import { dictionaryOf } from '../../model/dictionary.ts';
import { type Outcome, refused } from '../../model/errors.ts';

/** The answer to a prompt whose client has withdrawn the prompt. */
export const takenBack = refused('aborted', 'its client took it back');

/** Success, with what became of the message where the agent does not say that itself. */
export function withTaken(taken: 'queued' | 'handled', outcome: Outcome): Outcome {
  return outcome.ok ? { ok: true, data: { taken, ...dictionaryOf(outcome.data) } } : outcome;
}
