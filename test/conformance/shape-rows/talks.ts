// Conversations for rows of shapes that no other good conversation reaches.
import type { Row } from '../mutation/mutators.ts';
import { ecaEditor, ecaServer } from './eca.ts';
import { piAgent } from './pi.ts';

/** By protocol and side. */
export const talks: ReadonlyMap<string, readonly (readonly Row[])[]> = new Map([
  ['eca agents', [ecaServer]],
  ['eca clients', [ecaEditor]],
  ['pi agents', [piAgent]],
]);
