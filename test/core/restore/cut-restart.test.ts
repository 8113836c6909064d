// A client that is cut off anywhere, and whose session is made again from its records in another process, goes on byte for
// byte: for every dialect, at every record and every frame of the scenarios. Behind the kept records come the closing
// frames of an interrupted run, and nothing else differs.
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { createKeptRig, restoreKept, streamOf } from '../../support/core/kept-session.ts';
import { clients, dialects, isFrame, type Said, saidIn, speak } from '../../support/core/said-frames.ts';
import { drain } from '../../support/core/stream-rig.ts';
import { canonicalEvents, scenarioNames } from '../../support/fixtures.ts';

/** The largest `seq` of a session that was never restarted. */
const beforeRestart = 65_536;

const seqOf = ({ cursor }: Said) => Number(cursor.split('.')[1]);

/** A whole session with a reader of each dialect from the beginning: its records, and what each was told. */
function live(events: readonly Event[]) {
  const rig = createKeptRig();
  const readers = clients.map(([name]) => [name, streamOf(rig.session, dialects, name).attach(null)] as const);
  const told = new Map<string, Said[]>(clients.map(([name]) => [name, []]));
  for (const event of [null, ...events]) {
    if (event !== null) speak(rig, [event]);
    // Taken at once, so that no deltas merge.
    for (const [name, reader] of readers) told.get(name)?.push(...saidIn(drain(reader, 1 << 20)));
  }
  return { rig, told };
}

const lastSeqIn = (lines: readonly string[]): number =>
  lines.reduce((last, line) => {
    const record = JSON.parse(line);
    return record.kind === 'event' ? record.seq : record.kind === 'burst' ? record.seq + record.ends.length - 1 : last;
  }, 0);

describe.each(scenarioNames)('%s', (scenario) => {
  test('killed behind each record, resumed at the latest frame and at others', async () => {
    const { rig, told } = live(canonicalEvents(scenario));
    const { lines } = rig.records;
    let cuts = 0;
    for (let kept = clients.length; kept <= lines.length; kept += 1) {
      const again = await restoreKept(lines.slice(0, kept), dialects);
      const lastSeq = lastSeqIn(lines.slice(0, kept));
      for (const [name, said] of told) {
        const there = said.filter((one) => seqOf(one) <= lastSeq);
        const stream = streamOf(again.session, dialects, name);
        for (const [place, { cursor }] of there.entries()) {
          if (kept < lines.length && place % 5 !== 0 && place !== there.length - 1) continue;
          const entries = drain(stream.attach(cursor), 1 << 20);
          expect(
            entries.filter((entry) => !isFrame(entry)),
            `${name} at ${cursor}`,
          ).toEqual([]);
          const got = saidIn(entries);
          const before = got.filter((one) => seqOf(one) <= beforeRestart);
          expect(before, `${name} at ${cursor}, ${kept} records`).toEqual(there.slice(place + 1));
          // What was whole has no closing frames.
          if (kept === lines.length) expect(got.length).toBe(before.length);
          cuts += 1;
        }
        // A frame that was told, but whose event is lost.
        const lost = said.find((one) => seqOf(one) > lastSeq);
        if (lost === undefined) continue;
        expect(drain(stream.attach(lost.cursor), 1 << 20)[0]).toMatchObject({ kind: 'reset', reason: 'window' });
      }
    }
    expect(cuts).toBeGreaterThan(100);
  });
});

describe('in bursts', () => {
  const text = 'a "word" and ünïcode 🙂, then\nmore of it '.repeat(4).match(/.{1,3}/gsu) ?? [];
  const events: Event[] = [
    { type: 'run-start' },
    { type: 'turn-start' },
    { type: 'message-start', id: 'm' },
    { type: 'block-start', index: 0, block: { kind: 'text' } },
    ...text.map((delta): Event => ({ type: 'block-delta', index: 0, delta })),
    { type: 'block-end', index: 0 },
    { type: 'message-end', stop: { reason: 'end' } },
    { type: 'turn-end' },
    { type: 'run-end', outcome: 'completed' },
  ];

  test.each(clients.map(([name]) => name))('%s: each frame of a burst can be resumed at', async (name) => {
    const rig = createKeptRig();
    const reader = streamOf(rig.session, dialects, name).attach(null);
    // A reader that waits gets each delta; one that is behind may get merged ones.
    const said: Said[] = [];
    reader.onReadable = () => void said.push(...saidIn(drain(reader, 1 << 20)));
    drain(reader);
    speak(rig, events);
    said.push(...saidIn(drain(reader, 1 << 20)));
    expect(rig.records.lines.filter((line) => JSON.parse(line).kind === 'burst')).toHaveLength(1);
    const again = await restoreKept(rig.records.lines, dialects);
    const stream = streamOf(again.session, dialects, name);
    for (const [place, { cursor }] of said.entries())
      expect(saidIn(drain(stream.attach(cursor), 1 << 20)), cursor).toEqual(said.slice(place + 1));
  });
});
