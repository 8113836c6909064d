// Deltas that come together mean what they mean one by one, to every reader of every dialect, at each place of a burst.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Backend, Projection, SessionView } from '../../../src/core/contract/adapter.ts';
import type { Peek, Receiver } from '../../../src/core/contract/channel.ts';
import { internalError } from '../../../src/core/contract/guarded.ts';
import type { Reader } from '../../../src/core/contract/reader.ts';
import { type Burst, eventsIn } from '../../../src/core/model/burst.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSession } from '../../../src/core/session/session.ts';
import { defaultSessionLimits } from '../../../src/core/session/session-ports.ts';
import {
  burstOf,
  deltasOnlyProjection,
  growingProjection,
  partTexts,
  singleProjection,
  takingProjection,
  withAsides,
} from '../../support/core/bursts.ts';
import { openChannel } from '../../support/core/open-channel.ts';
import { drain, framesOf } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const peek: Peek = { bytes: new Uint8Array(), ascii: () => '', utf8: () => '' };
const opening: Event[] = [
  { type: 'run-start' },
  { type: 'turn-start' },
  { type: 'message-start', id: 'm' },
  { type: 'block-start', index: 0, block: { kind: 'text' } },
];
const notice: Event = { type: 'notice', level: 'info', text: 'n' };
const dialects: Readonly<Record<string, (view: SessionView) => Projection>> = {
  taking: takingProjection,
  other: takingProjection,
  single: singleProjection,
  'deltas only': deltasOnlyProjection,
  watching: growingProjection(false),
  merging: growingProjection(true),
};

/** A session whose agent says things at once, in bursts or (`isSingle`) one delta after the other. */
function createRig(isSingle: boolean, window = { frames: 8192, bytes: 8 * 1024 * 1024 }) {
  const receivers: Receiver[] = [];
  const notes: string[] = [];
  let said: Burst | null = null;
  const backend: Backend = {
    decode: () => [],
    encode: () => [],
    recognise: () => null,
    recogniseBurst: () => (said === null ? null : { next: 1, accept: () => said ?? burstOf(['?']) }),
    onTimer: () => [],
  };
  let events: readonly Event[] = [];
  backend.decode = () => events.map((message) => ({ do: 'deliver', message }));
  const session = createSession({
    id: 's',
    epoch: '0123456789ab',
    clock: createVirtualClock(),
    limits: { ...defaultSessionLimits, window },
    connect: () => ({
      backend,
      channel: openChannel('agent', receivers),
    }),
    note: (level, text) => void notes.push(`${level}: ${text}`),
  });
  session.start();
  const say = (...list: Event[]) => {
    events = list;
    receivers[0]?.frame({ bytes: new Uint8Array(), text: '', json: null, from: () => ({}) as never });
  };
  const streamOf = (dialect: string) => session.stream(dialect, dialects[dialect] ?? singleProjection);
  return {
    session,
    notes,
    say,
    streamOf,
    burst(burst: Burst) {
      if (isSingle) return say(...eventsIn(burst));
      said = burst;
      expect(receivers[0]?.takeBurst?.(peek, 0, 1, 100)).toBe(1);
    },
  };
}

type Rig = ReturnType<typeof createRig>;

/** One reader in both rigs, and what it was told. */
interface Pair {
  readonly together: Reader;
  readonly apart: Reader;
  /** Cursors that it was given. */
  readonly cursors: string[];
}

/** Reads at most so many bytes in one go, and then as many frames in the other rig. Says what both were told. */
function readBoth({ together, apart, cursors }: Pair, maxBytes: number, asStretch: boolean): void {
  const part = asStretch ? (together.readStretch?.(maxBytes) ?? null) : null;
  const told = part === null ? together.read(maxBytes) : null;
  const count = part === null ? (told?.length ?? 0) : part.to - part.from;
  const others = [];
  // At least once: reading nothing means waiting for the next wake-up.
  do others.push(...apart.read(1));
  while (others.length < count);
  if (part !== null) expect(partTexts(part)).toEqual(others.map((entry) => entry.kind === 'frame' && entry.out));
  else expect(told?.map(plain)).toEqual(others.map(plain));
  for (const entry of others) if (entry.kind === 'frame' && entry.cursor !== null) cursors.push(entry.cursor);
}

const plain = (entry: ReturnType<Reader['read']>[number]) =>
  entry.kind === 'frame' ? { out: entry.out, cursor: entry.cursor, number: entry.number, at: entry.at } : entry;

const delta = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z ]{1,9}$/u) },
  { weight: 1, arbitrary: fc.constantFrom('é', '漢', '🙂', '"', '\\', '\n', '\t\\"', '\u007f', '\ufeff') },
);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ deltas: fc.array(delta, { minLength: 1, maxLength: 40 }), hasAsides: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ event: notice }) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(dialects)).map((inject) => ({ inject })) },
  {
    weight: 2,
    arbitrary: fc.record({ attach: fc.constantFrom(...Object.keys(dialects)), cursor: fc.option(fc.nat()) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ reader: fc.nat(), maxBytes: fc.integer({ min: 1, max: 900 }), asStretch: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ close: fc.nat() }) },
);
const windows = fc.record({ frames: fc.constantFrom(4, 33, 200, 8192), bytes: fc.constantFrom(500, 20_000, 8 << 20) });

function attachBoth(together: Rig, apart: Rig, dialect: string, cursor: string | null): Pair {
  const attach = (rig: Rig) => rig.streamOf(dialect).attach(cursor);
  return { together: attach(together), apart: attach(apart), cursors: [] };
}

describe('a burst', () => {
  test('means what its deltas mean one by one', () => {
    let runs = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), windows, (steps, window) => {
        const together = createRig(false, window);
        const apart = createRig(true, window);
        for (const rig of [together, apart]) rig.say(...opening);
        const pairs = Object.keys(dialects).map((dialect) => attachBoth(together, apart, dialect, null));
        for (const one of steps) {
          if ('deltas' in one) {
            const burst = one.hasAsides ? withAsides(burstOf(one.deltas)) : burstOf(one.deltas);
            for (const rig of [together, apart]) rig.burst(burst);
          } else if ('event' in one) for (const rig of [together, apart]) rig.say(one.event);
          else if ('inject' in one) for (const rig of [together, apart]) rig.streamOf(one.inject).inject('"answer"');
          else if ('attach' in one) {
            const cursors = pairs.flatMap((pair) => pair.cursors);
            const cursor = one.cursor === null ? null : (cursors[one.cursor % Math.max(1, cursors.length)] ?? null);
            pairs.push(attachBoth(together, apart, one.attach, cursor));
          } else if ('close' in one) {
            const [gone] = pairs.splice(one.close % Math.max(1, pairs.length), 1);
            gone?.together.close();
            gone?.apart.close();
          } else {
            const pair = pairs[one.reader % Math.max(1, pairs.length)];
            if (pair !== undefined) readBoth(pair, one.maxBytes, one.asStretch);
            runs += 1;
          }
        }
        for (const pair of pairs) expect(drain(pair.together).map(plain)).toEqual(drain(pair.apart).map(plain));
        const textOf = (rig: Rig) => rig.session.transcript.open.get('')?.blocks.map(({ text }) => text);
        expect(textOf(together)).toEqual(textOf(apart));
        expect(together.session.transcript).toMatchObject({
          lastSeq: apart.session.transcript.lastSeq,
          bytes: apart.session.transcript.bytes,
        });
        expect(together.notes).toEqual(apart.notes);
      }),
      { numRuns: 300 },
    );
    expect(runs).toBeGreaterThan(0);
  });

  test('leaves cursors in its middle from which every reader goes on', () => {
    const rig = createRig(false);
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
    const rig = createRig(false);
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
    const rig = createRig(false);
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
    const rig = createRig(false);
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
    const rig = createRig(false);
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
    const rig = createRig(false);
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
    const rigs = [createRig(false), createRig(true)];
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
    const rig = createRig(false);
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
