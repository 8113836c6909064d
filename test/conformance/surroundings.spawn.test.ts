// The environment of programs under test: it leads to the fake model and to no other.

import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ModelHome, startModelHome, surroundingsOf } from '../../src/conformance/model/environment.ts';
import { spawnChannel } from '../../src/transports/child/child-process.ts';
import { record } from '../transports/support/recording-receiver.ts';

const pi = fileURLToPath(new URL('../../node_modules/pi-modern/dist/cli.js', import.meta.url));
const keys = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_OAUTH_TOKEN',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'SOME_NEW_API_KEY',
  'OPENAI_APIKEY',
  'HF_TOKEN',
  'GH_TOKEN',
  'AWS_PROFILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_BEARER_TOKEN_BEDROCK',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLOUD_PROJECT',
  'AZURE_OPENAI_API_KEY',
];
const harmless = ['PATH', 'HOME', 'LANG', 'KEYBOARD', 'TOKENIZERS_PARALLELISM', 'XDG_STATE_HOME'];

describe('the variables of a program', () => {
  const envOf = (protocol: string) => surroundingsOf(protocol, 'http://127.0.0.1:1', '/h', [...keys, ...harmless]).env;

  test.each(['pi', 'pi-legacy', 'pi-server'])('%s, which has a models file: no key at all', (protocol) => {
    const env = envOf(protocol);
    const seen = keys.filter((name) => !(name in env) || env[name] !== undefined);
    expect(seen).toEqual([]);
  });

  test.each(['claude', 'eca'])('%s: the key of the fake model and no other', (protocol) => {
    const env = envOf(protocol);
    expect(env.ANTHROPIC_BASE_URL).toBe('http://127.0.0.1:1');
    expect(keys.filter((name) => !(name in env) || env[name] !== undefined)).toEqual(['ANTHROPIC_API_KEY']);
    expect(env.ANTHROPIC_API_KEY).toBe('sk-ant-no-key');
  });

  test('the home of a pi-server moves with its agent folder, which it loads sessions from', () => {
    expect(envOf('pi-server')).toMatchObject({ HOME: '/h/home', PI_CODING_AGENT_DIR: '/h/home/.pi/agent' });
    expect(envOf('pi')).not.toHaveProperty('HOME');
  });

  test('keeps variables without credentials', () => {
    const env = envOf('pi');
    expect(harmless.filter((name) => name in env)).toEqual([]);
  });
});

describe('the real pi in this environment', () => {
  const homes: ModelHome[] = [];
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const home of homes.splice(0)) await home.remove();
  });

  test('offers the fake models only, and accepts no other', { timeout: 60_000 }, async () => {
    // As in the environment of a user with accounts.
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-of-a-user');
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-a-user');
    const home = await startModelHome('pi');
    homes.push(home);
    const command = [process.execPath, pi, '--mode', 'rpc', '--no-session'] as const;
    const channel = spawnChannel({ command, cwd: home.project, env: home.settle(), label: 'pi' });
    const heard = record();
    channel.open(heard.receiver);
    channel.send('{"id":"1","type":"get_available_models"}');
    channel.send('{"id":"2","type":"set_model","provider":"anthropic","modelId":"claude-sonnet-4-5"}');
    channel.send('{"id":"3","type":"set_model","provider":"fake","modelId":"fake-2"}');
    const answers = (await heard.frames.first(3)).map((text) => JSON.parse(text));
    channel.close('normal', 'the test is over');
    await heard.end();
    const [offered, refused, taken] = answers;
    const idsOf = (models: readonly { provider: string; id: string }[]) =>
      models.map(({ provider, id }) => `${provider}/${id}`);
    expect(idsOf(offered.data.models)).toEqual(['fake/fake-1', 'fake/fake-2']);
    expect(refused).toMatchObject({ id: '2', success: false, error: expect.stringMatching(/not found/iu) });
    expect(taken).toMatchObject({ id: '3', success: true });
  });

  test('changes its settings in a private folder', async () => {
    const home = await startModelHome('pi');
    homes.push(home);
    const folders = [home.settle(), home.settle()].map((env) => env.PI_CODING_AGENT_DIR);
    expect(new Set(folders).size).toBe(2);
    expect(folders.every((folder) => folder?.startsWith(home.folder))).toBe(true);
  });
});
