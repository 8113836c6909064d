// Every kind of fault between agents and gateway, one test a row of docs/chaos-table.md; and `patchbay chaos` itself.
// `npm test` runs each row with one agent, `npm run test:full` with all; `CHAOS_TABLE=1` writes the page.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { kindNames } from '../../src/faults/rule.ts';
import { type CellEnding, chaosAgents, runCell } from '../support/chaos/cell.ts';
import { chaosRows } from '../support/chaos/rows.ts';
import { chaosTable, faultsIn } from '../support/chaos/table.ts';
import { patchbay } from '../support/command.ts';
import { isFull } from '../support/full.ts';

const page = fileURLToPath(new URL('../../docs/chaos-table.md', import.meta.url));
const isWriting = process.env.CHAOS_TABLE === '1';
/** By the names of cells. */
const endings = new Map<string, CellEnding>();
afterAll(() => {
  if (isWriting) writeFileSync(page, chaosTable(cells.filter(isOnPage), endings));
});

const cells = chaosRows.flatMap((row, at) =>
  chaosAgents.map((agent, column) => ({ name: `${row.fault}, ${agent}`, row, agent, at, column })),
);
const isOnPage = ({ at, column }: { at: number; column: number }) => at % chaosAgents.length === column;
const wanted = cells.filter((cell) => isFull || isOnPage(cell));

test.each(wanted)('$name', async ({ name, row, agent, at, column }) => {
  const ending = await runCell(row, agent, at + column);
  endings.set(name, ending);
  if (row.harm === 'whole') expect(ending).toBe('whole');
});

test('every kind of fault has a row', () => {
  const seen = new Set(chaosRows.map(({ fault }) => fault.split(' ')[0]));
  expect([...seen].sort()).toEqual([...kindNames].sort());
});

test.skipIf(isWriting)('docs/chaos-table.md has these rows', () => {
  expect(faultsIn(readFileSync(page, 'utf8'))).toEqual(chaosRows.map(({ fault }) => fault));
});

describe('patchbay chaos', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-chaos-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const agent = fileURLToPath(new URL('../support/scripted-pi.mjs', import.meta.url));
  const prompt = `${JSON.stringify({ id: '1', type: 'prompt', message: 'look' })}\n`;
  const log = join(folder, 'faults.jsonl');
  const run = (faults: readonly string[], seed = '7') =>
    patchbay(
      [
        'chaos',
        '--seed',
        seed,
        '--log',
        log,
        ...faults.flatMap((one) => ['--fault', one]),
        '--',
        process.execPath,
        agent,
      ],
      { input: prompt },
    );
  const rows = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => ({ ...JSON.parse(line), at: null }));

  test('without a fault everything passes; the seed is told', async () => {
    const plain = await run([]);
    expect(plain).toMatchObject({ code: 0, stderr: 'patchbay chaos: --seed=7\n' });
    expect(plain.stdout.split('\n').length).toBeGreaterThan(20);
    expect(rows()).toEqual([expect.objectContaining({ dir: 'meta', seed: 7, faults: [] })]);
  });

  test('a run with a seed repeats exactly, to the byte and the row; another seed is another run', async () => {
    const faults = ['drop p0.2', 'dup p0.2', 'garbage 5 p0.2', 'badjson p0.1', 'delay 1ms p0.1'];
    const first = { ...(await run(faults)), rows: rows() };
    const second = { ...(await run(faults)), rows: rows() };
    expect(second).toEqual(first);
    expect(first.rows.length).toBeGreaterThan(5);
    expect((await run(faults, '8')).stdout).not.toBe(first.stdout);
  });

  test('a row for each fault', async () => {
    const { code } = await run(['drop @2', 'exit 5 @4']);
    const fault = { dir: 'fault', on: 'out', at: null };
    expect([code, ...rows().slice(1)]).toEqual([
      5,
      { ...fault, fault: 'drop @2', frame: 2 },
      { ...fault, fault: 'exit 5 @4', frame: 4 },
    ]);
  });

  test.each([
    [['--fault', 'dorp'], /column 1: a kind of fault is expected/u],
    [['--fault', 'delay 5'], /column 7: a time with its unit/u],
    [['--seed', '-1'], /whole number below 4294967296/u],
    [['--log', '/nowhere/x'], /cannot write \/nowhere\/x/u],
  ])('%j is wrong usage', async (args, words) => {
    const { code, stderr } = await patchbay(['chaos', ...args, '--', 'true']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  test('a program that is not there', async () => {
    const { code, stderr } = await patchbay(['chaos', '--', '/nowhere/agent']);
    expect([code, stderr]).toEqual([127, expect.stringContaining('could not be started')]);
  });
});
