// Broken agents of the native dialect: what a correct one says, with one fault.
import type { Mutant } from '../support/double.ts';
import { changesOutput } from './changes.ts';
import { controlMutants } from './doubles-control.ts';
import { messageMutants } from './doubles-messages.ts';
import { streamMutants } from './stream-doubles.ts';

/** One for each check. */
export const mutants: readonly Mutant[] = [
  ...Object.entries({ ...messageMutants, ...controlMutants }).map(
    ([caught, row]): Mutant => ({ caughtBy: [caught], ...row }),
  ),
  ...streamMutants(changesOutput, {
    'assistant-content': ['result-text'],
    'message-delta-there': ['result-failed'],
  }),
];
