// A copy of the tree in a temporary folder, and runs of its tests.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Settings of whoever runs the mutants must not decide which tests there are. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PATCHBAY|VITEST)/.test(name)));

/** A run that lasts longer hangs, ms. */
const limitMs = 120_000;

/**
 * Copies all files that git tracks or could track.
 * @returns {{ root: string, files: readonly string[], remove: () => void }} `files` as paths from the root
 */
export function copyTree(from) {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', words, { cwd: from, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(path.join(from, file)));
  const root = mkdtempSync(path.join(tmpdir(), 'patchbay-mutants-'));
  for (const folder of new Set(files.map((file) => path.dirname(file)))) {
    mkdirSync(path.join(root, folder), { recursive: true });
  }
  for (const file of files) copyFileSync(path.join(from, file), path.join(root, file));
  symlinkSync(path.join(from, 'node_modules'), path.join(root, 'node_modules'));
  return { root, files, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/**
 * Runs tests of a tree in one Vitest that stays, and that is started anew after a run that hung.
 * @param {number} bail how many failures end a run, 0 for any number
 */
export function createTester(root, bail) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let server = null;
  /** Files that were written since the last run. @type {Set<string>} */
  const changed = new Set();

  const start = async () => {
    const script = path.join(root, 'test/mutants/vitest-server.mjs');
    const stdio = /** @type {const} */ (['ignore', 'ignore', 'ignore', 'ipc']);
    const started = fork(script, [root, String(bail)], { cwd: root, env, stdio, detached: true });
    await once(started, 'message');
    return started;
  };

  /** Ends Vitest and all programs that tests have started. */
  const close = () => {
    if (server?.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGKILL');
    server = null;
  };

  const write = (file, text) => {
    writeFileSync(path.join(root, file), text);
    changed.add(file);
  };

  /**
   * @param {readonly string[]} tests paths from the root
   * @param {number} ms
   * @returns {Promise<{ isHung: boolean, red: string[], broken: string[], green: string[] }>}
   */
  const run = async (tests, ms = limitMs) => {
    server ??= await start();
    const aborter = new AbortController();
    const timer = setTimeout(() => aborter.abort(), ms);
    server.send({ tests, changed: [...changed] });
    changed.clear();
    try {
      const [results] = await once(server, 'message', { signal: aborter.signal });
      const of = (wanted) => results.filter(([, verdict]) => verdict === wanted).map(([file]) => file);
      return { isHung: false, red: of('red'), broken: of('broken'), green: of('green') };
    } catch {
      close();
      return { isHung: true, red: [], broken: [], green: [] };
    } finally {
      clearTimeout(timer);
    }
  };

  return { write, run, close };
}
