// Every broken ECA server is caught by its checks and by no unrelated ones. framing.test.ts has the mutants that write
// wrong bytes.
import { afterAll } from 'vitest';
import { ecaAgent } from '../../../src/conformance/eca/agent.ts';
import { testBrokenAgents } from '../support/broken.ts';
import { type Own, ownMemory } from '../support/targets.ts';
import { inBytes } from './mutants/in-bytes.ts';
import { mutants } from './mutants/index.ts';

const made: Own[] = [];
afterAll(() => Promise.all(made.map(({ remove }) => remove())));

testBrokenAgents(ecaAgent, mutants, {
  target() {
    const own = ownMemory('eca');
    made.push(own);
    return own.target;
  },
  unbroken: new Map(
    inBytes.map((name) => [name, 'frames in memory have no bytes; framing.test.ts has a broken program']),
  ),
  patienceMs: 5000,
});
