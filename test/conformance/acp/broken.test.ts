// Every broken ACP agent is caught by its checks and by no unrelated ones. framing.spawn.test.ts has those that need bytes.
import { afterAll } from 'vitest';
import { acpAgent } from '../../../src/conformance/acp/agent.ts';
import { testBrokenAgents } from '../support/broken.ts';
import { type Own, ownMemory } from '../support/targets.ts';
import { baseMutants } from './mutants/base.ts';
import { inBytes } from './mutants/in-bytes.ts';
import { turnMutants } from './mutants/turns.ts';

const made: Own[] = [];
afterAll(() => Promise.all(made.map(({ remove }) => remove())));

testBrokenAgents(acpAgent, [...baseMutants, ...turnMutants], {
  target() {
    const own = ownMemory('acp');
    made.push(own);
    return own.target;
  },
  unbroken: new Map(
    inBytes.map((name) => [name, 'frames in memory have no bytes; framing.spawn.test.ts has a broken program']),
  ),
  patienceMs: 5000,
});
