// The published programs that pages are about, from npm into the cache of such programs.
import path from 'node:path';
import { platformPackage } from '../../claude-code/install.ts';
import { cacheFolder, install, unpack, versionIn } from '../../support/fetched.ts';

const fetchMs = 300_000;

/** A package of npm, which is fetched once. `isWhole`: with all that it needs. Rejects where the registry has not got it. */
async function fetched(name: string, version: string, home: string, isWhole: boolean): Promise<string> {
  if (versionIn(home, name) !== version) {
    if (isWhole) await install([`${name}@${version}`], home, fetchMs);
    else await unpack(name, version, home, fetchMs, ['jiti@2']);
  }
  return path.join(home, 'node_modules', name);
}

/** A version of pi. */
export interface Pi {
  readonly version: string;
  readonly name: string;
  /** The registry has all that npm would install with this version. */
  readonly isWhole: boolean;
  readonly needsNode22: boolean;
}

const former = { name: '@mariozechner/pi-coding-agent', isWhole: true, needsNode22: false };
const todays = { name: '@earendil-works/pi-coding-agent', needsNode22: true };

/** The versions that the checks of pi describe, oldest first. */
export const pis: readonly Pi[] = [
  ...['0.27.9', '0.31.1', '0.45.7', '0.54.2', '0.60.0', '0.73.1'].map((version) => ({ version, ...former })),
  { version: '0.87.1', ...todays, isWhole: true },
  ...['1.5.2', '1.6.0'].map((version) => ({ version, ...todays, isWhole: false })),
];

/** The folder of the package. */
export const fetchPi = ({ name, version, isWhole }: Pi): Promise<string> =>
  fetched(name, version, path.join(cacheFolder('newest'), `${name.replace('/', '+')}@${version}`), isWhole);

/** The program, from the cache that the suite of Claude Code has. */
export async function fetchClaudeCode(version: string): Promise<string> {
  const name = platformPackage();
  if (name === null) throw new Error('there is none for this machine');
  return path.join(await fetched(name, version, path.join(cacheFolder('claude-code'), version), true), 'claude');
}
