// Runs the real Claude Code offline against a fake model: a home for it, its command line, and what the tap recorded of
// it. The program itself comes from outside the project (test/claude-code/install.ts). Knows nothing of the gateway.
import { existsSync, mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from '../../src/conformance/bounded-wait.ts';

const tap = fileURLToPath(new URL('./tap.mjs', import.meta.url));

/** The model that it is started with; the fake model answers to any name. */
export const claudeModel = 'fake-1';

/** A folder that stands for a user's home. */
export interface ClaudeHome {
  readonly dir: string;
  /** The working directory. It holds `notes.txt`. */
  readonly project: string;
  /** Where taps write, one file for each process. */
  readonly records: string;
  readonly baseUrl: string;
  readonly binary: string;
  remove(): void;
}

/** Makes a home whose Claude Code talks to `baseUrl` alone. */
export function makeClaudeHome(options: { binary: string; baseUrl: string }): ClaudeHome {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-claude-'));
  const home = { dir, project: join(dir, 'project'), records: join(dir, 'records') };
  for (const folder of [home.project, home.records, join(dir, 'tmp')]) mkdirSync(folder);
  writeFileSync(join(home.project, 'notes.txt'), 'alpha\nbeta\n');
  return { ...options, ...home, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }) };
}

/** How it is started. */
export interface ClaudeStart {
  /** `--bare`: quick, but without hooks, sub-agents, questions and tool servers. Default true. */
  readonly isBare?: boolean;
  /** More arguments. */
  readonly more?: readonly string[];
  /** More environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The argv of Claude Code behind a tap. It begins with an empty environment, so that neither the keys nor the settings
 * of whoever runs the tests are within its reach.
 */
export function claudeCommand(home: ClaudeHome, start: ClaudeStart = {}): [string, ...string[]] {
  const { isBare = true, more = [], env = {} } = start;
  const world = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home.dir,
    TMPDIR: join(home.dir, 'tmp'),
    CLAUDE_CODE_TMPDIR: join(home.dir, 'tmp'),
    ANTHROPIC_BASE_URL: home.baseUrl,
    ANTHROPIC_API_KEY: 'sk-ant-no-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // Ten retries with growing waits by default: more than a minute.
    CLAUDE_CODE_MAX_RETRIES: '2',
    ...env,
  };
  const words = ['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const asked = ['--include-partial-messages', '--permission-prompt-tool', 'stdio', '--model', claudeModel];
  return [
    'env',
    '-i',
    ...Object.entries(world).map(([name, value]) => `${name}=${value}`),
    process.execPath,
    tap,
    `${home.records}/`,
    '--',
    home.binary,
    ...words,
    ...asked,
    ...(isBare ? ['--bare'] : []),
    ...more,
  ];
}

/** Resolves when there is a file of that name in the folder: a tool says so that it has started. */
export async function untilThere(folder: string, name: string): Promise<void> {
  const watchers = new Set<() => void>();
  const watcher = watch(folder, () => {
    for (const check of watchers) check();
  });
  try {
    await within(`the file ${name}`, watchers, () => (existsSync(join(folder, name)) ? true : undefined));
  } finally {
    watcher.close();
  }
}
