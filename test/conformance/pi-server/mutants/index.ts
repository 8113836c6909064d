// All broken pi-servers.
import { contentMutants } from './content.ts';
import { identityMutants } from './identity.ts';
import { lifecycleMutants } from './lifecycle.ts';
import type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [...lifecycleMutants, ...identityMutants, ...contentMutants];
