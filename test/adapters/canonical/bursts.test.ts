// The frames of a burst are those of its deltas, one by one; the hot-path tests of agents compare whole conversations.
import { expect, test } from 'vitest';
import { createProjection } from '../../../src/adapters/canonical/projection.ts';
import type { SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Burst } from '../../../src/core/model/burst.ts';
import { eventsIn } from '../../../src/core/model/burst.ts';
import { emptyTranscript } from '../../../src/index.ts';
import { burstOf, partTexts } from '../../support/core/bursts.ts';

const deltas = ['a', '"\\\n', 'é漢🙂', 'b', 'c'];
const extra = { pi: { note: 'n' } };
const opened = (id = 's') => {
  const view = { id, epoch: '0', timeOrigin: 0, transcript: emptyTranscript() } as unknown as SessionView;
  const projection = createProjection(view);
  projection.event({ seq: 1, at: 0, event: { type: 'run-start' } });
  return projection;
};

test.each<[string, Burst]>([
  ['plain', burstOf(deltas)],
  ['with further fields', burstOf(deltas, 2, extra)],
])('%s: number, time and delta of each', (_name, burst) => {
  const projection = opened();
  expect(projection.bursts?.takes(burst)).toBe(true);
  const single = [...eventsIn(burst)].flatMap((event, place) => projection.event({ seq: 98 + place, at: 4.5, event }));
  for (const [from, to] of [
    [0, 5],
    [1, 3],
    [4, 5],
  ] as const) {
    const stretch = projection.bursts?.write(burst, 98 + from, from, to, 4.5);
    expect(stretch && partTexts({ stretch, from: 0, to: to - from })).toEqual(single.slice(from, to));
    const units = single.slice(from, to).join('\n').length + 1;
    expect(stretch && stretch.bytes.length - (stretch.surplus?.at(-1) ?? 0)).toBe(units);
  }
});

test('a burst goes one by one where the snapshot comes before it, or what is around the deltas is not ASCII', () => {
  const view = { id: 's', epoch: '0', timeOrigin: 0, transcript: emptyTranscript() } as unknown as SessionView;
  expect(createProjection(view).bursts?.takes(burstOf(deltas))).toBe(false);
  expect(opened('é').bursts?.takes(burstOf(deltas))).toBe(false);
  expect(opened().bursts?.takes(burstOf(deltas, 0, { pi: { note: 'é' } }))).toBe(false);
});
