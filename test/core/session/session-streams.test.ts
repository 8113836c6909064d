// Which streams a session keeps: those that somebody may come back to, and those that are read.
import { describe, expect, test } from 'vitest';
import { recordingProjection } from '../../support/core/recording.ts';
import { createSessionRig } from '../../support/core/session-rig.ts';
import { drain, framesOf } from '../../support/core/stream-rig.ts';

describe('a fleeting stream', () => {
  test('is shared while it is read, and made anew afterwards', () => {
    const { session } = createSessionRig();
    const stream = () => session.stream('key', recordingProjection, true);
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
    session.stream('key', counting, true).attach(null).close();
    rig.prompt('one');
    rig.run();
    expect(log()).toEqual(['run-start']);
    expect(projected).toBe(0);
    const late = session.stream('key', recordingProjection, true).attach(null);
    expect(framesOf(drain(late))).toHaveLength(1);
  });

  test('lets the agent go on that its last reader has held back', () => {
    const { session, rig } = open({ frames: 16, bytes: 1_000_000 });
    const reader = session.stream('key', recordingProjection, true).attach(null, true);
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

test('any other is kept: somebody may come back to a place in it', () => {
  const { session } = createSessionRig();
  const first = session.stream('key', recordingProjection);
  first.attach(null).close();
  expect(session.stream('key', recordingProjection)).toBe(first);
});

function open(window?: { frames: number; bytes: number }) {
  const rig = createSessionRig({ limits: { window } });
  return { rig, session: rig.session, log: rig.log };
}
