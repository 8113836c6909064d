// Gets the real Claude Code for the opt-in suite: a path that the user names, a copy in a cache folder outside the
// project, or a fresh one from npm. 361 MB under its makers' own licence, so it is never a dependency (reference 0.6).
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The version that the reference was measured with; the newest is taken where this one is gone. */
const versions = ['2.1.329', 'latest'] as const;
/** For all tries together. A registry that answers needs seconds; one that does not must not hold the machine. */
const installMs = 120_000;
const startMs = 30_000;

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

function cacheFolder(): string {
  const wanted = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'patchbay', 'claude-code');
  try {
    mkdirSync(wanted, { recursive: true });
    accessSync(wanted, constants.W_OK);
    return wanted;
  } catch {
    return join(tmpdir(), 'patchbay-claude-code');
  }
}

/** What went wrong, in one line. */
function lineOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('Command failed: npm'));
  return lines.slice(0, 3).join(' | ').slice(0, 300) || 'npm gave no answer in time';
}

/** It writes settings into its home, which must not be the user's. */
async function versionOf(binary: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: cacheFolder() };
  const { stdout } = await run(binary, ['--version'], { timeout: startMs, env });
  return stdout.trim();
}

/** Installs beside its place and moves in when it is whole: a run that was stopped leaves no half program. */
async function install(name: string, version: string, folder: string, timeout: number): Promise<void> {
  mkdirSync(join(folder, '..'), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    const words = ['install', `${name}@${version}`, '--prefix', scratch, '--no-save', '--ignore-scripts'];
    const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    await run('npm', [...words, ...quiet], { cwd: scratch, timeout, killSignal: 'SIGKILL' });
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
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
  for (const version of versions) {
    const folder = join(cacheFolder(), version);
    const binary = join(folder, 'node_modules', name, program);
    const isThere = existsSync(binary);
    try {
      const began = performance.now();
      if (!isThere) await install(name, version, folder, Math.max(1, Math.round(deadline - began)));
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const from = isThere ? `the cache ${folder}` : `npm, in ${seconds} s, into ${folder}`;
      return { binary, version: await versionOf(binary), from };
    } catch (thrown) {
      problems.push(`${name}@${version}: ${lineOf(thrown)}`);
    }
  }
  return { reason: `it could not be installed (${problems.join('; ')})` };
}
