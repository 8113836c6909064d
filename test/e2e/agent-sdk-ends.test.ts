// How a talk of the real Claude Agent SDK ends: what its user sees when a turn fails, the agent dies or a session is not
// there, and with which exit code. The SDK decides by that code and the last result (docs/protocols/claude.md 1.6).
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { resultsIn, type Talk, type TalkOptions, takeTurns, talk } from '../support/agent-sdk.ts';

// A talk gives up by itself, and says where it was.
vi.setConfig({ testTimeout: 60_000 });

const demo = { PATCHBAY_AGENT: 'demo' };
const overloaded = 'the model is overloaded';
const died = 'the demo agent died, as it was told to';
const errorResult = (words: string) => `Claude Code returned an error result: ${words}`;

/** Streaming input, one prompt after the other's result. */
function talkInTurns(prompts: readonly string[], settings: Omit<TalkOptions, 'prompt'> = {}): Promise<Talk> {
  const turns = takeTurns(prompts);
  return talk({ env: demo, ...settings, prompt: turns.prompts, during: turns.heard });
}

describe('a failed turn', () => {
  test('of a string prompt is thrown after its result', async () => {
    const went = await talk({ prompt: 'fail', env: demo });
    expect(resultsIn(went.messages)).toEqual([`failed: ${overloaded}`]);
    expect(went).toMatchObject({ thrown: errorResult(overloaded), code: 1, signal: null, stderr: '' });
  });

  test('is no failure of the talk when a later one is good', async () => {
    const went = await talkInTurns(['fail', 'hello']);
    expect(resultsIn(went.messages)).toEqual([`failed: ${overloaded}`, 'Hello! You said: hello']);
    expect(went).toMatchObject({ thrown: null, code: 0 });
  });

  test('is one when it is the last', async () => {
    const went = await talkInTurns(['hello', 'fail']);
    expect(went).toMatchObject({ thrown: errorResult(overloaded), code: 1 });
  });
});

describe('an agent that dies', () => {
  test('in the middle of a turn ends the talk: a result, then the error', async () => {
    const went = await talk({ prompt: 'die', env: demo });
    expect(resultsIn(went.messages)).toEqual([`failed: ${died}`]);
    expect(went).toMatchObject({ thrown: errorResult(died), code: 1, signal: null });
  });

  test('does so for streaming input as well, though the client would go on', async () => {
    const went = await talkInTurns(['hello', 'die', 'hello']);
    expect(resultsIn(went.messages)).toEqual(['Hello! You said: hello', `failed: ${died}`]);
    expect(went).toMatchObject({ thrown: errorResult(died), code: 1 });
  });

  test('before it has said a word is told with its last words', async () => {
    const agents = { broken: { protocol: 'pi', command: ['/bin/sh', '-c', 'echo no key >&2; exit 3'] } };
    const went = await talk({ prompt: 'hello', ...configured(agents) });
    expect(resultsIn(went.messages)).toEqual(['failed: agent exited (code 3): no key']);
    expect(went).toMatchObject({ thrown: errorResult('agent exited (code 3): no key'), code: 1 });
  });

  test('because there is no such program is told', async () => {
    const went = await talk({
      prompt: 'hello',
      ...configured({ missing: { protocol: 'pi', command: ['/nowhere/pi'] } }),
    });
    expect(went).toMatchObject({ thrown: expect.stringMatching(/could not be started.*ENOENT/u), code: 1 });
  });
});

describe('what cannot begin is an error result, for nobody sees our stderr', () => {
  const unknown = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
  test.each<[string, TalkOptions['options'], RegExp, number]>([
    ['a session that nobody knows', { resume: unknown }, new RegExp(`No conversation found .*: ${unknown}`, 'u'), 1],
    ['nothing to continue', { continue: true }, /No conversation found to continue/u, 1],
    ['an agent that nobody configured', { extraArgs: { 'patchbay-agent': 'nobody' } }, /no agent named nobody/u, 2],
  ])('%s', async (_name, options, words, code) => {
    const went = await talk({ prompt: 'hello', env: demo, options });
    expect(resultsIn(went.messages)).toEqual([expect.stringMatching(words)]);
    expect(went).toMatchObject({ thrown: expect.stringMatching(words), code });
  });
});

/** That configuration, in a file. */
function configured(agents: object): Pick<TalkOptions, 'config'> {
  const config = join(mkdtempSync(join(tmpdir(), 'patchbay-sdk-')), 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents }));
  return { config };
}
