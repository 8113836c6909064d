// All broken pi-servers.
import { contentDoubles } from './content.ts';
import type { Double } from './double.ts';
import { identityDoubles } from './identity.ts';
import { lifecycleDoubles } from './lifecycle.ts';

export const doubles: readonly Double[] = [...lifecycleDoubles, ...identityDoubles, ...contentDoubles];
