// An answer of 200 kB, which no pi up to 0.83 lives to tell (docs/protocols/pi.md 14.1, 14.2): from an agent that sends deltas to
// a client that wants the whole message with each of them, and reads slowly.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { within } from '../../src/conformance/bounded-wait.ts';

const patchbay = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const agent = fileURLToPath(new URL('../support/long-pi.mjs', import.meta.url));
const characters = 200_000;
const deltas = characters / 20;
/** How much the gateway may grow, bytes. All snapshots together would be some 4 GB. */
const mostGrowth = 150 * 1024 * 1024;

const Message = z.looseObject({ content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })) });
const Update = z.object({
  type: z.literal('message_update'),
  assistantMessageEvent: z.looseObject({ type: z.string(), delta: z.string().optional(), partial: Message }),
  message: Message,
});
type Update = z.infer<typeof Update>;
const End = z.object({
  type: z.literal('message_end'),
  message: z.object({ role: z.literal('assistant') }).and(Message),
});

let folder: string;
let allSaid: string;
let gateway: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'patchbay-'));
  allSaid = path.join(folder, 'all-said');
});
afterEach(() => {
  gateway?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Resolves when the last delta of the agent was taken. */
async function allIsSaid(): Promise<void> {
  const watchers = new Set<() => void>();
  const watcher = watch(folder, () => {
    for (const look of watchers) look();
  });
  await within('the last delta of the agent', watchers, () => existsSync(allSaid) || undefined);
  watcher.close();
}

/** A figure of the process's status, in bytes; null on systems that have none. */
function memoryOf(pid: number | undefined, figure: 'VmRSS' | 'VmHWM'): number | null {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  const found = new RegExp(`^${figure}:\\s*(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'));
  return Number(found?.[1]) * 1024;
}

const textOf = ({ content }: Update['message']) => content.map(({ text }) => text).join('');

test.each<[string, (updates: number) => Promise<void> | void]>([
  ['a client that stops reading until the last delta was said', (updates) => (updates === 1 ? allIsSaid() : undefined)],
  ['a client that parses each line before it reads on', () => {}],
])('%s', async (_name, beforeNext) => {
  const args = [patchbay, 'stdio', '--frontend', 'pi', '--backend', 'pi', '--'];
  const child = spawn(process.execPath, [...args, process.execPath, agent, `${characters}`, allSaid], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  gateway = child;
  child.stdin.write(`${JSON.stringify({ id: '1', type: 'prompt', message: 'go on' })}\n`);

  let before: number | null = null;
  let peak: number | null = null;
  let updates = 0;
  let joined = '';
  let shown = '';
  const types: unknown[] = [];
  let final = '';

  async function take(line: string): Promise<void> {
    const frame: unknown = JSON.parse(line);
    types.push(z.looseObject({ type: z.string() }).parse(frame).type);
    const end = End.safeParse(frame);
    if (end.success) final = textOf(end.data.message);
    const update = Update.safeParse(frame);
    if (!update.success) return;
    const { assistantMessageEvent: event, message } = update.data;
    joined += event.delta ?? '';
    const now = textOf(message);
    // What it was told so far is what it is shown; each time more, and the same twice.
    if (now !== joined || !now.startsWith(shown) || textOf(event.partial) !== now) expect(now).toBe(joined);
    shown = now;
    if (event.type !== 'text_delta') return;
    updates += 1;
    before ??= memoryOf(child.pid, 'VmRSS');
    await beforeNext(updates);
  }

  let rest: Buffer[] = [];
  for await (const chunk of child.stdout) {
    let bytes: Buffer = chunk;
    for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n')) {
      await take(Buffer.concat([...rest, bytes.subarray(0, end)]).toString());
      rest = [];
      bytes = bytes.subarray(end + 1);
    }
    rest.push(bytes);
    if (types.at(-1) !== 'agent_end' && types.at(-1) !== 'agent_settled') continue;
    peak = memoryOf(child.pid, 'VmHWM');
    child.stdin.end();
  }

  const text = readFileSync(allSaid, 'utf8');
  expect(text).toHaveLength(characters);
  expect(final === text && joined === text).toBe(true);
  expect(updates).toBeGreaterThan(0);
  expect(updates).toBeLessThan(deltas / 2);
  expect(types.indexOf('response')).toBeLessThan(types.indexOf('agent_start'));
  if (before !== null && peak !== null) expect(peak - before).toBeLessThan(mostGrowth);
});
