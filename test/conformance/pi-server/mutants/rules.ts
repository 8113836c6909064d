// All mutants for the rules.
import type { Mutant } from './mutant.ts';
import { piEventMutants } from './pi-events.ts';
import { dataMutants, eventMutants, repeatMutants, versionMutants } from './rules-content.ts';
import { frameMutants, lifecycleMutants } from './rules-lifecycle.ts';

export const ruleMutants: readonly Mutant[] = [
  ...frameMutants,
  ...lifecycleMutants,
  ...repeatMutants,
  ...versionMutants,
  ...eventMutants,
  ...piEventMutants,
  ...dataMutants,
];
