// Frames that were made together pass the filter of a connection as each of them does.
import { describe, expect, test } from 'vitest';
import { createConnectionFilter } from '../../../src/adapters/claude/frontend/connection-filter.ts';
import { partTexts, stretchOf } from '../../support/core/bursts.ts';

const deltas = ['a', 'é', '"}'].map((text) => JSON.stringify({ type: 'stream_event', event: { text } }));
const part = { stretch: stretchOf(deltas), from: 1, to: 3 };
const result = '{"type":"result"}';

/** What the filter makes of the part, as a whole and frame by frame. */
function both(filter: ReturnType<typeof createConnectionFilter>) {
  const whole = filter.mapStretch(part);
  const apart = deltas.slice(1).map((frame) => filter.mapOutgoing(frame));
  return { whole: whole === null ? null : partTexts(whole), apart };
}

describe('deltas', () => {
  test('go out as they are without a query, whatever else the filter waits for', () => {
    const filter = createConnectionFilter();
    expect(filter.mapStretch(part)).toBe(part);
    filter.mapOutgoing(filter.echo('u'));
    filter.mapOutgoing(filter.ownPrompt());
    filter.answered('r');
    filter.afterInit('{}');
    expect(filter.mapStretch(part)).toBe(part);
    expect(both(filter).apart).toEqual(deltas.slice(1));
  });

  test('belong to the first open query, until its result', () => {
    const filter = createConnectionFilter();
    const marks = [filter.query('q"1'), filter.query('q2')];
    expect(filter.mapStretch(part)).toBe(part);
    for (const mark of marks) expect(filter.mapOutgoing(mark)).toBeNull();
    const { whole, apart } = both(filter);
    expect(whole).toEqual(apart);
    expect(whole?.[0]).toBe(`{"id":"q\\"1","type":"stream","data":${deltas[1]}}`);
    filter.mapOutgoing(result);
    expect(filter.mapStretch(part)).toBe(part);
  });

  test('go one by one into a query whose id is not ASCII', () => {
    const filter = createConnectionFilter();
    filter.mapOutgoing(filter.query('é'));
    expect(filter.mapStretch(part)).toBeNull();
    expect(both(filter).apart[1]).toBe(`{"id":"é","type":"stream","data":${deltas[2]}}`);
  });
});

test('a result around a long text, which comes in pieces, ends all queries', () => {
  const filter = createConnectionFilter();
  filter.mapOutgoing(filter.query('q'));
  const bytes = Buffer.from('"long"');
  expect(filter.mapOutgoing(['{"type":"result","result":', bytes, '}'])).toEqual({
    frames: [
      ['{"id":"q","type":"stream","data":', '{"type":"result","result":', bytes, '}', '}'],
      '{"id":"q","type":"complete"}',
    ],
  });
  expect(filter.openQueries).toBe(0);
  const next = ['{"type":"assistant","text":', bytes, '}'];
  expect(filter.mapOutgoing(next)).toBe(next);
});
