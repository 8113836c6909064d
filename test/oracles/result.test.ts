// The judge of verdicts on trial: it computes the figures from pi's lines and sees each figure that is wrong.
import { expect, test } from 'vitest';
import { expectedResult, resultDifferences } from '../support/judges/result.ts';
import { success, toolResult } from './handmade.ts';

function ended(stopReason: string, output: number, total: number): string {
  const usage = { input: 100, output, cacheRead: 30, cacheWrite: 20, cost: { total } };
  return JSON.stringify({
    type: 'message_end',
    message: { role: 'assistant', content: [], model: 'fake-1', stopReason, usage },
  });
}

const before = [ended('stop', 5, 0.5)];
const turn = [
  '{"type":"agent_start"}',
  'not JSON at all, with "message_end" nowhere near',
  ended('toolUse', 7, 0.25),
  '{"type":"message_end","message":{"role":"toolResult","content":[]}}',
  ended('stop', 3, 0.125),
];
const frames = [toolResult('toolu-1'), toolResult('toolu-2'), toolResult('toolu-3', 'toolu-2')];
const right = {
  ...success,
  usage: { input_tokens: 200, output_tokens: 10, cache_read_input_tokens: 60, cache_creation_input_tokens: 40 },
  total_cost_usd: 0.875,
  num_turns: 3,
};

test('usage is of the turn, costs of the session, num_turns of the user frames on the main thread', () => {
  expect(resultDifferences(right, expectedResult(before, turn, frames))).toEqual([]);
});

test.each([
  ['usage.output_tokens', { usage: { ...right.usage, output_tokens: 15 } }],
  ['usage.cache_read_input_tokens', { usage: { ...right.usage, cache_read_input_tokens: 0 } }],
  ['total_cost_usd', { total_cost_usd: 0.375 }],
  ['is_error', { is_error: true }],
  ['num_turns', { num_turns: 2 }],
  ['not a result frame', { subtype: 'fine' }],
])('%s', (difference, change) => {
  expect(resultDifferences({ ...right, ...change }, expectedResult(before, turn, frames)).join('\n')).toContain(
    difference,
  );
});

test.each(['error', 'aborted'])('a turn whose last message ended in %s is an error', (stopReason) => {
  expect(expectedResult([], [...turn, ended(stopReason, 1, 0)], []).is_error).toBe(true);
  expect(expectedResult([], [ended(stopReason, 1, 0), ...turn], []).is_error).toBe(false);
});
