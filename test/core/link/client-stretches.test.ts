// A client is sent frames that were made together as they are, as long as nothing has to look at each of them.
import { describe, expect, test } from 'vitest';
import type { Frontend } from '../../../src/core/contract/adapter/frontend.ts';
import type { WorkQueue } from '../../../src/core/contract/paced-work.ts';
import type { StretchPart } from '../../../src/core/contract/stretch.ts';
import { Traffic } from '../../../src/core/contract/traffic.ts';
import { createStretchWrapper } from '../../../src/core/fast-path/stretch-wrapper.ts';
import { linkClient } from '../../../src/core/link/client-link.ts';
import { foldBurst } from '../../../src/core/log/fold.ts';
import { burstOf, partTexts, takingProjection } from '../../support/core/bursts.ts';
import { createClient } from '../../support/core/client.ts';
import { createSteppedWork } from '../../support/core/stepped-work.ts';
import { createStreamRig } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

/** A client of a stream, and what its channel was given: frames, and runs as lists. */
function linked(frontend: Partial<Frontend> = {}, takesStretches = true, work?: WorkQueue) {
  const clock = createVirtualClock();
  const rig = createStreamRig(
    work === undefined ? {} : { work },
    [
      { type: 'run-start' },
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'block-start', index: 0, block: { kind: 'text' } },
    ],
    takingProjection,
  );
  const client = createClient(clock);
  const traffic = new Traffic();
  const told: (string | string[])[] = [];
  const channel = {
    ...client.wire.channel,
    get buffered() {
      return client.wire.buffered;
    },
    send: (out: unknown) => void told.push(String(out)),
    ...(takesStretches && { sendStretch: (part: StretchPart) => void told.push(partTexts(part)) }),
  };
  const sink = { submit: () => {}, note: () => {}, traffic };
  const reader = rig.stream.attach(null);
  const link = linkClient(channel, { ...client.frontend, ...frontend }, reader, clock, sink, { end: () => {} });
  told.splice(0);
  return {
    ...client,
    link,
    told,
    traffic,
    stream: rig.stream,
    async burst(...deltas: string[]) {
      const burst = burstOf(deltas);
      expect(rig.stream.beforeBurst(burst, 1)).toBe(true);
      foldBurst(rig.transcript, burst, 1);
      rig.stream.afterBurst();
      // Readers are woken in a microtask.
      await Promise.resolve();
    },
  };
}

const frame = (delta: string, low: number) =>
  `{"delta":"${delta}","high":0,"low":"${low.toString(16).padStart(3, '0')}"}`;
const [a, b, c] = [frame('a', 5), frame('b', 6), frame('c', 7)];

describe('a part of a stretch', () => {
  test('goes to the channel as it is, and its frames are counted', async () => {
    const { told, traffic, burst } = linked();
    const before = { frames: traffic.framesOut, bytes: traffic.bytesOut };
    await burst('a', 'b', 'c');
    expect(told).toEqual([[a, b, c]]);
    expect(traffic.framesOut - before.frames).toBe(3);
    expect(traffic.bytesOut - before.bytes).toBe(a.length + b.length + c.length);
  });

  test('is single frames for a channel that takes no runs', async () => {
    const { told, burst } = linked({}, false);
    await burst('a', 'b', 'c');
    expect(told).toEqual([a, b, c]);
  });

  test('is single frames for a frontend that maps each, until it maps all at once', async () => {
    let map: Frontend['mapStretch'] = () => null;
    const upper = (out: unknown) => String(out).toUpperCase();
    const { told, traffic, burst } = linked({ mapOutgoing: upper, mapStretch: (part) => map?.(part) ?? null });
    await burst('a', 'é', 'b');
    expect(told.splice(0)).toEqual(['a', 'é', 'b'].map((text, place) => frame(text, 5 + place).toUpperCase()));
    map = (part) => part;
    await burst('a', 'b');
    expect(told.splice(0)).toEqual([[frame('a', 8), frame('b', 9)]]);
    const before = traffic.bytesOut;
    map = createStretchWrapper('[1,', ']') ?? undefined;
    await burst('a', 'b');
    const wrapped = [10, 11].map((low) => `[1,${frame(low === 10 ? 'a' : 'b', low)}]`);
    expect(told).toEqual([wrapped]);
    expect(traffic.bytesOut - before).toBe(wrapped.join('').length);
    const mapping = linked({ mapOutgoing: upper });
    await mapping.burst('a', 'b');
    expect(mapping.told).toEqual([a.toUpperCase(), b.toUpperCase()]);
  });

  test('comes before an answer that was given behind it, and goes no further', async () => {
    const { told, wire, act, burst } = linked();
    wire.buffered = 1_000_000;
    await burst('a', 'b');
    act({ do: 'send', frame: 'answer' });
    await burst('c');
    expect(told).toEqual([]);
    wire.drain();
    expect(told).toEqual([[a, b], 'answer', [c]]);
  });

  test('goes together with those that come behind it before its turn', async () => {
    const work = createSteppedWork();
    const { told, burst } = linked({}, true, work.queue());
    work.passAll();
    told.splice(0);
    await burst('a', 'b');
    await burst('c');
    expect(told).toEqual([]);
    work.pass();
    expect(told).toEqual([[a, b], [c]]);
  });

  test('goes no further than the socket takes', async () => {
    const { told, burst, wire } = linked();
    wire.buffered = 1_000_000;
    const long = 'x'.repeat(60_000);
    await burst('a', long, long, 'b');
    wire.drain();
    expect(told.map((part) => part.length)).toEqual([3, 1]);
  });
});
