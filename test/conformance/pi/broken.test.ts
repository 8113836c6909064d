// Broken agents of pi: our own frontend in front of the demo agent with one fault each, caught by its checks and by no
// unrelated ones.
import { afterAll } from 'vitest';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import { demoScript } from '../../../src/conformance/runner/scripts.ts';
import { testBrokenAgents } from '../support/broken.ts';
import { ownMemory } from '../support/targets.ts';
import { eventMutants } from './mutants/events.ts';
import { lineMutants } from './mutants/lines.ts';
import { sessionMutants } from './mutants/sessions.ts';

const own = ownMemory('pi', {
  config: { agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } },
  script: new Map([...demoScript, ['busy', 'slow 5'], ['long', 'long 40']]),
});
afterAll(own.remove);

const bytes = 'Bytes that are no frames go to programs only: see framing.test.ts.';
testBrokenAgents(piAgent, [...lineMutants, ...sessionMutants, ...eventMutants], {
  target: () => own.target,
  unbroken: new Map(
    ['raw-crlf', 'raw-joined', 'raw-split', 'raw-blank-line', 'raw-last-line', 'input-ends'].map((name) => [
      name,
      bytes,
    ]),
  ),
});
