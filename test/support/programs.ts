// The programs of today that the suites apart are about: which there are, and getting those that a suite wants.
import { join } from 'node:path';
import { cacheFolder, install, lineOf, resolveVersion, unpack, versionIn } from './fetched.ts';

/** For all programs together. A registry that answers needs a minute for all; one that does not must not hold the machine. */
const allMs = 240_000;
/** Two at once: npm unpacks more than it waits. */
const atOnce = 2;

interface Wanted {
  readonly package: string;
  /** What npm is asked for: a version, or a word that npm turns into one. */
  readonly word: string;
  /** The version that is taken where the registry does not say what the word means, or has not got the newest whole. */
  readonly pinned: string;
  /** Only unpacked, with these packages beside it, because the registry lacks some of what npm would install with it. */
  readonly unpackedWith?: readonly string[];
}

const pi = '@earendil-works/pi-coding-agent';
const sdk = '@anthropic-ai/claude-agent-sdk';
const node = `node-${process.platform}-${process.arch}`;

const wanted = {
  'pi-newest': { package: pi, word: 'latest', pinned: '1.6.0', unpackedWith: ['jiti@2'] },
  'pi-0.87': { package: pi, word: '0.87.1', pinned: '0.87.1' },
  'pi-0.73': { package: '@mariozechner/pi-coding-agent', word: '0.73.1', pinned: '0.73.1' },
  'sdk-newest': { package: sdk, word: 'latest', pinned: '0.3.332' },
  'sdk-0.2': { package: sdk, word: '0.2.100', pinned: '0.2.100' },
  'claude-agent-acp': { package: '@agentclientprotocol/claude-agent-acp', word: 'latest', pinned: '0.101.0' },
  acpx: { package: 'acpx', word: 'latest', pinned: '0.19.1' },
  'node-22': { package: node, word: '22', pinned: '22.23.3' },
  'node-24': { package: node, word: '24', pinned: '24.21.0' },
} as const satisfies Record<string, Wanted>;

/** A program that the suites know. */
export type ProgramName = keyof typeof wanted;

/** A program that is on this machine, or one sentence why not. */
export type Found =
  | { readonly version: string; readonly folder: string; readonly from: string }
  | { readonly reason: string };

/** What a suite found, by name. */
export type Programs = Readonly<Record<ProgramName, Found>>;

/** Finds a program, or fetches the program. Never throws. */
async function find(name: ProgramName, timeLeft: () => number): Promise<Found> {
  const { package: from, word, pinned, ...more }: Wanted = wanted[name];
  const problems: string[] = [];
  let newest: string = word;
  if (word !== pinned) {
    try {
      newest = await resolveVersion(from, word, timeLeft());
    } catch (thrown) {
      problems.push(`npm view ${from}@${word}: ${lineOf(thrown)}`);
      newest = pinned;
    }
  }
  for (const version of new Set([newest, pinned])) {
    const home = join(cacheFolder('newest'), `${from.replace('/', '+')}@${version}`);
    const folder = join(home, 'node_modules', from);
    const told = problems.length === 0 ? '' : `, because: ${problems.join('; ')}`;
    if (versionIn(home, from) === version) return { version, folder, from: `the cache${told}` };
    try {
      const began = performance.now();
      if (more.unpackedWith === undefined) {
        // The SDK's own program comes as an option of 250 MB; another stands in for it here.
        await install([`${from}@${version}`], home, timeLeft(), ['--omit=optional']);
      } else await unpack(from, version, home, timeLeft(), more.unpackedWith);
      const got = versionIn(home, from);
      if (got !== version) throw new Error(`npm has put ${got} there`);
      return { version, folder, from: `npm, in ${((performance.now() - began) / 1000).toFixed(1)} s${told}` };
    } catch (thrown) {
      problems.push(`${from}@${version}: ${lineOf(thrown)}`);
    }
  }
  return { reason: `could not be fetched (${problems.join('; ')})` };
}

/** Gets these programs and says on stderr what was found; the others count as not asked for. */
export async function findPrograms(names: readonly ProgramName[]): Promise<Programs> {
  const deadline = performance.now() + allMs;
  const timeLeft = () => Math.max(1, Math.round(deadline - performance.now()));
  const none: Found = { reason: 'this suite does not ask for it' };
  const found = new Map<ProgramName, Found>();
  const queue = [...names];
  const work = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const one = await find(name, timeLeft);
      found.set(name, one);
      const says = 'reason' in one ? `SKIPPED: ${one.reason}` : `${one.version}, from ${one.from}`;
      process.stderr.write(`${name}: ${says}\n`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const of = (name: ProgramName): Found => found.get(name) ?? none;
  return {
    'pi-newest': of('pi-newest'),
    'pi-0.87': of('pi-0.87'),
    'pi-0.73': of('pi-0.73'),
    'sdk-newest': of('sdk-newest'),
    'sdk-0.2': of('sdk-0.2'),
    'claude-agent-acp': of('claude-agent-acp'),
    acpx: of('acpx'),
    'node-22': of('node-22'),
    'node-24': of('node-24'),
  };
}

/** The program of a Node that was fetched. */
export function nodeIn(found: Found): string | null {
  if ('reason' in found) return null;
  return process.platform === 'win32' ? join(found.folder, 'bin/node.exe') : join(found.folder, 'bin/node');
}
