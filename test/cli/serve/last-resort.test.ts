// What no guard has caught (decision 0023): `patchbay serve` says so, counts it and goes on; too many end it in order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createLastResort, mostFaults, spanMs } from '../../../src/cli/serve/last-resort.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
/** Throws outside of everything, as a fault of the gateway would: on one signal at once, on the other as a promise. */
const faults = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => { throw new Error('thrown'); });
  process.on('SIGWINCH', () => void Promise.reject(new Error('rejected')));
`)}`;

it('goes on after a fault, and ends in order after ten', async () => {
  const server = spawn(process.execPath, ['--import', faults, main, 'serve', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(server, 'close');
  const lines: { level: string; text: string; note?: string; stack?: string }[] = [];
  let wake = () => {};
  let rest = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part));
    wake();
  });
  const logged = async (count: number) => {
    while (lines.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const [line] = await once(server.stdout, 'data');
  const { url, token } = JSON.parse(String(line)) as { url: string; token: string };
  server.kill('SIGUSR2');
  await logged(1);
  server.kill('SIGWINCH');
  await logged(2);
  expect(lines.map(({ level, text, note }) => ({ level, text, note }))).toEqual([
    { level: 'error', text: 'internal error: thrown', note: 'internal' },
    { level: 'error', text: 'internal error: rejected', note: 'internal' },
  ]);
  expect(lines[0]?.stack).toMatch(/^Error: thrown\n\s+at /u);
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(await metrics.text()).toContain('patchbay_notes_total{level="internal"} 2');
  for (let count = 3; count <= mostFaults; count += 1) {
    server.kill('SIGUSR2');
    await logged(count);
  }
  expect((await exited)[0]).toBe(1);
  expect(lines.at(-1)?.text).toMatch(/^the gateway has failed 10 times within a minute; waiting up to/u);
});

it('ends only for faults that come fast, and once', () => {
  const told: unknown[] = [];
  let now = 0;
  const handle = createLastResort({
    now: () => now,
    report: () => {
      throw new Error('the log is broken as well');
    },
    end: (reason) => told.push(reason),
  });
  for (let count = 0; count < 3 * mostFaults; count += 1) {
    now += spanMs / 5;
    handle(new Error('slow'));
  }
  expect(told).toEqual([]);
  for (let count = 0; count < 3 * mostFaults; count += 1) handle(new Error('fast'));
  expect(told).toEqual(['the gateway has failed 10 times within a minute']);
});
