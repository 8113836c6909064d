// Agents whose gateway is killed in a run, and how each of them has its conversation again (decision 0027).
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { AgentConfig } from '../../src/config/agent-config.ts';
import type { Scenario } from '../../src/conformance/model/answers.ts';
import type { FakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { extension } from './approval-rig.ts';
import { type PiHome, piCommand } from './pi-rig.ts';
import { type Start, tellingCommand } from './telling-program.ts';

/** Lasts as long as the agent. */
const lasting = 'echo begun; while kill -0 $PPID; do sleep 1; done';
/** What the model does beside the usual. */
export const lastingScenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['stuck', () => [{ blocks: [{ type: 'tool_use', name: 'bash', deltas: [JSON.stringify({ command: lasting })] }] }]],
  [
    'may',
    () => [
      { blocks: [{ type: 'tool_use', name: 'bash', deltas: ['{"command":"echo made > may.txt"}'] }] },
      { blocks: [{ type: 'text', deltas: ['So much for that.'] }] },
    ],
  ],
]);

/** An agent, and how its conversation is found again. */
export interface Kind {
  agent(): AgentConfig;
  /** The first prompt of a session; null where the run of the kill is the first one. */
  readonly first: string | null;
  readonly moments: Readonly<Record<string, readonly [prompt: string, shownBy: RegExp]>>;
  readonly again: string;
  /** Fails if the agent of the next prompt does not know what was said. `warned`: clients were told that it begins anew. */
  check(again: string, starts: readonly Start[], warned: boolean): void;
}

const inText = /"text_delta"/u;
const inTool = /"tool_execution_(?:start|update)"/u;
const inQuestion = /"extension_ui_request"/u;

/** The words of the scripted agents. */
const scripted = {
  first: 'look my number is 4711',
  again: 'look which was it',
  moments: { 'a text': ['hang', inText], 'a tool': ['stick', inTool], 'an approval': ['ask', inQuestion] },
} as const;
const all = (pattern: RegExp, sent = '') => [...sent.matchAll(pattern)].map(([, word]) => word);
const forgets: Kind['check'] = (_, __, warned) => expect(warned).toBe(true);

/** The real pi with its session files, which the usual command switches off. */
function realPi(home: PiHome, more: readonly string[] = []): AgentConfig {
  const { argv, env } = piCommand(home, more);
  const [program = '', ...rest] = argv.filter((word) => word !== '--no-session');
  return { protocol: 'pi', command: [program, ...rest], cwd: home.project, env: { ...env, HOME: home.dir } };
}

/** `record`: where its processes write down how they were started. */
const telling = (record: string, protocol: string, ...args: string[]): AgentConfig => ({
  protocol,
  command: tellingCommand(fileURLToPath(new URL(`./scripted-${protocol}.mjs`, import.meta.url)), record, args),
});

/** Where the agents are. */
export interface KindsRig {
  /** A file of that name. */
  file(name: string): string;
  readonly fake: () => FakeAnthropic;
  readonly home: () => PiHome;
}

/** Agents that store their conversations, are told them, or have lost them, by name; each `name` has files of its own. */
export function kindsOf({ file, fake, home }: KindsRig): Readonly<Record<string, (name: string) => Kind>> {
  const knowsModel: Kind['check'] = (again, _, warned) => {
    const asked = fake().requests.find(({ body }) => JSON.stringify(body.messages.at(-1)).includes(again));
    expect(JSON.stringify(asked?.body.messages)).toContain('4711');
    expect(warned).toBe(false);
  };
  const told = { first: '[[text]] my number is 4711', again: '[[text]] which was it', check: knowsModel };
  return {
    'the demo': () => ({
      agent: () => ({ protocol: 'demo', options: { paceMs: 0 } }),
      first: null,
      moments: { 'a text': ['hang', inText], 'an approval': ['ask', inQuestion] },
      again: 'and again',
      check: (_, __, warned) => expect(warned).toBe(false),
    }),
    pi: () => ({
      ...told,
      agent: () => realPi(home()),
      moments: { 'a text': ['[[abort-text]] and on', inText], 'a tool': ['[[stuck]] and on', inTool] },
    }),
    'pi with an extension': () => ({
      ...told,
      agent: () => realPi(home(), ['-e', extension]),
      moments: { 'an approval': ['[[may]] I?', inQuestion] },
    }),
    // Is told what was said.
    anthropic: () => ({
      ...told,
      agent: () => ({ protocol: 'anthropic', options: { baseUrl: fake().url } }),
      moments: { 'a text': ['[[hold]] and on', inText] },
    }),
    'Claude Code': (name) => ({
      ...scripted,
      agent: () => telling(file(name), 'claude'),
      check: (_, starts, warned) => {
        expect(starts.at(-1)?.argv.at(-1)).toBe('--resume=00000000-0000-4000-8000-000000000000');
        expect(warned).toBe(false);
      },
    }),
    ECA: (name) => ({
      ...scripted,
      agent: () => telling(file(name), 'eca', '--chats', file(`${name}, chats`)),
      check: (_, starts, warned) => {
        const chats = starts.flatMap(({ sent }) =>
          all(/"method":"chat\/(?:open|prompt)","params":\{"chatId":"([^"]+)"/gu, sent),
        );
        expect(starts.at(-1)?.sent).toContain('"chat/open"');
        expect(chats).toHaveLength(4);
        expect(new Set(chats).size).toBe(1);
        expect(warned).toBe(false);
      },
    }),
    'ECA that has lost its chats': (name) => ({
      ...scripted,
      moments: { 'a text': ['hang', inText] },
      agent: () => telling(file(name), 'eca'),
      check: forgets,
    }),
    'a pi-server': (name) => ({
      ...scripted,
      agent: () => telling(file(name), 'pi-server', '--patient'),
      check: (_, starts, warned) => {
        const last = starts.at(-1)?.sent ?? '';
        expect(all(/"sessionPath":"([^"]+)"/gu, last)).toHaveLength(1);
        expect(last).not.toContain('"create_session"');
        expect(warned).toBe(false);
      },
    }),
    'an ACP agent': (name) => ({
      ...scripted,
      agent: () => telling(file(name), 'acp', '--sessions', file(`${name}, sessions`)),
      check: (_, starts, warned) => {
        const ids = starts.flatMap(({ sent }) =>
          all(/"method":"session\/(?:load|prompt)","params":\{[^}]*"sessionId":"([^"]+)"/gu, sent),
        );
        expect(starts.at(-1)?.sent).toContain('"session/load"');
        expect(new Set(ids).size).toBe(1);
        expect(warned).toBe(false);
      },
    }),
    'pi 0.13': (name) => ({
      ...scripted,
      moments: { 'a text': ['hang', inText] },
      agent: () => telling(file(name), 'pi-legacy'),
      check: forgets,
    }),
  };
}
