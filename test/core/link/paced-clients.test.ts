// Clients that are sent to in turns: they get the same frames in the same order as at once (docs/limits.md 6.3).
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { internalError } from '../../../src/core/contract/guarded.ts';
import { type PacedWork, type WorkQueue, writeCost } from '../../../src/core/contract/paced-work.ts';
import { linkClient } from '../../../src/core/link/client-link.ts';
import { highWater } from '../../../src/core/link/client-sender.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createClient } from '../../support/core/client.ts';
import { createSteppedWork } from '../../support/core/stepped-work.ts';
import { createStreamRig } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const notice = (text: string): Event => ({ type: 'notice', level: 'info', text });

/** A stream and so many clients of it. */
function crowd(count: number, work?: PacedWork) {
  const clock = createVirtualClock();
  const queue: WorkQueue | undefined = work?.queue();
  const rig = createStreamRig(queue === undefined ? {} : { work: queue });
  const clients = Array.from({ length: count }, () => {
    const client = createClient(clock);
    const sink = { submit: () => {}, note: () => {} };
    const reader = rig.stream.attach(null);
    linkClient(client.wire.channel, client.frontend, reader, clock, sink, { end: () => {} }, work?.queue());
    return client;
  });
  return { ...rig, clock, clients };
}

/** One thing that happens; `client` by its number. */
type Step =
  | { readonly do: 'say'; readonly size: number }
  | { readonly do: 'answer'; readonly client: number }
  | { readonly do: 'fill' | 'drain'; readonly client: number }
  | { readonly do: 'pass' };

const client = fc.nat(2);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('say' as const), size: fc.nat(300) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), client }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('fill' as const, 'drain' as const), client }) },
    { weight: 3, arbitrary: fc.constant({ do: 'pass' as const }) },
  ),
  { maxLength: 60 },
);

function play(planned: readonly Step[], paced: boolean): string[][] {
  const work = createSteppedWork();
  const { clients, say } = crowd(3, paced ? work : undefined);
  for (const [number, step] of planned.entries()) {
    if (step.do === 'say') say(notice(`${number} ${'x'.repeat(step.size)}`));
    else if (step.do === 'pass') work.pass();
    else if (step.do === 'answer') clients[step.client]?.act({ do: 'send', frame: `"answer ${number}"` });
    else if (step.do === 'fill') Object.assign(clients[step.client]?.wire ?? {}, { buffered: highWater });
    else clients[step.client]?.wire.drain();
  }
  for (const { wire } of clients) wire.drain();
  work.passAll();
  return clients.map(({ wire }) => wire.sent);
}

test('whatever happens in between, each client gets the same frames in the same order', () => {
  const check = (planned: readonly Step[]) => void expect(play(planned, true)).toEqual(play(planned, false));
  fc.assert(fc.property(steps, check));
});

describe('in turns', () => {
  test('an answer that waits for its turn is sent before the client is let go at the end of its input', () => {
    const work = createSteppedWork();
    const { clients } = crowd(1, work);
    work.passAll();
    const [client] = clients;
    if (client === undefined) throw new Error('no client');
    const send = vi.spyOn(client.wire.channel, 'send');
    client.act({ do: 'send', frame: '"why"' });
    expect(send).not.toHaveBeenCalled();
    client.wire.end({ reason: 'the input ended' });
    expect(send.mock.calls.map(([out]) => out)).toEqual(['"why"']);
  });

  test('nothing is sent before the turn of a client; then one after the other', () => {
    const work = createSteppedWork();
    const { clients, say } = crowd(2, work);
    work.passAll();
    say(notice('one'), notice('two'));
    const counts = () => clients.map(({ wire }) => wire.sent.length);
    expect(counts()).toEqual([0, 0]);
    work.pass();
    expect(counts()).toEqual([2, 0]);
    work.pass();
    expect(counts()).toEqual([2, 2]);
  });

  test('a small frame for many clients is many writes: they take several turns (docs/limits.md 6.1)', () => {
    const work = createSteppedWork({ ms: 10, bytes: 4 * writeCost });
    const { clients, say } = crowd(10, work);
    work.passAll();
    say(notice('small'));
    const served = () => clients.filter(({ wire }) => wire.sent.length > 0).length;
    expect(served()).toBe(4);
    work.pass();
    expect(served()).toBe(7);
    work.passAll();
    expect(served()).toBe(10);
  });

  test('a client that is let go gets first what waits for it', () => {
    const work = createSteppedWork();
    const { clients, say } = crowd(1, work);
    work.passAll();
    say(notice('last'));
    clients[0]?.act({ do: 'send', frame: '"bye"' }, { do: 'close', code: 'normal', reason: 'over' });
    expect(clients[0]?.wire.sent.map((frame) => /last|bye/u.exec(frame)?.[0])).toEqual(['last', 'bye']);
    expect(clients[0]?.wire.closings).toEqual([{ code: 'normal', reason: 'over' }]);
    work.passAll();
    expect(clients[0]?.wire.sent).toHaveLength(2);
  });

  test('a client whose frontend throws is closed, and the others get their turn (decision 0023)', () => {
    const work = createSteppedWork();
    const { clients, say } = crowd(2, work);
    work.passAll();
    Object.assign(clients[0]?.frontend ?? {}, {
      mapOutgoing() {
        throw new Error('broken');
      },
    });
    say(notice('one'));
    expect(() => work.passAll()).not.toThrow();
    expect(clients.map(({ wire }) => wire.closings)).toEqual([[{ code: 'error', reason: internalError }], []]);
    expect(clients.map(({ wire }) => wire.sent.length)).toEqual([0, 1]);
  });

  test('a client that has gone costs no more turns', () => {
    const work = createSteppedWork();
    const { clients, say } = crowd(1, work);
    work.passAll();
    say(notice('one'));
    clients[0]?.wire.end({ reason: 'gone' });
    work.passAll();
    expect(clients[0]?.wire.sent).toEqual([]);
  });
});
