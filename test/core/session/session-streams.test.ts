// Which streams a session keeps: those that somebody may come back to, and those that are read.
import { describe, expect, test } from 'vitest';
import type { DialectLoss } from '../../../src/core/contract/adapter/projection.ts';
import type { Entry } from '../../../src/core/contract/reader.ts';
import { unreadStreamMs } from '../../../src/core/session/session-streams.ts';
import { recordingProjection } from '../../support/core/recording.ts';
import { createSessionRig } from '../../support/core/session-rig.ts';
import { drain, framesOf, kindsOf } from '../../support/core/stream-rig.ts';

describe('a fleeting stream', () => {
  test('is shared while it is read, and made anew afterwards', () => {
    const { session } = createSessionRig();
    const stream = () => session.stream('key', recordingProjection, { isFleeting: true });
    const first = stream();
    const readers = [first.attach(null), first.attach(null)];
    expect(stream()).toBe(first);
    readers[0]?.close();
    expect(stream()).toBe(first);
    readers[1]?.close();
    const second = stream();
    expect(second).not.toBe(first);
    // Closed once already: the new one is not its business.
    readers[1]?.close();
    expect(stream()).toBe(second);
  });

  test('says nothing and costs nothing once it is forgotten; the next reader gets a snapshot', () => {
    const { session, rig, log } = open();
    let projected = 0;
    const counting = () => ({
      event: () => {
        projected += 1;
        return [];
      },
    });
    session.stream('key', counting, { isFleeting: true }).attach(null).close();
    rig.prompt('one');
    rig.run();
    expect(log()).toEqual(['run-start']);
    expect(projected).toBe(0);
    const late = session.stream('key', recordingProjection, { isFleeting: true }).attach(null);
    expect(framesOf(drain(late))).toHaveLength(1);
  });

  test('lets the agent go on that its last reader has held back', () => {
    const { session, rig } = open({ frames: 16, bytes: 1_000_000 });
    const reader = session.stream('key', recordingProjection, { isFleeting: true }).attach(null, true);
    drain(reader);
    rig.leave();
    rig.prompt('one');
    rig.run();
    for (let count = 0; count < 8; count += 1) rig.agent.say({ type: 'notice', level: 'info', text: `${count}` });
    expect(rig.agent.wire.isPaused).toBe(true);
    reader.close();
    expect(rig.agent.wire.isPaused).toBe(false);
  });
});

describe('any other', () => {
  test('is kept for a while: somebody may come back to a place in it', () => {
    const { session, clock } = open();
    const first = session.stream('key', recordingProjection);
    first.attach(null).close();
    clock.advance(unreadStreamMs - 1);
    expect(session.stream('key', recordingProjection)).toBe(first);
  });

  test('goes when nobody has read it for 60 s, and makes no more frames', () => {
    const { session, rig, clock } = open();
    rig.leave();
    const counted = counting();
    const first = session.stream('key', counted.make);
    first.attach(null).close();
    rig.prompt('one');
    rig.run();
    expect(counted.events()).toBe(1);
    rig.endRun();
    clock.advance(unreadStreamMs);
    expect(session.measure()).toEqual({ windowBytes: 0, unreadFrames: 0, unreadBytes: 0 });
    expect([first.closed === null, rig.limits]).toEqual([false, ['unreadStreamMs', 'unreadStreamMs']]);
    const before = counted.events();
    rig.prompt('two');
    rig.run();
    expect(counted.events()).toBe(before);
    expect(session.stream('key', counted.make)).not.toBe(first);
  });

  test('stays while somebody reads, however long, and goes 60 s after the last of them', () => {
    const { session, clock } = open();
    const stream = () => session.stream('key', recordingProjection);
    const first = stream();
    const readers = [first.attach(null), first.attach(null)];
    readers[0]?.close();
    clock.advance(10 * unreadStreamMs);
    expect(stream()).toBe(first);
    readers[1]?.close();
    clock.advance(unreadStreamMs - 1);
    // A reader in between starts the time anew.
    first.attach(null).close();
    clock.advance(unreadStreamMs - 1);
    expect(stream()).toBe(first);
    clock.advance(1);
    expect(stream()).not.toBe(first);
  });

  test('goes also if nobody has ever read it', () => {
    const { session, clock } = open();
    const first = session.stream('key', recordingProjection);
    clock.advance(unreadStreamMs);
    expect(session.stream('key', recordingProjection)).not.toBe(first);
  });

  test('stays while it is held, for somebody waits for an answer', () => {
    const { session, clock } = open();
    const first = session.stream('key', recordingProjection);
    const release = first.hold();
    clock.advance(10 * unreadStreamMs);
    expect(session.stream('key', recordingProjection)).toBe(first);
    release();
    release();
    clock.advance(unreadStreamMs);
    expect(session.stream('key', recordingProjection)).not.toBe(first);
  });

  test.each(['something was said', 'an answer was put in'])('who comes back too late is reset: %s', (what) => {
    const { session, rig, clock } = open();
    const stream = () => session.stream('key', recordingProjection);
    rig.prompt('one');
    rig.run();
    const reader = stream().attach(null);
    const cursor = cursorOf(drain(reader));
    reader.close();
    if (what === 'an answer was put in') stream().inject('an answer');
    clock.advance(unreadStreamMs);
    if (what === 'something was said') rig.endRun();
    for (const text of ['another', 'and more']) stream().inject(text);
    expect(kindsOf(drain(stream().attach(cursor)))[0]).toBe('reset window');
  });

  test('who comes back and has missed nothing goes on where it was', () => {
    const { session, rig, clock } = open();
    const stream = () => session.stream('key', recordingProjection);
    rig.prompt('one');
    rig.run();
    const reader = stream().attach(null);
    stream().inject('an answer');
    const cursor = cursorOf(drain(reader));
    reader.close();
    clock.advance(unreadStreamMs);
    const late = stream().attach(cursor);
    stream().inject('the next');
    expect(drain(late)).toMatchObject([{ kind: 'frame', out: 'the next' }]);
  });

  test('goes with its last reader once a fault has closed it', () => {
    const { session, rig } = open();
    const broken = () => ({
      event: () => {
        throw new Error('a fault of ours');
      },
    });
    const stream = session.stream('key', broken);
    const reader = stream.attach(null);
    rig.prompt('one');
    rig.run();
    expect(stream.closed).not.toBeNull();
    const before = rig.clock.pending;
    reader.close();
    expect([rig.clock.pending, rig.limits]).toEqual([before, []]);
  });

  test('leaves no timer behind when the session closes', () => {
    const { session, rig, clock } = open();
    session.stream('key', recordingProjection);
    session.close('the test is over');
    rig.leave();
    session.stream('late', recordingProjection).attach(null).close();
    expect(clock.pending).toBe(0);
  });
});

/** A projection that makes one frame of each event, and how many events it was given. */
function counting() {
  let count = 0;
  const make = () => ({
    event: () => {
      count += 1;
      return ['a frame'];
    },
  });
  return { make, events: () => count };
}

/** The cursor of the last frame. */
function cursorOf(entries: readonly Entry[]): string | null {
  const last = entries.at(-1);
  return last?.kind === 'frame' ? last.cursor : null;
}

function open(window?: { frames: number; bytes: number }) {
  const rig = createSessionRig({ limits: { window } });
  return { rig, session: rig.session, log: rig.log, clock: rig.clock };
}

describe('a loss', () => {
  const losing = () => ({
    event: () => [],
    notes: () => [
      { level: 'loss' as const, text: 'a field' },
      { level: 'repair' as const, text: 'an order' },
    ],
  });
  const telling = () => ({ event: () => [], loss: (loss: DialectLoss) => [JSON.stringify(loss)] });

  test('of one dialect is told in those that have words for it, under its name', () => {
    const { session, rig } = open();
    rig.prompt('one');
    const reader = session.stream('telling', telling).attach(null);
    const silent = session.stream('silent', () => ({ event: ({ event }) => [event.type] })).attach(null);
    session.stream('losing key', losing, { dialect: 'losing' }).attach(null);
    drain(silent);
    rig.agent.say({ type: 'activity', text: 'thinking' });
    expect(framesOf(drain(reader))).toEqual(['{"dialect":"losing","text":"a field"}']);
    expect(framesOf(drain(silent))).toEqual(['activity']);
    expect(rig.notes).toEqual(['loss a field', 'repair an order']);
  });

  test('of one that has no name is told under its key, and a teller that throws ends alone', () => {
    const { session, rig } = open();
    rig.prompt('one');
    const reader = session.stream('telling', telling).attach(null);
    const broken = session.stream('broken', () => ({
      event: () => [],
      loss: () => {
        throw new Error('broken');
      },
    }));
    session.stream('losing', losing).attach(null);
    rig.agent.say({ type: 'activity', text: 'thinking' });
    expect(framesOf(drain(reader))).toEqual(['{"dialect":"losing","text":"a field"}']);
    expect(kindsOf(drain(broken.attach(null)))).toEqual(['closed an internal error of the gateway']);
  });
});
