// The events and posts of the SDK's browser entry (docs/protocols/claude.md 9.2, 9.3): what is durable, what is only said live,
// what is taken out of them again, and that nobody else's words pass for the agent's.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventEnvelope } from '../../../src/adapters/claude/event-envelope.ts';
import { claude } from '../../../src/adapters/claude/index.ts';
import type { EventEnvelope, EventReader } from '../../../src/core/contract/adapter/event-envelope.ts';
import type { Out } from '../../../src/core/contract/channel.ts';
import type { FrameEntry } from '../../../src/core/contract/reader.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { GatewayError } from '../../../src/core/model/errors.ts';
import { canonicalEvents, scenarioNames } from '../../support/fixtures.ts';
import { createLog, epoch, textOf } from '../../support/telling.ts';

function envelopeOf(options: Record<string, unknown> = {}): Required<EventEnvelope> {
  const envelope = eventEnvelope({ envelope: 'sdk', ...options });
  if (envelope === undefined) throw new Error('no envelope');
  return envelope;
}

const entry = (out: Out, more: Partial<FrameEntry> = {}): FrameEntry => ({
  kind: 'frame',
  out,
  cursor: 'abcdefabcdef.3.1',
  number: 42,
  at: 1_700_000_000_123.4,
  ...more,
});

const delta = '{"type":"stream_event","event":{"type":"content_block_delta","index":0},"uuid":"u"}';
const place = '"event_id":"abcdefabcdef.3.1","sequence_num":42,';
const time = '"created_at":"2023-11-14T22:13:20.123Z",';

describe('wrapping', () => {
  test.each<[string, FrameEntry, boolean, { event: string; id?: string; data: string } | null]>([
    [
      'a frame',
      entry('{"type":"result"}'),
      false,
      { event: 'client_event', id: '42', data: `{${place}"source":"worker",${time}"payload":{"type":"result"}}` },
    ],
    [
      'a frame that was missed',
      entry('{"type":"result"}'),
      true,
      { event: 'client_event', id: '42', data: `{${place}"source":"worker",${time}"payload":{"type":"result"}}` },
    ],
    [
      'a frame in pieces',
      entry(['{"type":', Buffer.from('"é"'), '}']),
      false,
      { event: 'client_event', id: '42', data: `{${place}"source":"worker",${time}"payload":{"type":"é"}}` },
    ],
    [
      'a frame inside a snapshot',
      entry('{"type":"user"}', { cursor: null, number: null, at: null }),
      false,
      { event: 'client_event', data: '{"source":"worker","payload":{"type":"user"}}' },
    ],
    [
      'a frame whose place has no number',
      entry('{"type":"user"}', { number: null }),
      false,
      {
        event: 'client_event',
        data: `{"event_id":"abcdefabcdef.3.1","source":"worker",${time}"payload":{"type":"user"}}`,
      },
    ],
    ['a delta', entry(delta), false, { event: 'ephemeral_event', data: `{"payload":${delta}}` }],
    ['a delta that was missed', entry(delta), true, null],
    [
      'a delta in pieces of bytes',
      entry([Buffer.from(delta.slice(0, 70)), delta.slice(70)]),
      false,
      { event: 'ephemeral_event', data: `{"payload":${delta}}` },
    ],
    ['one in bytes that was missed', entry([Buffer.from(delta)]), true, null],
  ])('%s', (_name, given, isMissed, expected) => {
    const wrapped = envelopeOf().wrap(given, isMissed);
    expect(wrapped && { ...wrapped, data: textOf(wrapped.data) }).toEqual(expected);
  });

  test('a frame goes into its envelope as it is', () => {
    const bytes = Buffer.from('{"type":"assistant"}');
    const wrapped = envelopeOf().wrap(entry([bytes]), false);
    expect(typeof wrapped?.data !== 'string' && wrapped?.data.includes(bytes)).toBe(true);
  });

  test('a place that is lost', () => {
    expect(envelopeOf().lost('epoch')).toEqual({ event: 'catch_up_truncated', data: '{"reason":"epoch"}' });
  });

  test.each(scenarioNames)('of all that the projection says only deltas are not durable: %s', (name) => {
    const side = claude.client?.frontend({ now: () => 0, id: () => 'id' }, { envelope: 'sdk' });
    const log = createLog();
    for (const event of canonicalEvents(name)) log.admit(event);
    const transcript = emptyTranscript();
    const projection = side?.projection({ id: 'session', epoch, timeOrigin: 0, transcript });
    let frames = 0;
    for (const logged of log.logged) {
      fold(transcript, logged);
      for (const out of projection?.event(logged) ?? []) {
        frames += 1;
        const { type, event } = z
          .looseObject({ type: z.string(), event: z.looseObject({ type: z.string() }).optional() })
          .parse(JSON.parse(textOf(out)));
        const isDelta = type === 'stream_event' && event?.type === 'content_block_delta';
        expect(envelopeOf().wrap(entry(out), true) === null, textOf(out)).toBe(isDelta);
      }
    }
    expect(frames).toBeGreaterThan(0);
  });

  test('is asked for by an option, and clients with and without it share one stream', () => {
    expect(claude.envelope?.({})).toBeUndefined();
    expect(claude.envelope?.({ envelope: 'other' })).toBeUndefined();
    const env = { now: () => 0, id: () => 'id' };
    expect(claude.client?.frontend(env, { envelope: 'sdk' }).key).toBe(claude.client?.frontend(env, {}).key);
    expect(() => claude.client?.frontend(env, { envelope: 'other' })).toThrow(GatewayError);
  });
});

describe('what clients post', () => {
  test.each<[string, unknown, unknown]>([
    [
      'a message',
      { session_id: 's', events: [{ payload: { type: 'user', uuid: 'u-1' } }] },
      [{ frame: { type: 'user', uuid: 'u-1' }, id: 'u-1' }],
    ],
    [
      'several, without ids',
      { events: [{ payload: { type: 'keep_alive' } }, { payload: { type: 'x', uuid: 7 }, more: true }] },
      [{ frame: { type: 'keep_alive' } }, { frame: { type: 'x', uuid: 7 } }],
    ],
    [
      'a message with a name that is too long to be remembered',
      { events: [{ payload: { type: 'user', uuid: 'u'.repeat(129) } }] },
      [{ frame: { type: 'user', uuid: 'u'.repeat(129) } }],
    ],
    ['a frame that is none, which the frontend judges', { events: [{ payload: {} }] }, [{ frame: {} }]],
  ])('%s', (_name, body, expected) => expect(envelopeOf().posted(body)).toEqual(expected));

  test.each([null, 'text', [], {}, { events: [] }, { events: {} }, { events: [1] }, { events: [{ payload: null }] }])(
    'not %j',
    (body) => expect(() => envelopeOf().posted(body)).toThrow(GatewayError),
  );

  test('the keys of a frame keep their order and their names', () => {
    const body: unknown = JSON.parse('{"events":[{"payload":{"z":1,"type":"user","__proto__":{"a":1}}}]}');
    expect(JSON.stringify(envelopeOf().posted(body)[0]?.frame)).toBe('{"z":1,"type":"user","__proto__":{"a":1}}');
  });

  test('they are thanked in JSON', () => expect(JSON.parse(envelopeOf().acceptedBody)).toEqual({}));
});

describe('what an agent says', () => {
  const said = (source: string, payload: object) => JSON.stringify({ source, sequence_num: 1, payload });

  test.each<[string, string, string, ReturnType<EventReader['read']>]>([
    ['a durable frame', 'client_event', said('worker', { a: 1, type: 'user' }), { frame: '{"a":1,"type":"user"}' }],
    ['a live frame', 'ephemeral_event', '{"payload":{"type":"stream_event"}}', { frame: '{"type":"stream_event"}' }],
    ['what somebody else said to it', 'client_event', said('user', { type: 'user' }), null],
    ['what nobody said', 'client_event', '{"payload":{"type":"user"}}', null],
    ['a notice of delivery', 'delivery_update', '{"event_id":"e","status":"x"}', null],
    ['an event without a name', 'message', said('worker', { type: 'user' }), null],
    ['that it lost our place', 'catch_up_truncated', '{}', { lost: 'it cannot say all that came since' }],
  ])('%s', (_name, event, data, expected) => expect(envelopeOf().reader().read(event, data)).toEqual(expected));

  test.each(['', 'nonsense', 'null', '[]', '{}', '{"source":"worker"}', '{"source":"worker","payload":7}'])(
    'not %j',
    (data) => expect(() => envelopeOf().reader().read('client_event', data)).toThrow(GatewayError),
  );

  describe('after a cut', () => {
    const stream = (type: string, index: number) => ({ type: 'stream_event', event: { type, index } });
    const started = (index: number) => stream('content_block_start', index);
    const moved = (index: number) => stream('content_block_delta', index);
    const stopped = (index: number) => stream('content_block_stop', index);
    const copied = { type: 'assistant' };

    test.each<[string, readonly object[], readonly number[]]>([
      ['in a block, which goes on', [moved(0), moved(0), copied, stopped(0), started(1), moved(1)], [0, 1]],
      [
        'in a block that ended meanwhile',
        [copied, stopped(0), started(1), moved(1), stopped(1), started(2), moved(2)],
        [3],
      ],
      [
        'in which whole blocks were missed',
        [stopped(0), started(1), stopped(1), started(2), moved(2), moved(2)],
        [4, 5],
      ],
      ['between two turns', [{ type: 'result' }, stream('message_start', 0), started(0), moved(0)], [3]],
      [
        'in the last block',
        [moved(0), stopped(0), stream('message_stop', 0), { type: 'result' }, started(0), moved(0)],
        [0],
      ],
    ])('%s: deltas behind a hole are left out', (_name, frames, leftOut) => {
      const reader = envelopeOf().reader();
      const read = (frame: object) => reader.read('client_event', said('worker', frame));
      expect(read(moved(0))).not.toBeNull();
      reader.resumed();
      const heard = frames.map((frame) => read(frame) !== null);
      expect(heard.flatMap((isHeard, at) => (isHeard ? [] : [at]))).toEqual(leftOut);
    });
  });

  test('it is posted to in the name of its session', () => {
    expect(envelopeOf({ sessionId: 's"1' }).post(['{"type":"a"}', '{"type":"b"}'])).toBe(
      '{"session_id":"s\\"1","events":[{"payload":{"type":"a"}},{"payload":{"type":"b"}}]}',
    );
    expect(envelopeOf().post(['1'])).toBe('{"session_id":"","events":[{"payload":1}]}');
  });

  test('what is posted is what a client of ours would have posted', () => {
    const body: unknown = JSON.parse(envelopeOf().post(['{"type":"user","uuid":"u"}']));
    expect(envelopeOf().posted(body)).toEqual([{ frame: { type: 'user', uuid: 'u' }, id: 'u' }]);
  });
});
