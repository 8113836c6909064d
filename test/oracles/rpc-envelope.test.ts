// The judge of the envelope of RpcMessage on trial: what it lets pass, and the rule for each thing that it must see.
import { describe, expect, test } from 'vitest';
import { faultsIn, judged } from '../support/judged.ts';

const calls = [
  { id: 'a', method: 'query', params: { message: 'x' } },
  { id: 'b', method: 'setModel', params: { model: 'one' } },
];
const words = { type: 'error', message: 'x' };
const figures = { duration_ms: 1, duration_api_ms: 1, num_turns: 1, session_id: 's', total_cost_usd: 0 };
const usage = { input_tokens: 1, output_tokens: 1 };
const result = { type: 'result', subtype: 'success', is_error: false, provider: 'claude', usage, ...figures };
const stream = (data: object, id = 'a') => ({ id, type: 'stream', data });
const complete = { id: 'a', type: 'complete' };
const answer = { id: 'b', result: { status: 'ok' }, error: null };
const refusal = (id: string) => ({ id, result: null, error: { code: -1, message: 'no' } });

describe('passes', () => {
  test.each<[string, unknown[]]>([
    ['a query and an answer', [stream(words), answer, stream(result), complete]],
    ['messages without an envelope', [words, stream(result), words, complete, answer, result]],
    ['refusals', [refusal('b'), refusal('a')]],
  ])('%s', (_, frames) => {
    expect(faultsIn('rpc-message', frames, true, calls)).toEqual([]);
  });

  test('a query that was cut, where that is known', () => {
    expect(faultsIn('rpc-message', [stream(words)], false, calls)).toEqual([]);
    expect(judged('rpc-message', [stream(words)], true, calls).length).toBeGreaterThan(1);
  });
});

describe('sees', () => {
  const whole = [stream(words), stream(result), complete, answer];
  test.each<[string, unknown[], string]>([
    ['no end', [stream(words), stream(result), answer], 'request-answered'],
    ['an end too early', [stream(words), complete, answer], 'query-result'],
    ['two results', [stream(result), stream(result), complete, answer], 'query-result'],
    ['a word behind the result', [stream(result), stream(words), complete, answer], 'query-result'],
    ['two ends', [...whole, complete], 'request-answered-once'],
    ['a word behind the end', [...whole, stream(words)], 'query-complete'],
    ['a refusal behind the end', [...whole, refusal('a')], 'request-answered-once'],
    ['a query that is answered', [{ ...answer, id: 'a' }, ...whole], 'request-answered-once'],
    ['no answer', whole.slice(0, 3), 'request-answered'],
    ['two answers', [...whole, answer], 'request-answered-once'],
    ['a stream for an answer', [...whole.slice(0, 3), stream(words, 'b')], 'request-answered'],
    ['a stranger', [...whole, { ...answer, id: 'c' }], 'own/asked-for'],
    ['an answer without its null', [...whole.slice(0, 3), { id: 'b', result: {} }], 'answer-shape'],
    ['another code', [...whole.slice(0, 3), { ...refusal('b'), error: { code: 1, message: 'x' } }], 'own/refusal-code'],
    ['a message that is none', [stream({ type: 'system' }), ...whole.slice(1)], 'message-type'],
    ['a bare one that is none', [...whole, { type: 'system' }], 'message-type'],
  ])('%s', (_, frames, rule) => {
    const found = judged('rpc-message', frames, true, calls).map((breach) => breach.rule);
    expect(found).toContain(`rpc-message/${rule}`);
  });
});
