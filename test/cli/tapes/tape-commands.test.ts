// Commands over tapes as processes: compare's exit codes, both sides of a translated tape, replay step by step, and faults
// that a seed repeats.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rowText, type SpokenRow } from '../../../src/tape/row.ts';
import { patchbay } from '../../support/command.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-tape-commands-'));
let count = 0;

function tapeOf(...rows: readonly (readonly [SpokenRow['dir'], object])[]): string {
  count += 1;
  const file = join(folder, `${count}.jsonl`);
  writeFileSync(file, rows.map(([dir, message]) => rowText({ dir, line: JSON.stringify(message) })).join(''));
  return file;
}

const asked = ['in', { id: '1', type: 'set_thinking_level', level: 'high' }] as const;
const answer = ['out', { id: '1', type: 'response', command: 'set_thinking_level', success: true }] as const;
const begin = ['out', { type: 'agent_start' }] as const;

describe('patchbay compare', () => {
  const one = tapeOf(asked, answer);
  const two = tapeOf(asked, answer, begin);

  it('ends with 0, 1 or 2, and prints a table', async () => {
    expect(await patchbay(['compare', one, one])).toMatchObject({ code: 0, stdout: 'nothing changed on the wire\n' });
    const changed = await patchbay(['compare', one, two]);
    expect(changed).toMatchObject({ code: 1, stderr: '' });
    expect(changed.stdout.split('\n')).toEqual([
      'change   frame          field  a  b    lines',
      '+ frame  < agent_start            1 ×  -, 3',
      '1 changes',
      '',
    ]);
    expect(await patchbay(['compare', one, join(folder, 'none')])).toMatchObject({ code: 2, stdout: '' });
  });

  it('prints JSON', async () => {
    const { stdout } = await patchbay(['compare', two, one, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      ...{ change: 'gone-kind', dir: 'out', kind: 'agent_start', path: '', a: '1 ×', b: '' },
      lines: { a: 3, b: null },
    });
  });
});

describe('patchbay translate', () => {
  const tape = readFileSync(tapeOf(asked, answer, begin), 'utf8');
  const words = ['translate', '--from', 'pi', '--to', 'claude'];

  it('writes answers, and with --tape what was asked', async () => {
    const plain = await patchbay(words, { input: tape });
    const frames = plain.stdout.trimEnd().split('\n');
    expect(frames.filter((frame) => JSON.parse(frame).type === 'control_response')).toHaveLength(1);
    const both = await patchbay([...words, '--tape'], { input: tape });
    const rows = both.stdout
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect(rows.map(({ dir }) => dir).slice(0, 2)).toEqual(['in', 'out']);
    expect(rows.filter(({ dir }) => dir === 'out').map(({ line }) => line)).toEqual(frames);
  });

  it('explains as plain columns, and as JSON', async () => {
    const { stdout, code } = await patchbay([...words, '--explain'], { input: tape, env: { COLUMNS: '90' } });
    expect(code).toBe(0);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(90);
    expect(stdout).toContain(' | set-thinking ');
    const { stdout: json } = await patchbay([...words, '--explain', '--json'], { input: tape });
    expect(
      json
        .trimEnd()
        .split('\n')
        .map((row) => JSON.parse(row).line),
    ).toEqual([1, 2, 3, null]);
  });
});

/** SIGUSR2 in the mask of caught signals. */
const usr2 = 1n << 11n;

/** Resolves when the process catches SIGUSR2: earlier, the signal would end it. */
async function catchesSignal(pid: number): Promise<void> {
  for (;;) {
    const mask = /^SigCgt:\s*([0-9a-f]+)$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    if ((BigInt(`0x${mask}`) & usr2) !== 0n) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it.skipIf(process.platform !== 'linux')(
  'replay --step sends one frame for each SIGUSR2 (Linux: reads /proc)',
  async () => {
    const file = tapeOf(begin, ['out', { type: 'turn_start' }], ['out', { type: 'turn_end' }]);
    // Without a terminal: Enter of who runs the tests would be a step.
    const child = spawn(process.execPath, [main, 'replay', file, '--step', '--speed', 'max'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    let heard = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    await catchesSignal(child.pid ?? 0);
    const types: string[][] = [];
    for (let step = 1; step <= 3; step += 1) {
      child.kill('SIGUSR2');
      await once(child.stdout, 'data');
      types.push(
        heard
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).type),
      );
    }
    expect(types).toEqual([['agent_start'], ['agent_start', 'turn_start'], ['agent_start', 'turn_start', 'turn_end']]);
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  },
);

it('chaos with a seed repeats exactly in front of a tape, and another seed does something else', async () => {
  const file = tapeOf(...Array.from({ length: 60 }, (_, n) => ['out', { type: 'tick', n }] as const));
  const faults = ['drop p0.2', 'dup p0.2', 'truncate p0.1', 'garbage 8 p0.1'].flatMap((fault) => ['--fault', fault]);
  const broken = async (seed: number) => {
    count += 1;
    const log = join(folder, `${count}.log`);
    const words = ['chaos', `--seed=${seed}`, ...faults, '--log', log, '--', process.execPath, main, 'replay', file];
    const { stdout } = await patchbay([...words, '--speed', 'max']);
    const rows = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row));
    return { stdout, rows: rows.map(({ at: _, ...row }) => row) };
  };
  const [one, again, other] = [await broken(7), await broken(7), await broken(8)];
  expect(one.rows.length).toBeGreaterThan(10);
  expect(again).toEqual(one);
  expect(other.stdout).not.toBe(one.stdout);
});
