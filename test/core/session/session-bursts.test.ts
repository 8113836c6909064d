// Deltas that come together mean what they mean one by one, to every reader of every dialect, at each place of a burst.

import { describe, expect, test } from 'vitest';
import { internalError } from '../../../src/core/contract/guarded.ts';
import type { Reader } from '../../../src/core/contract/reader.ts';
import { createBurstRig, type Dialects, mustMeanTheSame, notice, opening } from '../../support/core/burst-rig.ts';
import {
  burstOf,
  deltasOnlyProjection,
  growingProjection,
  singleProjection,
  takingProjection,
  withAsides,
} from '../../support/core/bursts.ts';
import { drain, framesOf } from '../../support/core/stream-rig.ts';

const dialects: Dialects = {
  taking: takingProjection,
  other: takingProjection,
  single: singleProjection,
  'deltas only': deltasOnlyProjection,
  watching: growingProjection(false),
  merging: growingProjection(true),
};

describe('a burst', () => {
  test('means what its deltas mean one by one', () => {
    expect(mustMeanTheSame(dialects, 300, true)).toBeGreaterThan(0);
  });

  test('leaves cursors in its middle from which every reader goes on', () => {
    const rig = createBurstRig(false, dialects);
    rig.say(...opening);
    const reader = rig.streamOf('taking').attach(null);
    drain(reader);
    const deltas = Array.from({ length: 20 }, (_, place) => `${place} `);
    rig.burst(burstOf(deltas));
    const frames = framesOf(drain(reader));
    for (const [place] of deltas.entries()) {
      const behind = drain(rig.streamOf('taking').attach(`0123456789ab.${opening.length + 1 + place}.1`));
      expect(framesOf(behind)).toEqual(frames.slice(place + 1));
    }
  });

  test('leaves such cursors between its deltas and what comes before each', () => {
    const rig = createBurstRig(false, dialects);
    rig.say(...opening);
    const reader = rig.streamOf('taking').attach(null);
    drain(reader);
    rig.burst(withAsides(burstOf(['a', 'b', 'c'])));
    const frames = framesOf(drain(reader));
    expect(frames.map((frame) => Object.keys(JSON.parse(String(frame)))[0])).toEqual(
      ['a', 'b', 'c'].flatMap(() => ['count', 'delta']),
    );
    for (const place of frames.keys()) {
      const behind = drain(rig.streamOf('taking').attach(`0123456789ab.${opening.length + 1 + place}.1`));
      expect(framesOf(behind)).toEqual(frames.slice(place + 1));
    }
  });

  test('is read as one stretch by whoever wants one, from where it is', () => {
    const rig = createBurstRig(false, dialects);
    rig.say(...opening);
    const [one, other] = [rig.streamOf('taking').attach(null), rig.streamOf('taking').attach(null)];
    for (const reader of [one, other]) drain(reader);
    rig.burst(burstOf(['a', 'b', 'c', 'd']));
    rig.say(notice);
    expect(other.read(1)).toHaveLength(1);
    const [whole, rest] = [one.readStretch?.(10_000) ?? null, other.readStretch?.(10_000) ?? null];
    expect([whole?.from, whole?.to, rest?.from, rest?.to]).toEqual([0, 4, 1, 4]);
    expect(rest?.stretch).toBe(whole?.stretch);
    // The next frame belongs to none.
    expect(one.readStretch?.(10_000)).toBeNull();
    expect(framesOf(one.read(10_000))).toEqual(['{"event":"notice"}']);
  });

  test('is not read frame by frame by whoever wants a stretch, behind frames of their own', () => {
    const rig = createBurstRig(false, dialects);
    rig.say(...opening);
    const reader = rig.streamOf('taking').attach(null);
    drain(reader);
    rig.say(notice);
    rig.burst(burstOf(['a', 'b']));
    expect(reader.read(10_000, undefined, true)).toHaveLength(1);
    expect(reader.readStretch?.(10_000)).toMatchObject({ from: 0, to: 2 });
    rig.burst(burstOf(['c', 'd']));
    // Never nothing, where there is something.
    expect(reader.read(1, undefined, true)).toHaveLength(1);
  });

  test('ends a part of a stretch at a mark', () => {
    const rig = createBurstRig(false, dialects);
    rig.say(...opening);
    const reader = rig.streamOf('taking').attach(null);
    drain(reader);
    rig.burst(burstOf(['a', 'b']));
    const mark = reader.mark();
    rig.burst(burstOf(['c', 'd']));
    expect(reader.readStretch?.(10_000, mark)).toMatchObject({ from: 0, to: 2 });
    expect(reader.readStretch?.(10_000, mark)).toBeNull();
    expect(reader.readStretch?.(10_000)).toMatchObject({ from: 0, to: 2 });
  });

  test('has readers that come in the middle of it, and miss nothing', () => {
    const rig = createBurstRig(false, dialects);
    rig.say(...opening);
    const merging = rig.streamOf('merging').attach(null);
    const taking = rig.streamOf('taking').attach(null);
    for (const reader of [merging, taking]) drain(reader);
    const late: Reader[] = [];
    // Called with each delta, in the middle of the burst.
    merging.onReadable = () => {
      late.push(rig.streamOf('taking').attach(null));
      drain(merging);
    };
    rig.burst(burstOf(['a', 'b', 'c', 'd']));
    expect(late.length).toBe(4);
    for (const reader of [...late, taking]) expect(textOf(framesOf(drain(reader)))).toBe('abcd');
  });

  test('of a block that was moved is put right delta by delta', () => {
    const rigs = [createBurstRig(false, dialects), createBurstRig(true, dialects)];
    const told = rigs.map((rig) => {
      rig.say(...opening, { type: 'block-end', index: 0 }, { type: 'block-start', index: 0, block: { kind: 'text' } });
      const reader = rig.streamOf('taking').attach(null);
      rig.burst(burstOf(['a', 'b']));
      return {
        frames: framesOf(drain(reader)),
        blocks: rig.session.transcript.open.get('')?.blocks.map(({ text }) => text),
      };
    });
    expect(told[0]).toEqual(told[1]);
    expect(told[0]?.blocks).toEqual(['', 'ab']);
  });

  test('ends a stream whose dialect fails in it, and no other', () => {
    const rig = createBurstRig(false, dialects);
    rig.say(...opening);
    const broken = () => ({
      ...takingProjection(),
      bursts: {
        takes: () => true,
        write: () => {
          throw new Error('broken');
        },
      },
    });
    const bad = rig.session.stream('broken', broken).attach(null);
    const good = rig.streamOf('taking').attach(null);
    for (const reader of [bad, good]) drain(reader);
    rig.burst(burstOf(['a', 'b']));
    expect(drain(bad)).toEqual([{ kind: 'closed', reason: internalError }]);
    expect(textOf(framesOf(drain(good)))).toBe('ab');
    expect(rig.notes).toEqual(['internal: internal error: broken']);
  });
});

/** What a client knows of the text: growing frames say all of it, others the next piece. */
function textOf(frames: readonly unknown[]): string {
  let text = '';
  for (const frame of frames.map((out) => JSON.parse(String(out)))) {
    if ('text' in frame) text = frame.text;
    else text += frame.delta ?? '';
  }
  return text;
}
