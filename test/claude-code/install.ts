// Gets the real Claude Code for the opt-in suite: a path that the user names, a copy in a cache folder outside the
// project, or a fresh one from npm. 361 MB under its makers' own licence, so it is never a dependency (docs/protocols/claude.md 1.7).
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, install, lineOf, resolveVersion } from '../support/fetched.ts';

const run = promisify(execFile);

/** Runs where the registry does not say which version is the newest, or has not got the newest whole. */
const pinned = '2.1.332';
/** For all tries together. A registry that answers needs seconds; one that does not must not hold the machine. */
const installMs = 120_000;
const startMs = 30_000;
/** The name of its cache. */
const kind = 'claude-code';

/** Claude Code on this machine, or one sentence why there is none. */
export type Found =
  | { readonly binary: string; readonly version: string; readonly from: string }
  | { readonly reason: string };

/** The npm package that holds the program for this machine; null where its makers publish none. */
export function platformPackage(): string | null {
  const { platform, arch } = process;
  if (!['linux', 'darwin', 'win32'].includes(platform) || !['x64', 'arm64'].includes(arch)) return null;
  return `@anthropic-ai/claude-code-${platform}-${arch}${isMusl() ? '-musl' : ''}`;
}

/** Node tells its C library only in its report, and only when that is glibc. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const report: unknown = process.report?.getReport();
  return !JSON.stringify(Object(report).header ?? {}).includes('glibcVersionRuntime');
}

/** It writes settings into its home, which must not be the user's. */
async function versionOf(binary: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: cacheFolder(kind) };
  const { stdout } = await run(binary, ['--version'], { timeout: startMs, env });
  return stdout.trim();
}

/** Finds Claude Code, or installs it. Never throws. */
export async function findClaudeCode(): Promise<Found> {
  const named = process.env.PATCHBAY_CLAUDE_CODE;
  if (named !== undefined && named !== '') {
    try {
      return { binary: named, version: await versionOf(named), from: 'PATCHBAY_CLAUDE_CODE' };
    } catch (thrown) {
      return { reason: `PATCHBAY_CLAUDE_CODE=${named} does not start: ${lineOf(thrown)}` };
    }
  }
  const name = platformPackage();
  if (name === null) return { reason: `there is no Claude Code for ${process.platform} ${process.arch}` };
  const program = process.platform === 'win32' ? 'claude.exe' : 'claude';
  const problems: string[] = [];
  const deadline = performance.now() + installMs;
  let newest: string = pinned;
  try {
    newest = await resolveVersion(name, 'latest', installMs);
  } catch (thrown) {
    problems.push(`npm view ${name}: ${lineOf(thrown)}`);
  }
  for (const version of new Set([newest, pinned])) {
    const folder = join(cacheFolder(kind), version);
    const binary = join(folder, 'node_modules', name, program);
    const isThere = existsSync(binary);
    try {
      const began = performance.now();
      if (!isThere) await install([`${name}@${version}`], folder, Math.max(1, Math.round(deadline - began)));
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const from = isThere ? `the cache ${folder}` : `npm, in ${seconds} s, into ${folder}`;
      return { binary, version: await versionOf(binary), from };
    } catch (thrown) {
      problems.push(`${name}@${version}: ${lineOf(thrown)}`);
    }
  }
  return { reason: `it could not be installed (${problems.join('; ')})` };
}
