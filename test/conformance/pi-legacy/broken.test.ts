// Broken agents of pi-legacy, each made from our own frontend in front of the demo agent.
import { afterAll } from 'vitest';
import { piLegacyAgent } from '../../../src/conformance/pi-legacy/agent.ts';
import { testBrokenAgents } from '../support/broken.ts';
import { ownMemory } from '../support/targets.ts';
import { inputMutants } from './mutants/input.ts';
import { lineMutants } from './mutants/lines.ts';
import { orderMutants } from './mutants/order.ts';

const own = ownMemory('pi-legacy', { config: { agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } } });
afterAll(own.remove);

const bytes = 'only a program on stdio reads bytes that are no frames';
testBrokenAgents(piLegacyAgent, [...lineMutants, ...orderMutants, ...inputMutants], {
  target: () => own.target,
  // The busy prompt takes longer; only its own mutant waits for it otherwise.
  patienceMs: process.env.PATCHBAY_CONFORMANCE === 'all' ? 10_000 : 1000,
  unbroken: new Map([
    ['crlf', bytes],
    ['split-line', bytes],
  ]),
});
