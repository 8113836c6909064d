// The shell part of the GitHub action runs as a runner starts it: reports, summary and exit code.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { StoredReport } from '../../src/conformance/report/stored-report.ts';
import { allOf, readMarkup } from './support/markup.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const action = join(root, '.github/conformance');
const folder = mkdtempSync(join(tmpdir(), 'patchbay action '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = join(root, 'dist/cli/main.js');
const demo = `'${process.execPath}' '${cli}' stdio --frontend pi --agent demo`;

let runs = 0;
/** Runs the script with these inputs in a new folder. */
function run(inputs: Readonly<Record<string, string>>) {
  const reports = join(folder, `run ${++runs}`);
  const summary = `${reports}.md`;
  const output = `${reports}.out`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PATCHBAY: `${process.execPath} ${cli}`,
    PROTOCOL: 'pi',
    REPORTS: reports,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: output,
    ...inputs,
  };
  return new Promise<{ code: number; stderr: string; read(name: string): string }>((resolve) => {
    execFile(join(action, 'run.sh'), { cwd: folder, env }, (error, _stdout, stderr) => {
      const read = (name: string) => readFileSync({ summary, output }[name] ?? join(reports, name), 'utf8');
      resolve({ code: Number(error?.code ?? 0), stderr, read });
    });
  });
}

describe('the action', () => {
  const options = "--prompts demo --only 'pi/state*' --only pi/answered";

  test('keeps the reports, tells the table and passes', async () => {
    const { code, stderr, read } = await run({ OPTIONS: options, COMMAND: demo });
    expect(code, stderr).toBe(0);
    const report = StoredReport.parse(JSON.parse(read('report.json')));
    expect(report.counts.verdicts.passed).toBeGreaterThan(1);
    expect(allOf(readMarkup(read('junit.xml')), 'testcase')).toHaveLength(report.counts.total);
    expect(read('report.html')).toContain('<html');
    expect(read('badge.svg')).toContain(`${report.counts.verdicts.passed} of`);
    expect(read('output')).toBe('code=0\n');
    expect(read('summary')).toMatch(/^### Conformance with pi\n {4}/u);
    expect(read('summary')).toContain(`${report.counts.verdicts.passed} passed`);
  });

  test('fails with the program, unless the failure is known', async () => {
    const silent = `'${process.execPath}' -e 'process.stdin.on("data", () => console.log("no JSON"))'`;
    const inputs = { OPTIONS: '--no-model --prompts demo --only pi/line-is-object --patience 500', COMMAND: silent };
    const failed = await run(inputs);
    expect([failed.code, failed.read('output')]).toEqual([1, 'code=1\n']);
    const [entry] = StoredReport.parse(JSON.parse(failed.read('report.json'))).results.filter(
      ({ verdict }) => verdict === 'failed',
    );
    writeFileSync(join(folder, 'known.txt'), `${entry?.id}\n`);
    const known = await run({ ...inputs, KNOWN_FAILING: 'known.txt' });
    expect([known.code, known.read('output')]).toEqual([0, 'code=0\n']);
  });

  test('carries out nothing that stands in its inputs', async () => {
    const { code, stderr } = await run({ OPTIONS: `$(touch made) ; touch made`, COMMAND: demo });
    expect(code).not.toBe(0);
    expect(stderr).not.toBe('');
    expect(() => readFileSync(join(folder, 'made'))).toThrow('ENOENT');
  });

  test('hands its script every input that the script reads', () => {
    const declared = readFileSync(join(action, 'action.yml'), 'utf8');
    const script = readFileSync(join(action, 'run.sh'), 'utf8');
    const read = new Set(Array.from(script.matchAll(/\$\{?([A-Z_]+)/gu), ([, name]) => name ?? ''));
    const handed = new Set(
      Array.from(declared.matchAll(/^ {8}([A-Z_]+): \$\{\{ inputs\./gmu), ([, name]) => name ?? ''),
    );
    const ofRunner = new Set(['PATCHBAY', 'PIPESTATUS', 'GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT']);
    expect([...read].filter((name) => !ofRunner.has(name)).sort()).toEqual([...handed].sort());
  });
});
