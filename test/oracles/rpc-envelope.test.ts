// The judge of the envelope: what it lets pass, and one fault for each thing that it must see.
import { describe, expect, test } from 'vitest';
import { checkRpcEnvelopes } from './order/rpc-message/envelope.ts';

const calls = [
  { id: 'a', method: 'query' },
  { id: 'b', method: 'interrupt' },
];
const words = { type: 'error', message: 'x' };
const result = { type: 'result', subtype: 'success', is_error: false, provider: 'claude' };
const stream = (data: object, id = 'a') => ({ id, type: 'stream', data });
const complete = { id: 'a', type: 'complete' };
const answer = { id: 'b', result: {}, error: null };
const refusal = (id: string) => ({ id, result: null, error: { code: -1, message: 'no' } });

describe('passes', () => {
  test.each<[string, unknown[]]>([
    ['a query and an answer', [stream(words), answer, stream(result), complete]],
    ['messages without an envelope', [words, stream(result), words, complete, answer, result]],
    ['refusals', [refusal('b'), refusal('a')]],
  ])('%s', (_, frames) => {
    expect(checkRpcEnvelopes(calls, frames)).toEqual([]);
  });

  test('a query that was cut, where that is known', () => {
    expect(checkRpcEnvelopes(calls, [stream(words)], true)).toEqual([]);
    expect(checkRpcEnvelopes(calls, [stream(words)])).toHaveLength(2);
  });
});

describe('sees', () => {
  const whole = [stream(words), stream(result), complete, answer];
  test.each<[string, unknown[], string]>([
    ['no end', [stream(words), stream(result), answer], 'query a: heard stream stream'],
    ['an end too early', [stream(words), complete, answer], 'query a: 0 results'],
    ['two results', [stream(result), stream(result), complete, answer], 'query a: 2 results'],
    ['a word behind the result', [stream(result), stream(words), complete, answer], 'query a: ends with error'],
    ['two ends', [...whole, complete], 'query a: heard stream stream complete complete'],
    ['a word behind the end', [...whole, stream(words)], 'query a: heard stream stream complete stream'],
    ['a refusal behind the end', [...whole, refusal('a')], 'query a: heard stream stream complete error'],
    ['a query that is answered', [{ ...answer, id: 'a' }, ...whole], 'query a: heard result stream stream complete'],
    ['no answer', whole.slice(0, 3), 'interrupt b: no answer'],
    ['two answers', [...whole, answer], 'interrupt b: 2 answers'],
    ['a stream for an answer', [...whole.slice(0, 3), stream(words, 'b')], 'interrupt b: answered with stream'],
    ['a stranger', [...whole, { ...answer, id: 'c' }], '4: result for "c", which nobody asked for'],
    [
      'an answer without its null',
      [...whole.slice(0, 3), { id: 'b', result: {} }],
      '3: neither an envelope nor a message',
    ],
    ['another code', [...whole.slice(0, 3), { ...refusal('b'), error: { code: 1, message: 'x' } }], '3: neither'],
    ['a message that is none', [stream({ type: 'system' }), ...whole.slice(1)], 'query a: type: system'],
    ['a bare one that is none', [...whole, { type: 'system' }], 'bare: type: system'],
  ])('%s', (_, frames, fault) => {
    const faults = checkRpcEnvelopes(calls, frames);
    expect(
      faults.some((found) => found.startsWith(fault)),
      faults.join('\n'),
    ).toBe(true);
  });
});
