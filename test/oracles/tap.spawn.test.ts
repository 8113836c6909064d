// The tap on trial: both pipes pass byte for byte, exit codes and signals too, and the record holds the lines.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { pidOf, readRecord } from '../support/pi-rig.ts';

const tap = fileURLToPath(new URL('../support/tap.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-tap-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let records = 0;
function tapped(command: readonly string[]) {
  const file = join(folder, `${++records}.jsonl`);
  const child = spawn(process.execPath, [tap, file, '--', ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    child,
    rows: () => readRecord(file),
    output: () => Buffer.concat(chunks),
    closed: once(child, 'close').then(([code, signal]) => ({ code, signal })),
  };
}

test('bytes pass unharmed in both directions, and end of input ends the command', async () => {
  const { child, output, rows, closed } = tapped(['cat']);
  const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 256));
  child.stdin.end(noise);
  expect(await closed).toEqual({ code: 0, signal: null });
  expect(output().equals(noise)).toBe(true);
  expect(rows().at(-1)).toEqual({ dir: 'exit', line: '0' });
});

test('lines are recorded in both directions, but not the growing updates', async () => {
  const { child, rows, output, closed } = tapped(['cat']);
  const update = `{"type":"message_update","message":"${'x'.repeat(100_000)}"}`;
  const lines = ['{"a":"\u2028 ü \u{1F600}"}', update, '', '{"type":"message_up', '{"last":true}'];
  child.stdin.end(`${lines.join('\n')}\n`);
  await closed;
  expect(output().toString()).toBe(`${lines.join('\n')}\n`);
  const kept = lines.filter((line) => line !== '' && line !== update);
  for (const dir of ['in', 'out']) {
    expect(
      rows()
        .filter((row) => row.dir === dir)
        .map(({ line }) => line),
    ).toEqual(kept);
  }
});

test('the exit code passes', async () => {
  const { closed, rows } = tapped(['sh', '-c', 'exit 7']);
  expect(await closed).toEqual({ code: 7, signal: null });
  expect(rows().at(-1)).toEqual({ dir: 'exit', line: '7' });
});

test('the death of the command by a signal is the death of the tap', async () => {
  const { closed, rows, child } = tapped(['cat']);
  child.stdin.write('hello\n');
  await once(child.stdout, 'data');
  process.kill(pidOf(rows()), 'SIGKILL');
  expect(await closed).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a signal to the tap reaches the command', async () => {
  const { closed, child } = tapped(['cat']);
  child.stdin.write('hello\n');
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await closed).toEqual({ code: null, signal: 'SIGTERM' });
});

test('a command that does not exist is said', async () => {
  const { closed } = tapped(['/nonexistent/command']);
  expect(await closed).toEqual({ code: 127, signal: null });
});
