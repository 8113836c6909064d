// ECA servers with one fault each.
import type { Mutant } from '../../support/mutant.ts';
import { baseMutants } from './base.ts';
import { orderMutants } from './order.ts';
import { promptMutants } from './prompt.ts';
import { requestMutants } from './requests.ts';

/** All mutants. */
export const mutants: readonly Mutant[] = [...baseMutants, ...promptMutants, ...orderMutants, ...requestMutants];
