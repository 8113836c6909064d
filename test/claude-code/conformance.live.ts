// The checks of native Claude speakers against the real Claude Code, on a fake model: everything that it must and should do it
// does, or it is declared here as its own way.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { claudeAgent } from '../../src/conformance/claude/agent.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { runChecks } from '../../src/conformance/runner/runner.ts';
import { claudeScript } from '../../src/conformance/runner/scripts.ts';
import { type ClaudeHome, claudeCommand, makeClaudeHome } from '../support/claude-code-rig.ts';

const found = inject('claudeCode');

/** What Claude Code does in another way, with the reason. */
const departures: ReadonlyMap<string, string> = new Map();

/** What the others show as well, at the price of another start of the program. */
const left: ReadonlySet<string> = new Set(['unicode']);
/** Only the whole program has sub-agents and questions; it starts more slowly. */
const whole: ReadonlySet<string> = new Set(['subagent', 'question']);

describe.skipIf('reason' in found)('Claude Code', () => {
  let fake: FakeAnthropic;
  let home: ClaudeHome;
  beforeAll(async () => {
    fake = await startFakeAnthropic();
    home = makeClaudeHome({ binary: 'binary' in found ? found.binary : '', baseUrl: fake.url });
  });
  afterAll(async () => {
    await fake?.close();
    home?.remove();
  });

  test.each([
    ['bare', true, (name: string) => !whole.has(name) && !left.has(name)],
    ['whole', false, (name: string) => whole.has(name)],
  ] as const)('%s', { timeout: 60_000 }, async (_name, isBare, scenarios) => {
    const command = claudeCommand(home, { isBare });
    const target = { label: 'Claude Code', stdio: { command, cwd: home.project }, script: claudeScript };
    const results = await runChecks(claudeAgent, target, { atOnce: 4, patienceMs: 15_000, scenarios });
    const said = (verdict: string) =>
      results.flatMap(({ id, verdict: own, reason }) => (own === verdict ? [`${id}: ${reason ?? ''}`] : []));
    const silent = results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id] : []));
    console.log(`${results.length} checks, ${said('passed').length} passed, nothing came up for ${silent.join(', ')}`);
    expect(said('failed').filter((line) => !departures.has(line.split(':')[0] ?? ''))).toEqual([]);
    expect(said('unclear')).toEqual([]);
  });
});
