// Clients that are cut off anywhere and resume, or attach late, miss nothing and get nothing twice (docs/faults.md F13,
// F14; docs/threats.md T33).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../../../src/core/contract/adapter/projection.ts';
import type { Entry, Reader } from '../../../src/core/contract/reader.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { legalEvents } from '../../support/core/arbitraries.ts';
import { foldFrames, recordingProjection } from '../../support/core/recording.ts';
import { stateSinceReset } from '../../support/core/state.ts';
import { createStreamRig, drain, framesOf, type StreamRig } from '../../support/core/stream-rig.ts';

/** A run with a message of several blocks, tools and a sub-agent: 2 frames for each delta, none for an activity. */
const run: Event[] = [
  { type: 'session-changed', changes: { name: 'first' } },
  { type: 'run-start' },
  { type: 'turn-start' },
  { type: 'message-start', id: 'm' },
  { type: 'block-start', index: 0, block: { kind: 'text' } },
  { type: 'block-delta', index: 0, delta: 'ha' },
  { type: 'block-delta', index: 0, delta: 'ha' },
  { type: 'activity', text: 'busy' },
  { type: 'block-end', index: 0 },
  { type: 'block-start', index: 1, block: { kind: 'tool-call', id: 'a', name: 'look' } },
  { type: 'block-delta', index: 1, delta: '{"p":' },
  { type: 'block-delta', index: 1, delta: '1}' },
  { type: 'block-end', index: 1, input: { p: 1 } },
  { type: 'message-end', stop: { reason: 'tool-use' }, cost: { total: 0.5 } },
  { type: 'approval-request', id: 'x', call: 'a', name: 'look', input: {} },
  { type: 'approval-end', id: 'x', outcome: 'allowed' },
  { type: 'tool-start', call: 'a', name: 'look', input: { p: 1 } },
  { type: 'message-start', id: 's', parent: 'a' },
  { type: 'tool-update', call: 'a', mode: 'append', content: [{ type: 'text', text: 'one' }] },
  { type: 'block-start', parent: 'a', index: 0, block: { kind: 'thinking' } },
  { type: 'block-delta', parent: 'a', index: 0, delta: 'hm' },
  { type: 'tool-update', call: 'a', mode: 'append', content: [{ type: 'text', text: 'two' }] },
  { type: 'block-end', parent: 'a', index: 0 },
  { type: 'message-end', parent: 'a', stop: { reason: 'end' } },
  { type: 'tool-end', call: 'a', name: 'look', content: [], isError: false },
  { type: 'turn-end' },
  { type: 'run-end', outcome: 'completed' },
  { type: 'queue-changed', steering: ['left'], followUp: [] },
];

/** Expects that a client which resumes at any cursor of these entries gets the entries after it, byte for byte. */
function expectResumable(rig: StreamRig, entries: readonly Entry[], bite: number): number {
  let cuts = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry.kind === 'closed' || entry.kind === 'away' || entry.cursor === null) continue;
    // A reset leads to a snapshot, which has no cursor before its end.
    if (entry.kind === 'reset') continue;
    const reader = rig.stream.attach(entry.cursor);
    expect(drain(reader, bite)).toEqual(entries.slice(at + 1));
    reader.close();
    cuts += 1;
  }
  return cuts;
}

describe('cut anywhere', () => {
  test('every frame of a run', () => {
    const rig = createStreamRig();
    const reader = rig.stream.attach(null);
    rig.say(...run);
    const entries = drain(reader);
    expect(entries.length).toBe(run.length - 1 + 5);
    expect(expectResumable(rig, entries, 100)).toBe(entries.length);
  });

  test('resumed while the agent speaks on', () => {
    for (let cut = 0; cut < run.length; cut += 1) {
      const rig = createStreamRig();
      const uncut = rig.stream.attach(null);
      const first = rig.stream.attach(null);
      rig.say(...run.slice(0, cut));
      const before = drain(first, 60);
      first.close();
      const cursor = before.at(-1);
      if (cursor?.kind !== 'frame') continue;
      rig.say(...run.slice(cut, cut + 3));
      const second = rig.stream.attach(cursor.cursor);
      const middle = drain(second, 60);
      rig.say(...run.slice(cut + 3));
      expect([...before, ...middle, ...drain(second, 60)]).toEqual(drain(uncut));
    }
  });

  test('any legal sequence, any bite', () => {
    let cuts = 0;
    fc.assert(
      fc.property(legalEvents, fc.integer({ min: 1, max: 400 }), (events, bite) => {
        const rig = createStreamRig();
        const reader = rig.stream.attach(null);
        rig.say(...events);
        cuts += expectResumable(rig, drain(reader, bite), bite);
      }),
      { numRuns: 60 },
    );
    expect(cuts).toBeGreaterThan(500);
  });
});

describe('come late', () => {
  /** Reads at the given moments; returns everything it got at the end. */
  function watch(reader: Reader, bite: number) {
    const entries: Entry[] = [];
    return {
      peek: () => void entries.push(...reader.read(bite)),
      finish: () => [...entries, ...drain(reader, bite)],
    };
  }

  test('at any moment: the snapshot and what follows are the whole conversation', () => {
    for (let late = 0; late <= run.length; late += 1) {
      const rig = createStreamRig();
      rig.say(...run.slice(0, late));
      const reader = rig.stream.attach(null);
      rig.say(...run.slice(late));
      const known = foldFrames(framesOf(drain(reader)));
      expect(stateSinceReset(known), `attached after ${late}`).toEqual(stateSinceReset(rig.transcript));
    }
  });

  test.each<[string, () => Projection]>([
    ['each delta told', recordingProjection],
    ['deltas joined', () => ({ ...recordingProjection(), mergesDeltas: true })],
  ])('any legal sequence, %s; and every cursor that is given can be resumed at', (_name, make) => {
    const moments = fc.record({
      begin: fc.nat({ max: 60 }),
      late: fc.nat({ max: 60 }),
      each: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(legalEvents, moments, fc.integer({ min: 1, max: 600 }), (events, { begin, late, each }, bite) => {
        // The stream itself may begin late as well.
        const rig = createStreamRig({}, events.slice(0, begin), make);
        rig.say(...events.slice(begin, begin + late));
        const watching = watch(rig.stream.attach(null), bite);
        for (const [at, event] of events.slice(begin + late).entries()) {
          if (at % each === 0) watching.peek();
          rig.say(event);
        }
        const entries = watching.finish();
        expect(stateSinceReset(foldFrames(framesOf(entries)))).toEqual(stateSinceReset(rig.transcript));
        expectResumable(rig, entries, bite);
      }),
      { numRuns: 200 },
    );
  });

  test('too late for the window: a reset, and again the whole conversation', () => {
    let resets = 0;
    const slow = fc.record({ frames: fc.integer({ min: 1, max: 12 }), bytes: fc.integer({ min: 1, max: 2000 }) });
    fc.assert(
      fc.property(legalEvents, slow, fc.integer({ min: 1, max: 20 }), (events, limits, each) => {
        const rig = createStreamRig({ limits });
        const watching = watch(rig.stream.attach(null), 100);
        for (const [at, event] of events.entries()) {
          rig.say(event);
          if (at % each === 0) watching.peek();
        }
        const entries = watching.finish();
        resets += entries.filter(({ kind }) => kind === 'reset').length;
        expect(stateSinceReset(foldFrames(framesOf(entries)))).toEqual(stateSinceReset(rig.transcript));
      }),
      { numRuns: 200 },
    );
    expect(resets).toBeGreaterThan(20);
  });

  test('the last frame of a snapshot can be resumed at, whatever came meanwhile', () => {
    const rig = createStreamRig({}, [{ type: 'run-start' }]);
    const reader = rig.stream.attach(null);
    rig.say({ type: 'turn-start' }, { type: 'message-start', id: 'm' });
    const [last] = reader.read(1);
    if (last?.kind !== 'frame') throw new Error('the snapshot has one frame');
    expect(drain(rig.stream.attach(last.cursor))).toEqual(drain(reader));
  });
});
