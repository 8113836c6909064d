// All doubles for the rules that read what was said.
import type { Mutant } from './mutant.ts';
import { dataMutants, eventMutants, repeatMutants, versionMutants } from './rules-content.ts';
import { courseMutants, frameMutants } from './rules-lifecycle.ts';

export const ruleMutants: readonly Mutant[] = [
  ...frameMutants,
  ...courseMutants,
  ...repeatMutants,
  ...versionMutants,
  ...eventMutants,
  ...dataMutants,
];
