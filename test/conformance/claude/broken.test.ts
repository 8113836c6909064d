// Broken agents of the native dialect: each is caught by its check and by no unrelated one.
import { afterAll } from 'vitest';
import { claudeAgent } from '../../../src/conformance/claude/agent.ts';
import { testBrokenAgents } from '../support/broken.ts';
import { ownMemory } from '../support/targets.ts';
import { mutants } from './mutants.ts';

const own = ownMemory('claude');
afterAll(() => own.remove());

testBrokenAgents(claudeAgent, mutants, { target: () => own.target, patienceMs: 2000 });
