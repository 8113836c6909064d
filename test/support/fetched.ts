// Gets real programs from npm for the suites that are run apart: each once, into a cache folder outside the project. Such programs
// are too large, or too many, to be dependencies.
import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/** The folder for programs of that kind: in the user's cache where that can be written, else in the one for temporary files. */
export function cacheFolder(kind: string): string {
  const wanted = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'patchbay', kind);
  try {
    mkdirSync(wanted, { recursive: true });
    accessSync(wanted, constants.W_OK);
    return wanted;
  } catch {
    return join(tmpdir(), `patchbay-${kind}`);
  }
}

/** What went wrong with a program that was run, in one line. */
export function lineOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('Command failed: npm'));
  return lines.slice(0, 3).join(' | ').slice(0, 300) || 'npm gave no answer in time';
}

function npm(words: readonly string[], cwd: string, timeout: number): Promise<{ stdout: string }> {
  return run('npm', [...words, ...quiet], { cwd, timeout, killSignal: 'SIGKILL' });
}

/** Makes a folder beside its place and moves the folder in when it is whole: a run that was stopped leaves no half program. */
async function whole(folder: string, fill: (scratch: string) => Promise<void>): Promise<void> {
  mkdirSync(join(folder, '..'), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    await fill(scratch);
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function add(specs: readonly string[], scratch: string, timeout: number, more: readonly string[]): Promise<unknown> {
  const words = ['install', ...specs, '--prefix', scratch, '--no-save', '--ignore-scripts', '--no-package-lock'];
  return npm([...words, ...more], scratch, timeout);
}

/** Installs these packages, `name@version`, with all that they need; `more`: further words for npm. */
export function install(
  specs: readonly string[],
  folder: string,
  timeout: number,
  more: readonly string[] = [],
): Promise<void> {
  return whole(folder, async (scratch) => void (await add(specs, scratch, timeout, more)));
}

/** Unpacks one package where npm would install the package, for one whose dependencies the registry does not have; `beside`: what it needs all the same. */
export function unpack(
  name: string,
  version: string,
  folder: string,
  timeout: number,
  beside: readonly string[],
): Promise<void> {
  return whole(folder, async (scratch) => {
    if (beside.length > 0) await add(beside, scratch, timeout, []);
    const { stdout } = await npm(['pack', `${name}@${version}`], scratch, timeout);
    const place = join(scratch, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    const file = stdout.trim().split('\n').at(-1) ?? '';
    await run('tar', ['-xzf', file, '-C', place, '--strip-components=1'], { cwd: scratch, timeout });
    rmSync(join(scratch, file));
  });
}

/** The version that stands in an installed package; null where there is none. */
export function versionIn(folder: string, name: string): string | null {
  try {
    const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    // Some packages of Node write a `v` before theirs.
    return z.looseObject({ version: z.string() }).parse(JSON.parse(text)).version.replace(/^v/u, '');
  } catch {
    return null;
  }
}

/** The version that a word like `latest` or `22` stands for today, as the registry says. */
export async function resolveVersion(name: string, word: string, timeout: number): Promise<string> {
  const { stdout } = await npm(['view', `${name}@${word}`, 'version', '--json'], tmpdir(), timeout);
  const found = z.union([z.string(), z.array(z.string()).nonempty()]).parse(JSON.parse(stdout));
  // npm lists versions as it stores them: 24.9.0 stands behind 24.21.0.
  return typeof found === 'string' ? found : (found.toSorted(byNumber).at(-1) ?? '');
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
