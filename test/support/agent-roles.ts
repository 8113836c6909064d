// How an agent of each protocol is started in the tests that go across protocols, and what it says. A backend without
// an agent here fails them.
import { fileURLToPath } from 'node:url';
import type { AgentConfig } from '../../src/config/agent-config.ts';
import { startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';

/** An agent of one protocol. */
export interface AgentRole {
  readonly config: AgentConfig;
  /** Sets up what the agent needs beside itself, and gives the options that lead there. */
  start?(): Promise<{ readonly options: Readonly<Record<string, unknown>>; stop(): Promise<void> }>;
  /** A prompt that is answered with thinking, a tool and text, and words of that answer, in their order. */
  readonly turn: { readonly prompt: string; readonly says: readonly string[] };
  /** A prompt whose answer begins with that and never ends by itself. */
  readonly endless: { readonly prompt: string; readonly says: string };
}

const scriptedLegacyPi = fileURLToPath(new URL('./scripted-pi-legacy.mjs', import.meta.url));
const scriptedClaude = fileURLToPath(new URL('./scripted-claude.mjs', import.meta.url));
const scriptedAcp = fileURLToPath(new URL('./scripted-acp.mjs', import.meta.url));
const scriptedEca = fileURLToPath(new URL('./scripted-eca.mjs', import.meta.url));
const scriptedPiServer = fileURLToPath(new URL('./scripted-pi-server.mjs', import.meta.url));
const scriptedPi = fileURLToPath(new URL('./scripted-pi.mjs', import.meta.url));

/** The adapter `anthropic` in front of a fake model. It has no tools. */
const anthropic: AgentRole = {
  config: { protocol: 'anthropic' },
  async start() {
    const before = process.env.ANTHROPIC_API_KEY;
    process.env.ANTHROPIC_API_KEY = before ?? 'test';
    const fake = await startFakeAnthropic({ chat: true });
    const stop = () => {
      if (before === undefined) delete process.env.ANTHROPIC_API_KEY;
      return fake.close();
    };
    return { options: { baseUrl: fake.url }, stop };
  },
  turn: { prompt: '[[think]]', says: ['Let me think about it.', 'The answer is 42.'] },
  endless: { prompt: '[[hold]]', says: 'This never ends.' },
};

/** By adapter id. */
export const agentRoles: ReadonlyMap<string, AgentRole> = new Map<string, AgentRole>([
  ['anthropic', anthropic],
  [
    'demo',
    {
      config: { protocol: 'demo', options: { paceMs: 0 } },
      turn: {
        prompt: 'think tool',
        says: ['so I take my time', 'Let me look that up.', 'found 3 entries', 'The lookup found 3 entries.'],
      },
      endless: { prompt: 'hang', says: 'I was about to' },
    },
  ],
  [
    'pi',
    {
      config: { protocol: 'pi', command: [process.execPath, scriptedPi] },
      turn: { prompt: 'look', says: ['A drawer comes to mind.', 'three cables lie in it', 'There are three cables.'] },
      endless: { prompt: 'hang', says: 'I was about to' },
    },
  ],
  [
    'pi-legacy',
    {
      config: { protocol: 'pi-legacy', command: [process.execPath, scriptedLegacyPi] },
      turn: { prompt: 'look', says: ['A drawer comes to mind.', 'three cables lie in it', 'There are three cables.'] },
      endless: { prompt: 'hang', says: 'I was about to' },
    },
  ],
  [
    'pi-server',
    {
      config: { protocol: 'pi-server', command: [process.execPath, scriptedPiServer] },
      turn: { prompt: 'look', says: ['A drawer comes to mind.', 'three cables lie in it', 'There are three cables.'] },
      endless: { prompt: 'hang', says: 'I was about to' },
    },
  ],
  [
    'claude',
    {
      config: { protocol: 'claude', command: [process.execPath, scriptedClaude] },
      turn: { prompt: 'look', says: ['A drawer comes to mind.', 'three cables lie in it', 'There are three cables.'] },
      endless: { prompt: 'hang', says: 'I was about to' },
    },
  ],
  [
    'acp',
    {
      config: { protocol: 'acp', command: [process.execPath, scriptedAcp] },
      turn: { prompt: 'look', says: ['A drawer comes to mind.', 'three cables lie in it', 'There are three cables.'] },
      endless: { prompt: 'hang', says: 'I was about to' },
    },
  ],
  [
    'eca',
    {
      config: { protocol: 'eca', command: [process.execPath, scriptedEca] },
      turn: { prompt: 'look', says: ['A drawer comes to mind.', 'three cables lie in it', 'There are three cables.'] },
      endless: { prompt: 'hang', says: 'I was about to' },
    },
  ],
]);
