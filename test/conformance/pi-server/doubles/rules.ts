// All doubles for the rules that read what was said.
import type { Double } from './double.ts';
import { dataDoubles, eventDoubles, repeatDoubles, versionDoubles } from './rules-content.ts';
import { courseDoubles, frameDoubles } from './rules-course.ts';

export const ruleDoubles: readonly Double[] = [
  ...frameDoubles,
  ...courseDoubles,
  ...repeatDoubles,
  ...versionDoubles,
  ...eventDoubles,
  ...dataDoubles,
];
