// The commands of docs/guides/tapes.md, run as they stand, one after the other.
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { patchbay } from '../support/command.ts';

const guide = readFileSync('docs/guides/tapes.md', 'utf8');
const fences = (language: string) =>
  [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code);
const standIn = fileURLToPath(new URL('../../dist/cli/patchbay-pi.js', import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'patchbay-tapes-guide-'));
const env = { PATCHBAY_AGENT: 'demo', PATCHBAY_CONFIG: '', GUIDE_API_KEY: 'wonderful-secret' };
const input = `${JSON.stringify({ id: 'one', type: 'prompt', message: 'say wonderful-secret' })}\n`;

const wordsOf = (code: string) =>
  code
    .trim()
    .replace(/^patchbay /u, '')
    .replace('pi --mode rpc', `${process.execPath} ${standIn} --mode rpc`)
    .split(' ');

test('the guide of tapes', async () => {
  const commandOf = (begin: string) => fences('sh').find((code) => code.startsWith(`patchbay ${begin}`)) ?? '';
  const [record, serve, replay, redact] = [
    commandOf('record'),
    commandOf('serve'),
    commandOf('replay'),
    commandOf('redact'),
  ];
  const recorded = await patchbay(wordsOf(record), { input, cwd, env });
  expect(recorded).toMatchObject({ code: 0, stdout: expect.stringMatching('agent_end') });
  expect(await patchbay(wordsOf(serve), { cwd, env, holdInput: true, killAfter: 'token' })).toMatchObject({ code: 0 });
  const played = await patchbay(wordsOf(replay), { input, cwd, env });
  expect([played.code, played.stdout]).toEqual([0, recorded.stdout]);
  const redacted = await patchbay(wordsOf(redact), { cwd, env });
  expect(redacted).toMatchObject({ code: 0, stderr: expect.stringMatching(/^env +\d+ times/mu) });
  const copy = readFileSync(join(cwd, 'public.jsonl'), 'utf8');
  expect(copy).not.toContain('wonderful');
  expect(copy).toHaveLength(readFileSync(join(cwd, 't.jsonl'), 'utf8').length);
  const [config = ''] = fences('json');
  writeFileSync(join(cwd, 'patchbay.json'), config);
  expect(await patchbay(['agents'], { cwd, env })).toMatchObject({
    stdout: expect.stringMatching(/taped +pi +t\.jsonl/u),
  });
  expect(() => parseConfig({ agents: { taped: { protocol: 'replay' } } })).toThrow('belong together');
});

test('--scrub leaves the scrubbed tape alone', async () => {
  const words = wordsOf(fences('sh')[0] ?? '').map((word) => word.replace('t.jsonl', 'scrubbed.jsonl'));
  expect(await patchbay(['record', '--scrub', ...words.slice(1)], { input, cwd, env })).toMatchObject({ code: 0 });
  expect(readdirSync(cwd).filter((name) => name.startsWith('scrubbed'))).toEqual(['scrubbed.jsonl']);
  expect(readFileSync(join(cwd, 'scrubbed.jsonl'), 'utf8')).not.toContain('wonderful');
  expect(statSync(join(cwd, 'scrubbed.jsonl')).mode & 0o777).toBe(0o600);
});
