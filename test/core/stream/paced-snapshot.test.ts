// Late clients of a long conversation: what they are told is made in portions, and is the same as at once
// (docs/limits.md 6.6).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../../../src/core/contract/adapter/projection.ts';
import { createPacedWork, type PacedWork } from '../../../src/core/contract/paced-work.ts';
import { linkClient } from '../../../src/core/link/client-link.ts';
import type { Event, Logged } from '../../../src/core/model/event.ts';
import { createClient } from '../../support/core/client.ts';
import { createSteppedWork } from '../../support/core/stepped-work.ts';
import { createStreamRig, drain, kindsOf } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const said = (text: string): Event => ({ type: 'message-added', role: 'user', content: [{ type: 'text', text }] });
const past = (count: number): Event[] => Array.from({ length: count }, (_, at) => said(`past ${at}`));

/** One frame for each event that `shows` likes; each is counted. */
function projectionOf(shows: (logged: Logged) => boolean, counted: Logged[] = []): () => Projection {
  return () => ({
    event(logged) {
      counted.push(logged);
      return shows(logged) ? [JSON.stringify([logged.event, logged.replay ?? 'live'])] : [];
    },
  });
}

const all = projectionOf(() => true);
const few = projectionOf(({ seq }) => seq % 200 === 0);
const live = projectionOf(({ replay }) => replay === undefined);

function play(
  make: () => Projection,
  planned: readonly string[],
  work?: PacedWork & { pass(): boolean; passAll(): number },
) {
  const clock = createVirtualClock();
  const queue = work?.queue();
  const rig = createStreamRig(queue === undefined ? {} : { work: queue }, past(500), make);
  const clients: ReturnType<typeof createClient>[] = [];
  for (const [number, step] of planned.entries()) {
    if (step === 'say') rig.say(said(`live ${number}`));
    else if (step === 'pass') work?.pass();
    else if (step === 'post') rig.stream.inject(`"post ${number}"`);
    else if (step === 'answer') clients.at(-1)?.act({ do: 'send', frame: `"answer ${number}"` });
    else {
      const client = createClient(clock);
      clients.push(client);
      const sink = { submit: () => {}, note: () => {} };
      const { channel } = client.wire;
      linkClient(channel, client.frontend, rig.stream.attach(null), clock, sink, { end: () => {} }, work?.queue());
    }
  }
  work?.passAll();
  return clients.map(({ wire }) => wire.sent);
}

const steps = fc.array(fc.constantFrom('say', 'pass', 'post', 'answer', 'come', 'pass'), { maxLength: 30 });

test.each([
  ['every event', all],
  ['few events', few],
  ['nothing of the past', live],
])('each client gets the same in the same order, in a dialect that shows %s', (_, make) => {
  fc.assert(
    fc.property(steps, (planned) => {
      expect(play(make, ['come', ...planned], createSteppedWork())).toEqual(play(make, ['come', ...planned]));
    }),
    { numRuns: 60 },
  );
});

describe('in portions', () => {
  test('neither the stream nor its readers read the whole conversation in one turn', () => {
    const counted: Logged[] = [];
    const work = createSteppedWork();
    const { stream } = createStreamRig(
      { work: work.queue() },
      past(5000),
      projectionOf(() => false, counted),
    );
    stream.attach(null).read(1000);
    let most = counted.length;
    for (let before = counted.length; work.pass(); before = counted.length) {
      most = Math.max(most, counted.length - before);
    }
    expect(most).toBeLessThanOrEqual(300);
    expect(counted.length).toBe(10_000);
  });

  test('a portion of the stream ends with 64 KiB of frames, however few its events are', () => {
    const counted: Logged[] = [];
    const work = createSteppedWork();
    const shown = projectionOf(() => false, counted);
    const wide = () => ({ event: (logged: Logged) => [...shown().event(logged), 'x'.repeat(32 * 1024)] });
    createStreamRig({ work: work.queue() }, past(500), wide);
    // A conversation of few events is not paced.
    const counts: number[] = [];
    while (work.pass()) counts.push(counted.length);
    expect(counts.slice(0, 3)).toEqual([2, 4, 6]);
  });

  test('frames are made as the reader takes them', () => {
    const counted: Logged[] = [];
    const work = createSteppedWork();
    const { stream } = createStreamRig(
      { work: work.queue() },
      past(5000),
      projectionOf(() => true, counted),
    );
    work.passAll();
    counted.length = 0;
    const reader = stream.attach(null);
    expect(reader.read(1000).length).toBeGreaterThan(1);
    expect(counted.length).toBeLessThan(50);
    expect(drain(reader).at(-1)).toMatchObject({ kind: 'frame', cursor: expect.any(String) });
    expect(counted.length).toBe(5000);
  });

  test('a reader with time left is told at once what took more than one portion to make', () => {
    const work = createPacedWork({ now: () => 0, afterOthers: () => {} });
    const { stream } = createStreamRig({ work: work.queue() }, past(500), few);
    const reader = stream.attach(null);
    let isCalled = false;
    reader.onReadable = () => {
      isCalled = true;
    };
    expect(reader.read(1000)).not.toEqual([]);
    expect(isCalled).toBe(false);
  });

  test('what happens meanwhile follows, and more than enough of it waits for nothing', () => {
    const work = createSteppedWork();
    const { stream, say } = createStreamRig({ work: work.queue() }, past(5000), live);
    const reader = stream.attach(null);
    for (let count = 0; count < 1025; count += 1) say(said('live'));
    expect(reader.read(1000)).toEqual([]);
    work.passAll();
    expect(drain(reader).length).toBe(1025);
  });

  test('a session that ends meanwhile says so behind what it has said', () => {
    const work = createSteppedWork();
    const { stream, say } = createStreamRig({ work: work.queue() }, past(5000), live);
    const reader = stream.attach(null);
    say(said('last words'));
    stream.close('over');
    expect(reader.read(1000)).toEqual([]);
    work.passAll();
    expect(kindsOf(drain(reader))).toEqual(['frame', 'closed over']);
  });

  test('a projection that throws in the past closes its stream', () => {
    const work = createSteppedWork();
    const broken = projectionOf(({ seq }) => {
      if (seq === 300) throw new Error('broken');
      return false;
    });
    const { stream } = createStreamRig({ work: work.queue() }, past(500), broken);
    const reader = stream.attach(null);
    reader.read(1000);
    work.passAll();
    expect(stream.closed).not.toBeNull();
    expect(kindsOf(drain(reader))).toEqual(['closed an internal error of the gateway']);
  });
});
