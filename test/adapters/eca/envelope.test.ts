// ECA's frames as server-sent events, there and back (docs/protocols/eca.md 7).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eca } from '../../../src/adapters/eca/index.ts';
import type { EventEnvelope } from '../../../src/core/contract/adapter/event-envelope.ts';
import type { Out } from '../../../src/core/contract/channel.ts';
import type { FrameEntry } from '../../../src/core/contract/reader.ts';
import { textOf } from '../../support/telling.ts';

function envelopeOf(options: Record<string, unknown> = {}): EventEnvelope {
  const envelope = eca.envelope?.(options);
  if (envelope === undefined) throw new Error('no envelope');
  return envelope;
}

const cursor = 'abcdefabcdef.3.1';
const entry = (out: Out, more: Partial<FrameEntry> = {}): FrameEntry => ({
  kind: 'frame',
  out,
  cursor,
  number: 42,
  at: 0,
  ...more,
});
const notification = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', method, params });
const { wrap, lost, reader } = envelopeOf();

test('clients and agents may ask for bare frames, and posts always go bare', () => {
  expect(eca.envelope?.({ events: 'frames' })).toBeUndefined();
  expect(eca.envelope?.({ events: 'eca' })).toBeDefined();
  expect([envelopeOf().posted, envelopeOf().post, envelopeOf().acceptedBody]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe('notifications by their names', () => {
  test.each([
    ['chat/contentReceived', 'chat:content-received'],
    ['chat/cleared', 'chat:cleared'],
    ['chat/statusChanged', 'chat:status-changed'],
    ['chat/opened', 'chat:opened'],
    ['chat/deleted', 'chat:deleted'],
    ['config/updated', 'config:updated'],
    ['tool/serverUpdated', 'tool:server-updated'],
    ['tool/serverRemoved', 'tool:server-removed'],
    ['providers/updated', 'providers:updated'],
    ['jobs/updated', 'jobs:updated'],
    ['$/showMessage', 'session:message'],
    ['$/progress', 'session:progress'],
  ])('%s is %s, and back', (method, event) => {
    const params = { chatId: 'ü', text: 'a\nb' };
    const frame = notification(method, params);
    const wrapped = wrap(entry(frame), false);
    expect(wrapped).toEqual({ event, id: cursor, data: JSON.stringify(params) });
    expect(wrap(entry(frame), true)).toEqual(wrapped);
    expect(reader().read(event, JSON.stringify(params))).toEqual({ frame });
  });

  test('in pieces, cut in the middle of a character', () => {
    const bytes = Buffer.from(notification('chat/cleared', { chatId: 'ü€😀' }));
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const out = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(wrap(entry(out), false)).toMatchObject({ data: '{"chatId":"ü€😀"}' });
    }
    expect(wrap(entry(['{"jsonrpc":"2.0","method":"chat/cl', 'eared","params":{}}']), false)).toMatchObject({
      data: '{}',
    });
  });

  test('inside a snapshot there is no place to come back to', () => {
    expect(wrap(entry(notification('chat/cleared', {}), { cursor: null, number: null }), false)).toEqual({
      event: 'chat:cleared',
      data: '{}',
    });
  });
});

test.each<[string, string]>([
  ['an answer', '{"jsonrpc":"2.0","id":1,"result":{"method":"chat/cleared"}}'],
  ['an error', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}'],
  ['a request of ours', '{"jsonrpc":"2.0","id":"ask-1-c-d","method":"chat/askQuestion","params":{}}'],
  ['a request with the method of a notification', '{"jsonrpc":"2.0","id":1,"method":"chat/cleared","params":{}}'],
  ['a notification without a name', notification('rewrite/contentReceived', {})],
  ['a notification called constructor', notification('constructor', {})],
  ['a notification without params', '{"jsonrpc":"2.0","method":"chat/cleared"}'],
])('%s goes whole in an unnamed event', (_, frame) => {
  const wrapped = wrap(entry(frame), false);
  expect(wrapped).toEqual({ event: 'message', id: cursor, data: frame });
  expect(reader().read('message', frame)).toEqual({ frame });
});

test.each(['session:connected', 'chat:ask-question', 'constructor', '__proto__', '', 'chat/cleared'])(
  'an event that says nothing to us: %s',
  (event) => {
    expect(reader().read(event, '{}')).toBeNull();
  },
);

test.each(['', '{', '[]', 'null', '1'])('an event whose data is no object: %j', (data) => {
  expect(() => reader().read('chat:cleared', data)).toThrow(expect.objectContaining({ code: 'bad-frame' }));
});

test('a place that is gone is told as it is of bare frames', () => {
  expect(lost('window')).toEqual({ event: 'gateway', data: '{"type":"reset","reason":"window"}' });
});

test('whatever is said comes back as it was', () => {
  const params = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(fc.constantFrom('chat/cleared', 'other', '$/progress'), params, (method, said) => {
      const frame = notification(method, said);
      const wrapped = wrap(entry(frame), false);
      if (wrapped === null) throw new Error('not said');
      expect(reader().read(wrapped.event, textOf(wrapped.data))).toEqual({ frame });
    }),
    { numRuns: 100 },
  );
});
