// The real Claude Agent SDK violates no rule.
import { expect, test } from 'vitest';
import { judgeSdk } from './real-sdk.ts';

test('the Agent SDK violates no rule', { timeout: 30_000 }, async () => {
  const results = await judgeSdk();
  const wrong = results.filter(({ verdict }) => verdict === 'failed' || verdict === 'unclear');
  expect(wrong.map(({ id, verdict, reason }) => `${id}: ${verdict}: ${reason}`)).toEqual([]);
  // These prompts are texts, and the SDK adds a uuid only for servers.
  const silent = results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id] : []));
  expect(silent).toEqual(
    ['block-type', 'block-fields', 'block-known', 'prompt-uuid'].map((name) => `claude/client/${name}`),
  );
});
