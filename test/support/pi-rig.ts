// Runs the real pi (the pinned test parts `pi-modern` and `pi-legacy`) offline against a fake model: a home for it, its
// command line, and what the tap recorded of it. Knows nothing of the gateway.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { within } from '../../src/conformance/bounded-wait.ts';

/** Which pi: 0.54.2, or 0.13.2. */
export type PiPart = 'pi-modern' | 'pi-legacy';
const cliOf = (part: PiPart) => fileURLToPath(new URL(`../../node_modules/${part}/dist/cli.js`, import.meta.url));
const tap = fileURLToPath(new URL('./tap.mjs', import.meta.url));

/** US dollars for a million tokens: what pi multiplies with, and the tests again. */
export const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
/** The only model that pi knows here. */
export const modelId = 'fake-1';

/** A folder that stands for a user's home. */
export interface PiHome {
  readonly part: PiPart;
  readonly dir: string;
  /** The working directory for pi and for the gateway. */
  readonly project: string;
  readonly agentDir: string;
  /** Where taps write, one file for each pi process. */
  readonly records: string;
  remove(): void;
}

const defaultSettings = {
  // One millisecond instead of two seconds between the retries; three of them, as pi has it.
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 },
  // Small enough that a talk of two sentences has something to compact.
  compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 10 },
};

/** Makes a home whose pi talks to `baseUrl` alone. Settings are pi's own settings.json, on top of quick retries. */
export function makePiHome(options: { baseUrl: string; settings?: object; part?: PiPart }): PiHome {
  const { part = 'pi-modern' } = options;
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-pi-'));
  const home = {
    part,
    dir,
    project: join(dir, 'project'),
    agentDir: join(dir, 'agent'),
    records: join(dir, 'records'),
  };
  for (const folder of [home.project, home.agentDir, home.records]) mkdirSync(folder);
  const model = {
    id: modelId,
    name: 'Fake One',
    reasoning: true,
    input: ['text', 'image'],
    cost: prices,
    contextWindow: 200_000,
    maxTokens: 16_384,
  };
  const provider = { baseUrl: options.baseUrl, apiKey: 'test', api: 'anthropic-messages', models: [model] };
  writeFileSync(join(home.agentDir, 'models.json'), JSON.stringify({ providers: { fake: provider } }));
  writeFileSync(join(home.agentDir, 'settings.json'), JSON.stringify({ ...defaultSettings, ...options.settings }));
  writeFileSync(join(home.project, 'notes.txt'), 'alpha\nbeta\n');
  return { ...home, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** The argv of pi in RPC mode behind a tap, `more` at its end, and the environment that it needs on top of ours. */
export function piCommand(home: PiHome, more: readonly string[] = []): { argv: string[]; env: Record<string, string> } {
  const model = ['--provider', 'fake', '--model', modelId, '--system-prompt', 'You are a test agent.'];
  return {
    argv: [
      process.execPath,
      tap,
      `${home.records}/`,
      '--',
      process.execPath,
      cliOf(home.part),
      '--mode',
      'rpc',
      '--no-session',
      ...model,
      ...more,
    ],
    env: { PI_CODING_AGENT_DIR: home.agentDir, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
  };
}

const Row = z.object({ dir: z.enum(['pid', 'in', 'out', 'exit']), line: z.string() });
/** One row of a tap's record. */
export type Row = z.infer<typeof Row>;

/** The rows of a record file, without a last one that is still being written. */
export function readRecord(file: string): Row[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => Row.parse(JSON.parse(line)));
}

/** All records of a home whose pi has been told something that holds `text`, oldest first. */
export function recordsWith(home: PiHome, text: string): Row[][] {
  if (!existsSync(home.records)) return [];
  const records = readdirSync(home.records).map((name) => readRecord(join(home.records, name)));
  return records.filter((rows) => rows.some((row) => row.dir === 'in' && row.line.includes(text)));
}

/** The rows of the one pi that was told `text`, as soon as `ready` is content with them. */
export async function recordOf(
  home: PiHome,
  text: string,
  ready: (rows: Row[]) => boolean = () => true,
): Promise<Row[]> {
  const watchers = new Set<() => void>();
  const watcher = watch(home.records, () => {
    for (const check of watchers) check();
  });
  try {
    return await within(`a record with ${text}`, watchers, () => recordsWith(home, text).find(ready));
  } finally {
    watcher.close();
  }
}

/** What pi said in a session before a prompt, and from that prompt to the next. */
export function linesAround(rows: readonly Row[], prompt: string): { before: string[]; lines: string[] } {
  const out = (some: readonly Row[]) => some.flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));
  const at = rows.findIndex((row) => row.dir === 'in' && row.line.includes(prompt));
  const rest = rows.slice(at + 1);
  const next = rest.findIndex((row) => row.dir === 'in' && row.line.includes('"type":"prompt"'));
  return { before: out(rows.slice(0, at)), lines: out(rest.slice(0, next < 0 ? undefined : next)) };
}

/** The process id of the pi behind a record: not the tap's. */
export function pidOf(rows: readonly Row[]): number {
  return z.coerce
    .number()
    .int()
    .positive()
    .parse(rows.find((row) => row.dir === 'pid')?.line);
}
