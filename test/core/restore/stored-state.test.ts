// What is kept of a session leads to the same session: as a snapshot, as records, and as a snapshot with records behind it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { replay } from '../../../src/core/log/replay.ts';
import { SessionRecord, SessionState, StoredTranscript } from '../../../src/core/log/stored-records.ts';
import { readTranscript, writeTranscript } from '../../../src/core/log/stored-state.ts';
import { textIn } from '../../../src/core/model/burst.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { anyEvents, legalEvents } from '../../support/core/arbitraries.ts';
import { burstOf } from '../../support/core/bursts.ts';
import { createKeptRig, restoreKept } from '../../support/core/kept-session.ts';
import { repaired } from '../../support/core/repaired.ts';
import { stateOf } from '../../support/core/state.ts';
import { canonicalEvents, scenarioNames } from '../../support/fixtures.ts';
import { runs } from '../../support/full.ts';

const throughJson = (transcript: Transcript): Transcript =>
  readTranscript(StoredTranscript.parse(JSON.parse(JSON.stringify(writeTranscript(transcript)))));

/** Everything that is plain data, and what a late client is told, with its marks. */
const all = (transcript: Transcript) => ({
  ...stateOf(transcript),
  seq: transcript.lastSeq,
  at: transcript.lastAt,
  tools: [...transcript.tools.values()],
  replay: JSON.parse(JSON.stringify([...replay(transcript)])),
});

describe('a snapshot', () => {
  test.each([
    ['legal', legalEvents],
    ['any, repaired', anyEvents],
  ])('of events (%s) is the transcript again, and goes on like it', (_name, events) => {
    fc.assert(
      fc.property(events, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        // Each event is an object of its own, as it is in life.
        const { log } = repaired(list.map((event) => ({ ...event })));
        const cut = Math.floor(log.length * share);
        const live = emptyTranscript();
        for (const [at, event] of log.slice(0, cut).entries()) fold(live, { seq: at + 1, at, event });
        const again = throughJson(live);
        expect(all(again)).toEqual(all(live));
        for (const [place, event] of log.slice(cut).entries()) {
          const logged = { seq: cut + place + 1, at: cut + place, event };
          fold(live, logged);
          fold(again, JSON.parse(JSON.stringify(logged)));
        }
        expect(all(again)).toEqual(all(live));
      }),
      { numRuns: runs(200) },
    );
  });

  test('keeps keys that a schema would drop', () => {
    const event: Event = { type: 'tool-start', call: 'a', name: 'look', input: JSON.parse('{"__proto__":{"a":1}}') };
    const live = emptyTranscript();
    fold(live, { seq: 1, at: 0, event });
    expect(JSON.stringify(throughJson(live).items)).toBe(JSON.stringify(live.items));
    expect(JSON.stringify(throughJson(live).items)).toContain('__proto__');
  });

  test('whose places lead nowhere is refused', () => {
    const stored = writeTranscript(emptyTranscript());
    expect(() => readTranscript({ ...stored, open: [3] })).toThrow('item 3 is no message');
    expect(() => readTranscript({ ...stored, compaction: 0 })).toThrow('item 0 is no compaction-start');
  });
});

/** The session says the events; each run of deltas of one block as one burst where that is possible. */
function say(rig: ReturnType<typeof createKeptRig>, events: readonly Event[]): void {
  for (const event of events) rig.say(event);
}

describe('the records of a session', () => {
  test.each(scenarioNames)('%s: are the session again', async (scenario) => {
    const rig = createKeptRig();
    say(rig, canonicalEvents(scenario));
    const again = await restoreKept(rig.records.lines, {});
    const { seq: lived, ...live } = all(rig.session.transcript);
    const { seq, ...kept } = all(again.session.transcript);
    expect(kept).toEqual({ ...live, replay: kept.replay });
    expect(seq).toBe(Number(lived) + 65_536);
  });

  test('any legal sequence, behind a snapshot of any moment', async () => {
    await fc.assert(
      fc.asyncProperty(legalEvents, fc.nat(80), async (events, cut) => {
        const rig = createKeptRig();
        say(rig, events.slice(0, cut));
        const snapshot = JSON.parse(JSON.stringify(rig.session.snapshot()));
        SessionState.parse(snapshot.state);
        say(rig, events.slice(cut));
        const { lines } = rig.records;
        expect(lines.map((line) => JSON.parse(line).place)).toEqual(lines.map((_, place) => place + 1));
        const whole = await restoreKept(lines, {});
        const behind = await restoreKept(lines.slice(snapshot.place), {}, { snapshot });
        expect(all(behind.session.transcript)).toEqual(all(whole.session.transcript));
        expect(behind.session.snapshot()).toEqual(whole.session.snapshot());
        expect(whole.session.transcript.run).toBeNull();
        expect(whole.session.transcript.dialogs.size).toBe(0);
      }),
      { numRuns: runs(60) },
    );
  });

  test('a burst is one record, whatever its characters', async () => {
    const deltas = ['plain', 'ü', '"quoted"', '\n', '🙂', '\\'];
    const burst = burstOf(deltas);
    const rig = createKeptRig();
    rig.say({ type: 'run-start' }, { type: 'turn-start' }, { type: 'message-start', id: 'm' });
    rig.say({ type: 'block-start', index: 0, block: { kind: 'text' } });
    // The repair continues the block of a delta that came by itself.
    rig.say({ type: 'block-delta', index: 0, delta: 'first' });
    const before = rig.records.lines.length;
    rig.burst(burst);
    expect(rig.records.lines.length).toBe(before + 1);
    const record = SessionRecord.parse(JSON.parse(rig.records.lines.at(-1) ?? ''));
    if (record.kind !== 'burst') throw new Error('no burst');
    expect(record.ends.map((end, at) => record.text.slice(record.ends[at - 1] ?? 0, end))).toEqual(deltas);
    expect(deltas.map((_, at) => textIn(burst, at, at + 1))).toEqual(deltas);
    const again = await restoreKept(rig.records.lines, {});
    const [message] = again.session.transcript.items.filter((item) => item.kind === 'message');
    expect(message?.message.blocks[0]?.text).toBe(`first${deltas.join('')}`);
  });

  test('what was there before is the first record', async () => {
    const rig = createKeptRig({ history: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] });
    rig.say({ type: 'notice', level: 'info', text: 'n' });
    expect(rig.records.lines.map((line) => JSON.parse(line).kind)).toEqual(['state', 'event', 'event']);
    const again = await restoreKept(rig.records.lines, {});
    expect(stateOf(again.session.transcript)).toEqual(stateOf(rig.session.transcript));
  });
});
