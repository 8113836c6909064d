// `patchbay replay --fault`, and faults of an agent that is a tape.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { rowText, type SpokenRow } from '../../../src/tape/row.ts';
import { patchbay } from '../../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-replay-faults-'));
let count = 0;
function tapeOf(...rows: readonly (readonly [SpokenRow['dir'], object])[]): string {
  count += 1;
  const file = join(folder, `${count}.jsonl`);
  writeFileSync(file, rows.map(([dir, message]) => rowText({ dir, line: JSON.stringify(message) })).join(''));
  return file;
}

const ticks = Array.from({ length: 30 }, (_, n) => ['out', { type: 'tick', n }] as const);
const told = ({ stdout }: { readonly stdout: string }) =>
  stdout.split('\n').flatMap((line) => /"n":(\d+)/u.exec(line)?.[1] ?? []);
const words = (file: string, ...more: string[]) => ['replay', file, '--speed', 'max', ...more];

describe('patchbay replay --fault', () => {
  const file = tapeOf(...ticks);
  const all = ticks.map((_, n) => String(n));

  test.each([
    ['dup @2', { code: 0, told: ['0', '1', '1', ...all.slice(2)] }],
    ['drop @1-28', { code: 0, told: ['28', '29'] }],
    ['pause 10ms @3', { code: 0, told: all }],
    ['delay 5ms @every 10', { code: 0, told: all }],
    ['exit 5 @3', { code: 5, told: ['0', '1'] }],
    ['kill @3', { code: null, told: ['0', '1'] }],
    ['reset @3', { code: 1, told: ['0', '1'] }],
    ['close @3', { code: 0, told: ['0', '1'] }],
    ['stall @3', { code: 0, told: ['0', '1'] }],
  ])('%s', async (fault, expected) => {
    const ended = await patchbay(words(file, '--fault', fault, '--seed=1'), { input: '' });
    expect({ code: ended.code, told: told(ended) }).toEqual(expected);
    expect(ended.stderr).toBe('patchbay replay: --seed=1\n');
  });

  it('repeats with a seed, which it tells', async () => {
    const chance = ['--fault', 'drop p0.4', '--fault', 'dup p0.4'];
    const one = await patchbay(words(file, ...chance));
    const seed = /--seed=(\d+)/u.exec(one.stderr)?.[1] ?? '';
    expect(told(one)).not.toEqual(all);
    expect(await patchbay(words(file, ...chance, `--seed=${seed}`))).toEqual(one);
  });

  it('stands between the played client and a program too, and an agent that hears less departs from the tape', async () => {
    const asked = tapeOf(['in', { type: 'a' }], ['in', { type: 'b' }], ['out', { type: 'a' }], ['out', { type: 'b' }]);
    const echo = [
      '--as',
      'client',
      '--linger',
      '0',
      '--',
      process.execPath,
      '-e',
      'process.stdin.pipe(process.stdout)',
    ];
    expect(await patchbay(words(asked, ...echo))).toMatchObject({ code: 0, stderr: '' });
    const broken = await patchbay(words(asked, '--fault', 'drop @type=a on in', '--seed=1', ...echo));
    expect(broken).toMatchObject({ code: 3, stderr: expect.stringContaining('line 3: missing: a') });
    const killed = await patchbay(words(asked, '--fault', 'kill @2 on in', '--seed=1', ...echo));
    expect(killed).toMatchObject({ code: 3, stderr: expect.stringContaining('missing') });
  });

  it('names the column of a mistake', async () => {
    expect(await patchbay(words(file, '--fault', 'drop @@'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('column'),
    });
  });
});

describe('faults of a taped agent', () => {
  const prompt = { id: 'p', type: 'prompt', message: 'hello' };
  const answer = { id: 'p', type: 'response', command: 'prompt', success: true };
  const tape = tapeOf(
    ['in', prompt],
    ['out', answer],
    ['out', { type: 'agent_start' }],
    ['out', { type: 'agent_end', messages: [] }],
  );
  const config = (agent: object) => {
    count += 1;
    const file = join(folder, `${count}.json`);
    writeFileSync(file, `{"agents":{\n"taped":${JSON.stringify(agent)}}}`);
    return file;
  };
  const taped = { protocol: 'replay', file: tape, speed: 'max' };

  it('meet its clients', async () => {
    const ask = (agent: object) =>
      patchbay(['stdio', '--frontend', 'pi', '--config', config(agent)], {
        input: `${JSON.stringify(prompt)}\n`,
        holdInput: true,
        killAfter: 'agent_end',
      });
    const whole = await ask(taped);
    expect(whole.stdout).not.toContain('SIGKILL');
    const killed = await ask({ ...taped, faults: ['kill @type=agent_end'], seed: 3 });
    expect(killed.stdout).toContain('SIGKILL');
  });

  test.each([
    [{ ...taped, faults: ['drip @1'] }, /:2: agents\.taped\.faults\[0\]: fault "drip @1", column 1: a kind of fault/u],
    [{ protocol: 'pi', command: ['pi'], faults: ['drop'] }, /faults and seed belong to the protocol replay/u],
    [{ ...taped, seed: -1 }, /seed is at least 0/u],
  ])('%j is a mistake that is told', async (agent, message) => {
    expect(await patchbay(['agents', '--config', config(agent)])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
  });
});
