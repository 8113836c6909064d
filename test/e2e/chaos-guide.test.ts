// docs/guides/chaos.md: its command runs as it stands, but for the way to the programs, its configuration is accepted, and
// its table names every kind of fault.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { kindNames } from '../../src/faults/rule.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/chaos.md'), 'utf8');
const fence = (language: string) => guide.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'patchbay-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the command', async () => {
  const program = (name: string) => `"${process.execPath}" "${join(root, 'dist/cli', name)}.js"`;
  const command = fence('sh')
    .replaceAll('npx patchbay-pi', program('patchbay-pi'))
    .replaceAll('npx patchbay', program('main'));
  const { code, stdout, stderr } = await new Promise<{ code: number | null; stdout: string; stderr: string }>(
    (resolve) => {
      const child = execFile('bash', ['-c', command], { cwd: folder }, (_error, out, err) =>
        resolve({ code: child.exitCode, stdout: out, stderr: err }),
      );
    },
  );
  expect([code, stderr]).toEqual([0, 'patchbay chaos: --seed=7\n']);
  const frames = stdout.trim().split('\n');
  expect(frames[2]).toBe(frames[3]);
  const rows = readFileSync(join(folder, 'faults.jsonl'), 'utf8').trim().split('\n');
  expect(rows.map((row) => JSON.parse(row)).filter(({ fault }) => fault === 'dup @3-5')).toMatchObject(
    [3, 4, 5].map((frame) => ({ dir: 'fault', on: 'out', frame, at: expect.any(Number) })),
  );
});

test('the configurations', () => {
  const tape = join(folder, 't.jsonl');
  writeFileSync(tape, '{"dir":"out","line":"{\\"type\\":\\"extension_ui_request\\"}"}\n');
  const configs = guide.split('```json\n').slice(1);
  expect(configs).toHaveLength(2);
  for (const text of configs) {
    const config = (text.split('```')[0] ?? '').replace('t.jsonl', tape);
    expect(() => parseConfig(JSON.parse(config))).not.toThrow();
  }
});

test('the table has every kind', () => {
  const cells = [...guide.matchAll(/^\| (`[^|]+) \|/gmu)].flatMap(([, cell]) => cell?.match(/`[a-z-]+/gu) ?? []);
  expect(cells.map((name) => name.slice(1)).sort()).toEqual([...kindNames].sort());
});
