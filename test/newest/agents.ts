// The agents that clients of the suite are put in front of, in one configuration: the demo agent, the pis of today, Claude Code; and
// what must be said to each, so that it does what a row is about.
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Block, cut, type Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { claudeScenarios } from '../claude-code/scenarios.ts';
import { extension } from '../support/approval-rig.ts';
import { claudeCommand, makeClaudeHome } from '../support/claude-code-rig.ts';
import { makePiHome, modelId } from '../support/pi-rig.ts';
import { findPi, type PiName, piEnv, piNames } from './pis.ts';

export { piNames };

/** An agent of the suite. */
export type AgentName = 'demo' | PiName | 'claude';
export const agentNames: readonly AgentName[] = ['demo', ...piNames, 'claude'];

/** What is said so that an agent does that. */
export interface Words {
  /** Answers with {@link Words.answer}. */
  readonly text: string;
  readonly answer: string;
  readonly think: string;
  readonly tools: string;
  /** A tool that asks for leave. */
  readonly ask: string;
  /** Begins to speak and never ends. */
  readonly endless: string;
  /** Takes two seconds to speak. */
  readonly busy: string;
}

const pi: Words = {
  text: '[[text]] hello',
  answer: 'Hello, world. This is plain text.',
  think: '[[think]] hello',
  tools: '[[tools]] hello',
  ask: '[[ask]] hello',
  endless: '[[hold]] hello',
  busy: '[[busy]] hello',
};
const words: Record<'demo' | 'pi' | 'claude', Words> = {
  demo: {
    text: 'hello',
    answer: 'Hello! You said: hello',
    think: 'think',
    tools: 'tools',
    ask: 'ask',
    endless: 'hang',
    busy: 'slow 40 one two three four five',
  },
  pi,
  claude: { ...pi, tools: '[[cc-tools]] hello', ask: '[[cc-write]] hello' },
};

const text = (said: string): Block => ({ type: 'text', deltas: [said] });
const write: Block = {
  type: 'tool_use',
  name: 'write',
  deltas: cut(JSON.stringify({ path: 'out.txt', content: 'written' }), 7),
};
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ...claudeScenarios,
  ['ask', () => [{ blocks: [text('I write.'), write] }, { blocks: [text('That was it.')] }]],
]);

/** The name of an agent in the configuration, where dots are not allowed. */
export const idOf = (name: AgentName): string => name.replace('.', '-');

/** A configured agent. */
export interface Agent {
  readonly name: AgentName;
  /** With its version. */
  readonly label: string;
  readonly kind: keyof typeof words;
  readonly words: Words;
}

/** What the suite found, or one sentence why an agent is not there. */
export function findAgent(name: AgentName): Agent | { readonly reason: string } {
  if (name === 'demo') return { name, label: 'demo', kind: 'demo', words: words.demo };
  if (name === 'claude') {
    const claude = inject('claude');
    return 'reason' in claude ? claude : { name, label: 'Claude Code', kind: 'claude', words: words.claude };
  }
  const found = findPi(name);
  return 'reason' in found ? found : { name, label: `pi ${found.version}`, kind: 'pi', words: words.pi };
}

/** The configuration with all agents, and the model behind them. */
export interface Agents {
  readonly fake: FakeAnthropic;
  /** A user's home. */
  readonly dir: string;
  /** The folder in which all work. */
  readonly project: string;
  readonly config: string;
  /** A program for that name that starts patchbay-pi with that agent, for clients that take only a path. */
  piProgram(agent: AgentName): string;
  close(): Promise<void>;
}

/** The agents, each with a home of its own, on one fake model. */
export async function startAgents(patchbayPi: string): Promise<Agents> {
  const fake = await startFakeAnthropic({ scenarios });
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-newest-'));
  const project = join(dir, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'notes.txt'), 'alpha\nbeta\n');
  const removals: (() => void)[] = [];
  const agents: Record<string, object> = { demo: { protocol: 'demo' } };
  for (const name of piNames) {
    const found = findPi(name);
    if ('reason' in found) continue;
    const home = makePiHome({ baseUrl: fake.url });
    removals.push(home.remove);
    const command = [found.node, found.cli, '--mode', 'rpc', '--provider', 'fake', '--model', modelId, '-e', extension];
    agents[idOf(name)] = {
      protocol: 'pi',
      command,
      cwd: project,
      env: { ...piEnv(home.agentDir), PATCHBAY_ASK: 'write' },
    };
  }
  const claude = inject('claude');
  if ('binary' in claude) {
    const home = makeClaudeHome({ binary: claude.binary, baseUrl: fake.url });
    removals.push(home.remove);
    agents.claude = { protocol: 'claude', command: claudeCommand(home), cwd: project };
  }
  const config = join(dir, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents, defaultAgent: 'demo' }));
  return {
    fake,
    dir,
    project,
    config,
    piProgram(agent) {
      const file = join(dir, `pi-${agent}.sh`);
      const chosen = `PATCHBAY_CONFIG='${config}' PATCHBAY_AGENT='${idOf(agent)}'`;
      writeFileSync(
        file,
        `#!/bin/sh\nPATH='${process.env.PATH}' ${chosen} exec '${process.execPath}' '${patchbayPi}' "$@"\n`,
      );
      chmodSync(file, 0o755);
      return file;
    },
    async close() {
      await fake.close();
      for (const remove of removals) remove();
    },
  };
}
