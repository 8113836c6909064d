// What the clients of one dialect read: order, ends, resets, pressure. Cuts and late attaches are in
// stream-resume.test.ts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../../../src/core/contract/adapter/projection.ts';
import type { Entry } from '../../../src/core/contract/reader.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { numberCursor } from '../../../src/core/stream/cursor.ts';
import { createStream } from '../../../src/core/stream/dialect-stream.ts';
import type { StreamOptions } from '../../../src/core/stream/stream.ts';
import { legalEvents } from '../../support/core/arbitraries.ts';
import { heard, recordingProjection } from '../../support/core/recording.ts';
import { createStreamRig, drain, epoch, framesOf, kindsOf } from '../../support/core/stream-rig.ts';

const notice = (text: string): Event => ({ type: 'notice', level: 'info', text });
const texts = (entries: Parameters<typeof framesOf>[0]) =>
  heard(framesOf(entries)).map((event) => (event.type === 'notice' ? event.text : event.type));
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${from + at}`);

describe('reading', () => {
  test('at most about so many bytes, at least one entry', () => {
    const { stream, say } = createStreamRig();
    const reader = stream.attach(null);
    say(...numbers(0, 10).map(notice));
    const size = JSON.stringify({ seq: 1, at: 1, event: notice('0') }).length;
    expect(reader.read(1)).toHaveLength(1);
    expect(reader.read(size)).toHaveLength(1);
    expect(reader.read(size * 2 + 1)).toHaveLength(3);
    expect(drain(reader)).toHaveLength(5);
    expect(reader.read(1)).toEqual([]);
  });

  test('a reader knows whether others read the same frames', () => {
    const { stream } = createStreamRig();
    const first = stream.attach(null);
    expect(first.isShared).toBe(false);
    const second = stream.attach(null);
    expect([first.isShared, second.isShared]).toEqual([true, true]);
    second.close();
    expect(first.isShared).toBe(false);
  });

  test('a snapshot comes in bites as well, and only its last frame has a cursor', () => {
    const { stream, say } = createStreamRig();
    say(...numbers(0, 3).map((name): Event => ({ type: 'session-changed', changes: { name } })));
    say({ type: 'run-start' }, { type: 'turn-start' }, { type: 'agent-changed', state: 'down' });
    const reader = stream.attach(null);
    const entries = [...reader.read(1), ...reader.read(1), ...drain(reader)];
    expect(entries.map((entry) => entry.kind === 'frame' && entry.cursor)).toEqual([null, null, null, `${epoch}.6.1`]);
    const last = numberCursor(epoch, { seq: 6, sub: 1 });
    expect(entries.map((entry) => entry.kind === 'frame' && entry.number)).toEqual([null, null, null, last]);
  });

  test('a frame has its place as a number, and the time of its event; an answer that of what it follows', () => {
    const { stream, say } = createStreamRig();
    const reader = stream.attach(null);
    stream.inject('"before all"');
    say(notice('1'), notice('2'));
    stream.inject('"an answer"');
    const entries = drain(reader).flatMap((entry) => (entry.kind === 'frame' ? [entry] : []));
    expect(entries.map(({ at }) => at)).toEqual([null, 1, 2, 2]);
    const places = [0, 1, 2, 2].map((seq, at) => ({ seq, sub: at === 3 ? 2 : 1 }));
    expect(entries.map(({ number }) => number)).toEqual(places.map((place) => numberCursor(epoch, place)));
    const next = (number: number | null | undefined) => drain(stream.attach(String(number))).length;
    expect(entries.map(({ number }) => next(number))).toEqual([3, 2, 1, 0]);
  });

  test('a reader is called when there is more, once, and never inside its own reading', () => {
    const { stream, say } = createStreamRig();
    const reader = stream.attach(null);
    const calls: string[] = [];
    let reading = false;
    const read = (maxBytes = 1000) => {
      reading = true;
      const entries = reader.read(maxBytes);
      reading = false;
      return entries;
    };
    reader.onReadable = () => void calls.push(reading ? 'inside' : 'called');
    say(notice('nobody has asked yet'));
    expect(calls).toEqual([]);
    expect(read()).toHaveLength(1);
    say(notice('it has not been told that there is nothing'));
    expect(calls).toEqual([]);
    expect(read()).toHaveLength(1);
    expect(read()).toEqual([]);
    say(notice('now'), notice('and'));
    expect(calls).toEqual(['called']);
    say({ type: 'activity', text: 'says nothing in this dialect' });
    expect(drain(reader)).toHaveLength(2);
    say({ type: 'activity', text: 'nor now' });
    expect(calls).toEqual(['called']);
    reader.close();
    say(notice('gone'));
    expect(calls).toEqual(['called']);
  });

  describe('a crowd of deltas', () => {
    const before: Event[] = [
      { type: 'run-start' },
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'block-start', index: 0, block: { kind: 'text' } },
    ];
    const delta: Event = { type: 'block-delta', index: 0, delta: 'a' };
    const crowd = (count: number) => Array.from({ length: count }, () => delta);
    /** How many frames a reader got at each wake-up; a delta is two frames. */
    function listen(options?: StreamOptions, make?: Parameters<typeof createStreamRig>[2]) {
      const { stream, say } = createStreamRig(options, before, make);
      const reader = stream.attach(null);
      drain(reader);
      const wakes: number[] = [];
      reader.onReadable = () => void wakes.push(drain(reader).length);
      return { stream, say, wakes };
    }

    test('wakes once, before anything else happens', async () => {
      const { say, wakes } = listen();
      say(...crowd(9));
      expect(wakes).toEqual([]);
      await Promise.resolve();
      expect(wakes).toEqual([18]);
      say(delta);
      await Promise.resolve();
      expect(wakes).toEqual([18, 2]);
    });

    test('is told at once with what is no delta, and then is nothing new', async () => {
      const { stream, say, wakes } = listen();
      say(...crowd(9), notice('now'));
      expect(wakes).toEqual([19]);
      say(delta);
      stream.inject('"answer"');
      expect(wakes).toEqual([19, 3]);
      await Promise.resolve();
      expect(wakes).toEqual([19, 3]);
    });

    test('does not wait until the window is full', () => {
      const { say, wakes } = listen({ limits: { frames: 64, bytes: 1_000_000 } });
      say(...crowd(6));
      expect(wakes).toEqual([4, 4, 4]);
    });

    test('wakes with each delta where deltas merge: a reader may turn out to be busy', () => {
      const { say, wakes } = listen({}, () => ({ ...recordingProjection(), mergesDeltas: true }));
      say(...crowd(3));
      expect(wakes).toEqual([2, 2, 2]);
    });
  });

  test('readers are counted', () => {
    const { stream } = createStreamRig();
    const [first] = [stream.attach(null), stream.attach(null)];
    expect(stream.readers).toBe(2);
    first.close();
    first.close();
    expect(stream.readers).toBe(1);
  });
});

describe('several readers', () => {
  test('each at its own pace, all from one projection', () => {
    let calls = 0;
    const transcript = emptyTranscript();
    const make = (): Projection => ({
      event: ({ seq }) => {
        calls += 1;
        return [`${seq}`];
      },
    });
    const stream = createStream({ id: 's', epoch, timeOrigin: 0, transcript }, make);
    const readers = [stream.attach(null), stream.attach(null), stream.attach(null)];
    const got = readers.map((): unknown[] => []);
    for (let seq = 1; seq <= 30; seq += 1) {
      const logged = { seq, at: 0, event: notice('n') };
      stream.beforeFold(logged.event);
      fold(transcript, logged);
      stream.afterFold(logged);
      for (const [at, reader] of readers.entries())
        if (seq % (at + 1) === 0) got[at]?.push(...framesOf(reader.read(3)));
    }
    for (const [at, reader] of readers.entries()) {
      got[at]?.push(...framesOf(drain(reader)));
      expect(got[at]).toEqual(numbers(1, 31));
    }
    expect(calls).toBe(30);
  });

  test('one that does not read is left behind, and nobody else notices (docs/faults.md F19)', () => {
    const { stream, say } = createStreamRig({ limits: { frames: 5, bytes: 100_000 } });
    const slow = stream.attach(null);
    const brisk = stream.attach(null);
    const got: string[] = [];
    for (const text of numbers(0, 50)) {
      say(notice(text));
      const entries = drain(brisk);
      expect(kindsOf(entries)).toEqual(['frame']);
      got.push(...texts(entries));
    }
    expect(got).toEqual(numbers(0, 50));
    expect(kindsOf(drain(slow))).toEqual(['reset window']);
    say(notice('back'));
    expect(texts(drain(slow))).toEqual(['back']);
  });
});

describe('the notes of a projection', () => {
  test('are passed on once: for what was before the stream and for each event, not for snapshots', () => {
    const notes: string[] = [];
    const transcript = emptyTranscript();
    const make = (): Projection => {
      let lost: string[] = [];
      return {
        event: ({ event }) => {
          lost.push(event.type);
          return [];
        },
        notes: () => {
          const said = lost.map((text) => ({ level: 'loss' as const, text }));
          lost = [];
          return said;
        },
      };
    };
    fold(transcript, { seq: 1, at: 0, event: { type: 'run-start' } });
    const stream = createStream({ id: 's', epoch, timeOrigin: 0, transcript }, make, {
      note: (level, text) => notes.push(`${level} ${text}`),
    });
    const logged = { seq: 2, at: 0, event: notice('n') };
    stream.beforeFold(logged.event);
    fold(transcript, logged);
    stream.afterFold(logged);
    stream.attach(null);
    expect(notes).toEqual(['loss run-start', 'loss notice']);
  });
});

describe('resets', () => {
  const limits = { frames: 4, bytes: 100_000 };
  /** Six notices, of which the window holds the last four. */
  function rig() {
    const made = createStreamRig({ limits });
    made.say(...numbers(1, 7).map(notice));
    return made;
  }

  test.each<[string, string, string[]]>([
    ['the newest', `${epoch}.6.1`, []],
    ['the one before', `${epoch}.5.1`, ['frame']],
    ['the last that fell off: nothing is missing', `${epoch}.2.1`, ['frame', 'frame', 'frame', 'frame']],
    ['evicted', `${epoch}.1.1`, ['reset window']],
    ['the beginning', `${epoch}.0.0`, ['reset window']],
    ['newer than the newest', `${epoch}.6.2`, ['reset window']],
    ['of an event to come', `${epoch}.7.0`, ['reset window']],
    ['of another life', 'ba9876543210.6.1', ['reset epoch']],
    ['malformed', 'yesterday', ['reset unknown']],
    ['empty', '', ['reset unknown']],
    ['far too long', `${epoch}.${'9'.repeat(500)}.1`, ['reset unknown']],
  ])('%s', (_name, cursor, kinds) => {
    const { stream, say } = rig();
    const reader = stream.attach(cursor);
    expect(kindsOf(drain(reader))).toEqual(kinds);
    say(notice('goes on'));
    expect(texts(drain(reader))).toEqual(['goes on']);
  });

  test('a reset names the place of its snapshot, however late it is read', () => {
    const { stream, say } = rig();
    say({ type: 'run-start' });
    const reader = stream.attach('yesterday');
    say(notice('meanwhile'));
    const [reset, ...rest] = drain(reader);
    expect(reset).toEqual({ kind: 'reset', reason: 'unknown', cursor: `${epoch}.7.1` });
    expect(texts(rest)).toEqual(['run-start', 'meanwhile']);
    expect(texts(drain(stream.attach(`${epoch}.7.1`)))).toEqual(['meanwhile']);
  });

  test('a reader that falls off in mid snapshot starts again', () => {
    const { stream, say } = createStreamRig({ limits });
    say({ type: 'run-start' }, { type: 'turn-start' });
    const reader = stream.attach(null);
    expect(texts(reader.read(1))).toEqual(['run-start']);
    say(...numbers(0, 5).map(notice));
    const entries = drain(reader);
    expect(kindsOf(entries)).toEqual(['reset window', 'frame', 'frame']);
    expect(texts(entries)).toEqual(['run-start', 'turn-start']);
  });
});

describe('injected frames', () => {
  test('keep their place among the events, live and resumed', () => {
    const { stream, say } = createStreamRig();
    const reader = stream.attach(null);
    stream.inject('"before all"');
    say(notice('1'));
    stream.inject('"answer 1"');
    stream.inject('"answer 2"');
    say({ type: 'activity', text: 'no frame' });
    stream.inject('"answer 3"');
    say(notice('2'));
    const entries = drain(reader);
    const said = entries.map((entry) => (entry.kind === 'frame' ? entry : { out: entry.kind, cursor: null }));
    expect(said.map(({ out }) => (String(out).startsWith('"') ? out : 'event'))).toEqual([
      '"before all"',
      'event',
      '"answer 1"',
      '"answer 2"',
      '"answer 3"',
      'event',
    ]);
    const places = ['0.1', '1.1', '1.2', '1.3', '2.1', '3.1'];
    expect(said.map(({ cursor }) => cursor)).toEqual(places.map((place) => `${epoch}.${place}`));
    for (const [at, { cursor }] of said.entries()) {
      expect(drain(stream.attach(cursor))).toEqual(entries.slice(at + 1));
    }
  });

  test('wake those who wait', () => {
    const { stream } = createStreamRig();
    const reader = stream.attach(null);
    let calls = 0;
    reader.onReadable = () => {
      calls += 1;
    };
    drain(reader);
    stream.inject('"answer"');
    expect(calls).toBe(1);
  });

  test('are no part of a snapshot', () => {
    const { stream, say } = createStreamRig();
    say({ type: 'run-start' });
    stream.inject('"answer"');
    expect(texts(drain(stream.attach(null)))).toEqual(['run-start']);
  });
});

describe('the end', () => {
  test('is told once, after everything else, to each reader', () => {
    const { stream, say } = createStreamRig();
    const [first, second] = [stream.attach(null), stream.attach(null)];
    drain(first);
    let calls = 0;
    first.onReadable = () => {
      calls += 1;
    };
    say(notice('last'));
    stream.close('the session was deleted');
    expect(calls).toBe(1);
    for (const reader of [first, second]) {
      expect(kindsOf(drain(reader))).toEqual(['frame', 'closed the session was deleted']);
      expect(drain(reader)).toEqual([]);
    }
    stream.close('again');
    expect(calls).toBe(1);
    expect(drain(first)).toEqual([]);
  });

  test('wakes a reader that waits', () => {
    const { stream } = createStreamRig();
    const reader = stream.attach(null);
    drain(reader);
    let calls = 0;
    reader.onReadable = () => {
      calls += 1;
    };
    stream.close('over');
    expect(calls).toBe(1);
    expect(kindsOf(drain(reader))).toEqual(['closed over']);
  });

  test('nothing comes after it, whatever the agent still says', () => {
    const { stream, say } = createStreamRig();
    const [first, second] = [stream.attach(null), stream.attach(null)];
    stream.close('over');
    expect(kindsOf(drain(first))).toEqual(['closed over']);
    say(notice('late'));
    stream.inject('"late"');
    expect(drain(first)).toEqual([]);
    expect(kindsOf(drain(second))).toEqual(['closed over']);
  });

  test('is told to those who come after it, behind the snapshot', () => {
    const { stream, say } = createStreamRig();
    say({ type: 'run-start' });
    stream.close('over');
    expect(kindsOf(drain(stream.attach(null)))).toEqual(['frame', 'closed over']);
    expect(kindsOf(drain(stream.attach(`${epoch}.1.1`)))).toEqual(['closed over']);
  });
});

describe('pressure', () => {
  test('that comes back while the agent is told that it may go on is not forgotten', () => {
    const told: boolean[] = [];
    const limits = { frames: 64, bytes: 1_000_000 };
    const say = (count: number) => rig.say(...numbers(0, count).map(notice));
    const rig = createStreamRig({
      limits,
      pressure(pressed) {
        told.push(pressed);
        // What waited is said within the call.
        if (!pressed && told.filter((one) => !one).length === 1) say(20);
      },
    });
    const reader = rig.stream.attach(null, true);
    say(20);
    expect(told.at(-1)).toBe(true);
    drain(reader);
    expect(told.filter((pressed, place) => pressed !== told[place - 1])).toEqual([true, false, true, false]);
  });

  /** Changes of pressure; there is none at first. */
  function pressed(limits: { frames: number; bytes: number }) {
    const told: boolean[] = [];
    const rig = createStreamRig({
      limits,
      pressure: (pressure) => {
        if ((told.at(-1) ?? false) !== pressure) told.push(pressure);
      },
    });
    return { ...rig, told };
  }
  const large = (size: number) => notice('x'.repeat(size));

  test('by bytes: on above an eighth of the window, off below a quarter of that', () => {
    const { stream, say, told } = pressed({ frames: 1000, bytes: 80_000 });
    const reader = stream.attach(null, true);
    say(large(9_800));
    expect(told).toEqual([]);
    say(large(200));
    expect(told).toEqual([true]);
    say(large(100));
    reader.read(1);
    reader.read(1);
    expect(told).toEqual([true, false]);
  });

  test('by frames: small ones fill a window as well', () => {
    const { stream, say, told } = pressed({ frames: 800, bytes: 8_000_000 });
    const reader = stream.attach(null, true);
    say(...numbers(0, 100).map(notice));
    expect(told).toEqual([]);
    say(notice('one more'));
    expect(told).toEqual([true]);
    const entries = drain(reader, 1);
    expect(entries).toHaveLength(101);
    expect(told).toEqual([true, false]);
  });

  test('a holding reader is held on to: the agent has time to stop', () => {
    const { stream, say, told } = pressed({ frames: 64, bytes: 1_000_000 });
    const reader = stream.attach(null, true);
    let said = 0;
    for (; said < 24 && told.at(-1) !== true; said += 1) say(notice(`${said}`));
    expect(told.at(-1)).toBe(true);
    say(...numbers(0, 40).map(notice));
    expect(kindsOf(drain(reader))).toEqual(numbers(0, said + 40).map(() => 'frame'));
  });

  test('a reader that does not hold presses nobody', () => {
    const { stream, say, told } = pressed({ frames: 10, bytes: 1_000 });
    stream.attach(null);
    say(...numbers(0, 100).map(notice));
    expect(told.filter(Boolean)).toEqual([]);
  });

  test('the slowest of those who hold counts; its leaving frees the agent', () => {
    const { stream, say, told } = pressed({ frames: 80, bytes: 1_000_000 });
    const slow = stream.attach(null, true);
    const brisk = stream.attach(null, true);
    for (const text of numbers(0, 20)) {
      say(notice(text));
      drain(brisk);
    }
    expect(told.at(-1)).toBe(true);
    slow.close();
    expect(told.at(-1)).toBe(false);
  });
});

describe('a dialect that repeats the message in each delta', () => {
  const merging = (): Projection => ({
    mergesDeltas: true,
    event: ({ seq, at, event }) => [JSON.stringify({ seq, at, event })],
  });
  const open: Event[] = [
    { type: 'run-start' },
    { type: 'turn-start' },
    { type: 'message-start', id: 'm' },
    { type: 'block-start', index: 0, block: { kind: 'text' } },
    { type: 'block-start', index: 1, block: { kind: 'text' } },
  ];
  const delta = (text: string, more: Partial<Event> = {}): Event => {
    return { ...more, type: 'block-delta', index: 0, delta: text, ...('index' in more && { index: more.index }) };
  };
  const more = (text: string, x: number) => delta(text, { extra: { x } });
  const inShort = (entries: readonly Entry[]) =>
    heard(framesOf(entries)).map((event) => (event.type === 'block-delta' ? event.delta : event.type));

  /** A reader that has read an open message and waits (`brisk`), or has one more frame to read. */
  function rig(brisk = false, options: StreamOptions = {}) {
    const made = createStreamRig({ mergeAfter: 1, ...options }, open, merging);
    const reader = made.stream.attach(null);
    drain(reader);
    if (!brisk) {
      made.say(notice('before'));
    }
    return { ...made, reader, read: () => inShort(drain(reader)) };
  }

  test('who waits is told each delta at once', () => {
    const { say, read, reader } = rig(true);
    const got: string[][] = [];
    reader.onReadable = () => void got.push(read());
    for (const [at, text] of [...'abc'].entries()) {
      say(delta(text));
      expect(got[at]).toEqual([text]);
    }
  });

  test('what is held back weighs on the agent like what was told', () => {
    const pressures: boolean[] = [];
    const limits = { frames: 8192, bytes: 8000 };
    const made = createStreamRig(
      { mergeAfter: 1, limits, pressure: (pressed) => void pressures.push(pressed) },
      open,
      merging,
    );
    const reader = made.stream.attach(null, true);
    drain(reader);
    made.say(notice('before'));
    for (let count = 0; count < 9; count += 1) made.say(delta('x'.repeat(100)));
    expect(pressures).toEqual([]);
    made.say(delta('x'.repeat(100)));
    made.say(delta('x'.repeat(100)));
    expect(pressures).toContain(true);
    drain(reader);
    expect(pressures.at(-1)).toBe(false);
  });

  test('who is a moment late is not behind, and still sees each delta', () => {
    const { say, stream } = createStreamRig({}, open, merging);
    const reader = stream.attach(null);
    drain(reader);
    say(...numbers(0, 40).map((text) => delta(text)));
    const told = inShort(drain(reader));
    expect(told.slice(0, 16)).toEqual(numbers(0, 16));
    expect(told.slice(16)).toEqual([numbers(16, 40).join('')]);
  });

  test('who is behind is told all of them in one, with the place and the time of the last', () => {
    const { say, reader, stream } = rig();
    say(delta('a'), delta('b'), delta('c'));
    const entries = drain(reader);
    expect(inShort(entries)).toEqual(['notice', 'abc']);
    expect(JSON.parse(String(framesOf(entries)[1]))).toMatchObject({ seq: 9, at: 9 });
    expect(entries.map((entry) => entry.kind === 'frame' && entry.cursor)).toEqual([`${epoch}.6.1`, `${epoch}.9.1`]);
    expect(drain(stream.attach(`${epoch}.6.1`))).toEqual(entries.slice(1));
    expect(drain(stream.attach(`${epoch}.8.1`))).toEqual(entries.slice(1));
    expect(drain(stream.attach(`${epoch}.9.1`))).toEqual([]);
  });

  test('one that waits is enough: then all are told each', () => {
    const { say, read, stream } = rig();
    const brisk = stream.attach(null);
    drain(brisk);
    say(delta('a'));
    drain(brisk);
    say(delta('b'));
    expect(read()).toEqual(['notice', 'a', 'b']);
  });

  test('with nobody there, those who resume are told them in one', () => {
    const { say, reader, stream } = rig();
    reader.close();
    say(delta('a'), delta('b'));
    expect(inShort(drain(stream.attach(`${epoch}.6.1`)))).toEqual(['ab']);
  });

  test.each<[string, Event[], string[]]>([
    ['another event', [delta('a'), notice('n'), delta('b'), delta('c')], ['a', 'notice', 'bc']],
    ['another block', [delta('a'), delta('b', { index: 1 }), delta('c')], ['a', 'b', 'c']],
    ['another lane', [delta('a'), delta('b'), delta('c', { parent: 'x' })], ['ab', 'c']],
    ['one with more to say', [delta('a'), delta('b', { extra: { x: 1 } }), delta('c')], ['a', 'b', 'c']],
    ['one with something else to say', [more('a', 1), more('b', 1), more('c', 2)], ['ab', 'c']],
    ['one made up', [delta('a'), delta('b', { synthetic: true }), delta('c')], ['a', 'b', 'c']],
    ['the end of the block', [delta('a'), delta('b'), { type: 'block-end', index: 0 }], ['ab', 'block-end']],
  ])('%s ends what is joined', (_name, events, expected) => {
    const { say, read } = rig();
    say(...events);
    expect(read()).toEqual(['notice', ...expected]);
  });

  test('the transcript never runs ahead of what the projection is told', () => {
    fc.assert(
      fc.property(legalEvents, fc.integer({ min: 1, max: 20 }), fc.nat(30), (events, each, late) => {
        const seen: number[] = [];
        const { stream, say } = createStreamRig({}, [], (view) => ({
          ...merging(),
          event(logged) {
            seen.push(view.transcript.lastSeq - logged.seq);
            return merging().event(logged);
          },
        }));
        const reader = stream.attach(null);
        for (const [at, event] of events.entries()) {
          say(event);
          if (at % each === 0) reader.read(50);
          if (at === late) stream.attach(null);
          if (at === late + 1) stream.inject('{}');
          if (at === late + 2) reader.mark();
        }
        drain(reader);
        expect(seen.filter((ahead) => ahead !== 0)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('a frame that is placed keeps its place behind what was held back, and so does an end', () => {
    const { say, stream, reader } = rig();
    say(delta('a'), delta('b'));
    stream.inject('"answer"');
    say(delta('c'));
    stream.close('over');
    const [, first, answer, second, end] = drain(reader);
    expect([first, second].map((entry) => inShort(entry === undefined ? [] : [entry]))).toEqual([['ab'], ['c']]);
    expect(answer).toMatchObject({ out: '"answer"', cursor: `${epoch}.8.2` });
    expect(end?.kind).toBe('closed');
  });

  test('a mark comes behind what was held back', () => {
    const { say, reader } = rig();
    say(delta('a'), delta('b'));
    const mark = reader.mark();
    say(delta('c'));
    expect(inShort(reader.read(1000, mark))).toEqual(['notice', 'ab']);
    expect(reader.read(1000, mark)).toEqual([]);
    expect(inShort(drain(reader))).toEqual(['c']);
  });

  test('who comes late is told it once: in the snapshot', () => {
    const { say, stream } = rig();
    say(delta('a'), delta('b'));
    const late = stream.attach(null);
    say(delta('c'));
    expect(inShort(drain(late)).filter((text) => !/[a-z]{4}/.test(text))).toEqual(['ab', 'c']);
  });

  test('a burst larger than the window reaches a reader that holds, whole', () => {
    const { say, stream } = createStreamRig({ limits: { frames: 4, bytes: 1000 } });
    const holder = stream.attach(null, true);
    const other = stream.attach(null);
    drain(holder);
    drain(other);
    const texts = numbers(0, 50).map((text) => notice(`${text}${'x'.repeat(100)}`));
    say(...texts);
    const entries = drain(holder);
    expect(kindsOf(entries)).toEqual(Array(50).fill('frame'));
    expect(kindsOf(drain(other))).toContain('frame');
    say(notice('next'), notice('and next'));
    expect(stream.attach(`${epoch}.1.1`).read(1000)[0]?.kind).toBe('reset');
  });

  test('a reader that does not read costs no more than the message, and slows an agent that says too much', () => {
    const told: boolean[] = [];
    const limits = { frames: 64, bytes: 100_000 };
    const { say, stream } = createStreamRig(
      { mergeAfter: 1, limits, pressure: (pressure) => told.push(pressure) },
      open,
      merging,
    );
    const reader = stream.attach(null, true);
    say(...numbers(0, 50_000).map((text) => delta(text)));
    expect(new Set(told)).toEqual(new Set([true]));
    const entries = drain(reader);
    expect(told.at(-1)).toBe(false);
    expect(kindsOf(entries).filter((kind) => kind !== 'frame')).toEqual([]);
    expect(inShort(entries).slice(-2).join('')).toBe(numbers(0, 50_000).join(''));
  });

  test('what is held back may be more frames than the window keeps: a reset', () => {
    const make = (): Projection => ({
      mergesDeltas: true,
      event: ({ seq, event }) =>
        event.type === 'block-delta' ? event.delta.split('').map((text) => JSON.stringify({ seq, text })) : ['{}'],
    });
    const { say, stream } = createStreamRig({ mergeAfter: 1, limits: { frames: 2, bytes: 1000 } }, open, make);
    const reader = stream.attach(`${epoch}.5.0`);
    say(delta('abc'));
    expect(kindsOf(drain(reader))).toEqual(['reset window', ...Array(8).fill('frame')]);
  });
});

describe('a mark', () => {
  test.each<[string, boolean]>([
    ['in the window', false],
    ['before a snapshot was read', true],
  ])('divides what was said from what comes: %s', (_name, late) => {
    const { stream, say } = createStreamRig();
    const early = stream.attach(null);
    say({ type: 'run-start' });
    const reader = late ? stream.attach(null) : early;
    const mark = reader.mark();
    say(notice('after'));
    expect(texts(reader.read(1000, mark))).toEqual(['run-start']);
    expect(reader.read(1000, mark)).toEqual([]);
    expect(texts(reader.read(1000))).toEqual(['after']);
  });

  test('who has come to a mark does not wait yet', () => {
    const { stream, say } = createStreamRig();
    const reader = stream.attach(null);
    let calls = 0;
    reader.onReadable = () => {
      calls += 1;
    };
    expect(reader.read(1000, reader.mark())).toEqual([]);
    say(notice('now'));
    expect(calls).toBe(0);
    expect(texts(drain(reader))).toEqual(['now']);
  });

  test('the end of the session comes behind it', () => {
    const { stream } = createStreamRig();
    const reader = stream.attach(null);
    const mark = reader.mark();
    stream.close('over');
    expect(reader.read(1000, mark)).toEqual([]);
    expect(kindsOf(reader.read(1000))).toEqual(['closed over']);
  });
});
