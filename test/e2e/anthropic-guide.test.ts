// docs/guides/anthropic.md: its commands run as they stand, but for the way to the program and the address of the API, and
// its configuration is accepted.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/anthropic.md'), 'utf8');
const fences = (language: string) =>
  [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)]
    .filter((found) => found[1] === language)
    .map((found) => found[2] ?? '');

const folder = mkdtempSync(join(tmpdir(), 'patchbay-guide-'));
let fake: FakeAnthropic;
beforeAll(async () => {
  fake = await startFakeAnthropic({ chat: true });
  writeFileSync(join(folder, 'patchbay.json'), fences('json')[0] ?? '');
});
afterAll(async () => {
  await fake.close();
  rmSync(folder, { recursive: true });
});

/** The one line of the shell fences with these words, run in a folder that has the guide's configuration. */
function run(words: string): Promise<string> {
  const lines = fences('sh')
    .join('')
    .split('\n')
    .filter((line) => line.includes(words));
  expect(lines, `one line with ${words}`).toHaveLength(1);
  const command = (lines[0] ?? '').replace('npx patchbay', `node ${join(root, 'dist/cli/main.js')}`);
  const env = { ...process.env, ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: fake.url };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', command], { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}

test('a Claude client without a configuration', async () => {
  expect(await run('--backend anthropic')).toMatch(
    /"type":"result","subtype":"success".*"result":"No scenario was named\."/u,
  );
  expect(fake.requests.at(-1)?.body).toMatchObject({ model: 'claude-opus-5-5' });
});

test('a pi client with the configuration', async () => {
  expect(await run('--frontend pi')).toMatch(/^\{"type":"agent_end".*No scenario was named\./mu);
  expect(fake.requests.at(-1)?.body).toMatchObject({
    model: 'claude-sonnet-5-5',
    system: 'Be brief.',
    max_tokens: 8_000,
    output_config: { effort: 'low' },
  });
});
