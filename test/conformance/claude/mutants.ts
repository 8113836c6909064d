// All broken agents of the native dialect, each with one fault.
import type { Mutant } from '../support/mutant.ts';
import { changesOutput } from './changes.ts';
import { controlMutants } from './mutants-control.ts';
import { messageMutants } from './mutants-messages.ts';
import { streamMutants } from './stream-mutants.ts';

/** One mutant for each check. */
export const mutants: readonly Mutant[] = [
  ...Object.entries({ ...messageMutants, ...controlMutants }).map(
    ([caught, row]): Mutant => ({ caughtBy: [caught], ...row }),
  ),
  ...streamMutants(changesOutput, {
    'assistant-content': ['result-text'],
    'message-delta-there': ['result-failed'],
  }),
];
