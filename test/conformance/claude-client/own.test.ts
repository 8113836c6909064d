// The checks of Claude clients against our own backend, and against its mutants.
import { describe, expect, test } from 'vitest';
import { claudeClient } from '../../../src/conformance/claude/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { clientMutants } from './mutants.ts';
import { ownClaudeClient } from './rig.ts';

/** Checks that are not applicable: our backend never does this, or not in this rig. */
const silent = [
  ...['prompt-uuid', 'permission-message', 'permission-interrupt', 'permission-rules'],
  ...['hook-answer', 'server-answer'],
].map((name) => `claude/client/${name}`);

describe('our own backend', () => {
  test('violates no rule', { timeout: 30_000 }, async () => {
    const results = await ownClaudeClient.run(claudeClient);
    const wrong = results.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not-applicable');
    expect(wrong.map(({ id, verdict, reason }) => `${id}: ${verdict}: ${reason}`)).toEqual([]);
    const without = results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id] : []));
    expect(without.toSorted()).toEqual(silent.toSorted());
  });
});

describe('broken clients', () => {
  testBrokenClients(claudeClient, clientMutants, ownClaudeClient, { patienceMs: 500 });
});
