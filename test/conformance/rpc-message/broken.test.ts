// Broken agents of the rpc-message dialect: each is caught by its check and by no unrelated one.
import { afterAll } from 'vitest';
import { rpcMessageAgent } from '../../../src/conformance/rpc-message/agent.ts';
import { testBrokenAgents } from '../support/broken.ts';
import { ownMemory } from '../support/targets.ts';
import { mutants } from './mutants.ts';

const own = ownMemory('rpc-message');
afterAll(() => own.remove());

testBrokenAgents(rpcMessageAgent, mutants, { target: () => own.target, patienceMs: 2000 });
