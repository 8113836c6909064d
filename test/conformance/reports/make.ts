// Makes the kept reports: all of them, or those whose maker, or page of a real program, has a name that fits
// one of the patterns.
import { chooserOfAny } from '../../../src/conformance/check/pattern.ts';
import { makeIndex } from './index-page.ts';
import { makeOwnClients } from './own-clients.ts';
import { makeOwnFrontends } from './own-frontends.ts';
import { makeRealClients } from './real-clients.ts';
import { makeRealPrograms } from './real-programs.ts';
import { makeRecordings } from './recordings.ts';

const makers: readonly (readonly [string, () => void | Promise<void>])[] = [
  ['recordings', makeRecordings],
  ['own-clients', makeOwnClients],
  ['real-clients', makeRealClients],
  ['own-frontends', makeOwnFrontends],
  ['index', makeIndex],
];

/** Runs one maker after the other, because the reports record durations. */
export async function makeReports(patterns: string): Promise<void> {
  const isChosen = chooserOfAny(patterns.split(','));
  await makeRealPrograms(isChosen);
  for (const [name, make] of makers) if (isChosen(name)) await make();
}
