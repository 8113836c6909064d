// docs/guides/claude-agent-sdk.md: its program and its commands, run as they stand; only the way to ours is put in.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';

vi.setConfig({ testTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/claude-agent-sdk.md'), 'utf8');

/** The one fence of that language which holds these words, with our own program where the guide has an installed one. */
function fence(language: string, words: string): string {
  const codes = [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)].flatMap((found) =>
    found[1] === language ? [found[2] ?? ''] : [],
  );
  const fitting = codes.filter((code) => code.includes(words));
  expect(fitting, `one ${language} fence with ${words}`).toHaveLength(1);
  const program = join(root, 'dist/cli/patchbay-claude.js');
  return (fitting[0] ?? '')
    .replaceAll('node_modules/agent-patchbay/dist/cli/patchbay-claude.js', program)
    .replaceAll('npx patchbay-claude', `node ${program}`);
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd: root }, (error, stdout, stderr) => {
      if (error === null) resolve(`${stdout}${stderr}`);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
    child.stdin?.end();
  });
}

describe('the guide', () => {
  test('its program asks, hears and ends', async () => {
    const said = await run(process.execPath, ['--input-type=module', '-e', fence('js', 'query(')]);
    expect(said).toMatch(/may it\? write_note/u);
    expect(said).toMatch(/success I wrote the note\.\n$/u);
  });

  test('its commands print the answer, and the result', async () => {
    const said = await run('/bin/sh', ['-ec', fence('sh', 'npx patchbay-claude')]);
    expect(said).toMatch(/^The lookup found 3 entries\.\n\{.*"result":"The lookup found 3 entries\.".*\}\n$/u);
  });

  test('its configuration is one', () => {
    const config = parseConfig(JSON.parse(fence('json', 'agents')));
    expect(config.defaultAgent).toBe('pi');
  });
});
