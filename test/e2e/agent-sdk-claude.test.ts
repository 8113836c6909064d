// The real Claude Agent SDK in front of an agent of its own protocol, through `patchbay-claude`: one conversation has one
// id, whichever way the SDK goes on with it.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, test, vi } from 'vitest';
import { resultsIn, talk } from '../support/agent-sdk.ts';

// A talk gives up by itself, and says where it was.
vi.setConfig({ testTimeout: 60_000 });

const scripted = fileURLToPath(new URL('../support/scripted-claude.mjs', import.meta.url));
const config = join(mkdtempSync(join(tmpdir(), 'patchbay-sdk-claude-')), 'patchbay.json');
const agents = { scripted: { protocol: 'claude', command: [process.execPath, scripted] } };
writeFileSync(config, JSON.stringify({ agents, defaultAgent: 'scripted' }));

describe('the session id of every frame is that of the agent', () => {
  const resumed = '0f3a2b1c-0000-4000-8000-000000000001';

  test.each<[string, Options, string | RegExp]>([
    ['continued: the agent alone knows which', { continue: true }, '00000000-0000-4000-8000-000000000000'],
    ['resumed', { resume: resumed }, resumed],
    ['new', {}, /^[\da-f-]{36}$/u],
  ])('%s', async (_name, options, id) => {
    const went = await talk({ config, prompt: 'hello', options: { includePartialMessages: true, ...options } });
    expect(resultsIn(went.messages)).toEqual(['There are three cables.']);
    const named = [...new Set(went.messages.map(({ session_id }) => session_id))];
    expect(named).toEqual([typeof id === 'string' ? id : expect.stringMatching(id)]);
  });
});
