// One connection that carries many: each of its channels is a channel like any other, and they do not stand in each other's way.

import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Channel, Frame, Peek, Receiver } from '../../src/core/contract/channel.ts';
import { GatewayError } from '../../src/core/model/errors.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { createMultiplexer, type MultiplexerOptions } from '../../src/transports/multiplexer.ts';
import { connectWebSocket } from '../../src/transports/websocket/dial.ts';
import { describeTransport, type Rig } from '../contract/transport.ts';
import { openChannel } from '../support/core/open-channel.ts';
import { createArrivals } from './support/arrivals.ts';
import { record } from './support/recording-receiver.ts';

/** Frames say themselves whose they are: `{"to":"a"}`; `{"greeting":1}` is for all, also for those to come. */
function route(frame: Frame) {
  let json: unknown = null;
  try {
    json = frame.json;
  } catch {}
  const { to, greeting } =
    typeof json === 'object' && json !== null ? { to: undefined, greeting: undefined, ...json } : {};
  return { name: typeof to === 'string' ? to : null, isGreeting: greeting !== undefined };
}

function farEnd(other: Channel) {
  const received = createArrivals<string>();
  const heard = record();
  other.open({ ...heard.receiver, frame: (frame) => received.add(frame.text) });
  return {
    received,
    send: other.send,
    hangUp: () => other.close('normal', 'hung up'),
    stall: other.pause,
    carryOn: other.resume,
    heard,
  };
}

async function overMemory(): Promise<Rig> {
  const [channel, other] = memoryPair();
  const trunk = createMultiplexer({ label: 'trunk', channel, route });
  return { channel: trunk.join('a'), far: farEnd(other), dispose: () => {} };
}

const maxFrameBytes = 1024 * 1024;

async function overWebSocket(): Promise<Rig> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const accepted = once(server, 'connection');
  const channel = connectWebSocket(`ws://127.0.0.1:${port}`, { maxFrameBytes });
  const [socket]: WebSocket[] = await accepted;
  if (socket === undefined) throw new Error('unreachable');
  const received = createArrivals<string>();
  socket.on('message', (data) => received.add(data.toString()));
  socket.on('error', () => {});
  // A second one that is there all the time and reads: nothing changes for the first.
  const trunk = createMultiplexer({ label: 'trunk', channel, route });
  trunk.join('b').open(record().receiver);
  return {
    channel: trunk.join('a'),
    far: {
      received,
      send: (message) => socket.send(message),
      hangUp: () => socket.close(1000),
      stall: () => socket.pause(),
      carryOn: () => socket.resume(),
    },
    dispose() {
      socket.terminate();
      server.close();
    },
  };
}

describeTransport({ name: 'trunk over memory', maxFrameBytes: null, afterTooLarge: 'goes on', connect: overMemory });
describeTransport({
  name: 'trunk over websocket, one of two',
  maxFrameBytes,
  afterTooLarge: 'goes on',
  connect: overWebSocket,
});

describe('several on one connection', () => {
  afterEach(() => void vi.useRealTimers());

  function start(options: Partial<MultiplexerOptions> = {}) {
    const [channel, other] = memoryPair();
    const over = vi.fn();
    const trunk = createMultiplexer({ label: 'trunk', channel, route, over, ...options });
    const far = farEnd(other);
    const join = (name: string) => {
      const joined = trunk.join(name);
      const heard = record();
      joined.open(heard.receiver);
      return { channel: joined, heard };
    };
    return { trunk, far, over, join };
  }

  test('each hears its own, and all what names nobody', async () => {
    const { far, join } = start();
    const [a, b] = [join('a'), join('b')];
    for (const frame of [
      '{"to":"a","n":1}',
      '{"to":"b","n":2}',
      '{"n":3}',
      '{"to":"nobody"}',
      'no json',
      '{"to":"a","n":4}',
    ]) {
      far.send(frame);
    }
    expect(await a.heard.frames.first(4)).toEqual(['{"to":"a","n":1}', '{"n":3}', 'no json', '{"to":"a","n":4}']);
    expect(b.heard.frames.items).toEqual(['{"to":"b","n":2}', '{"n":3}', 'no json']);
  });

  test('who comes later hears the greeting first, and nothing else of before', async () => {
    const { far, join } = start();
    const a = join('a');
    for (const frame of ['{"greeting":1}', '{"n":1}']) far.send(frame);
    await a.heard.frames.first(2);
    const b = join('b');
    far.send('{"n":2}');
    expect(await b.heard.frames.first(2)).toEqual(['{"greeting":1}', '{"n":2}']);
  });

  test('all send on the one connection, in their order', async () => {
    const { far, join } = start();
    const [a, b] = [join('a'), join('b')];
    a.channel.send('1');
    b.channel.send('2');
    a.channel.send('3');
    expect(await far.received.first(3)).toEqual(['1', '2', '3']);
  });

  test('the first that leaves takes nobody with it, the last takes the connection, what was sent goes out', async () => {
    const { trunk, far, over, join } = start();
    const [a, b] = [join('a'), join('b')];
    a.channel.send('bye a');
    a.channel.close('normal', 'enough');
    expect(await a.heard.end()).toEqual({ reason: 'enough' });
    far.send('{"to":"a"}');
    far.send('{"to":"b","n":1}');
    expect(await b.heard.frames.first(1)).toEqual(['{"to":"b","n":1}']);
    expect([trunk.isOver, over.mock.calls.length, far.heard.calls]).toEqual([false, 0, []]);
    b.channel.send('bye b');
    b.channel.close('normal', 'enough');
    b.channel.close('normal', 'again');
    await b.heard.end();
    expect([trunk.isOver, over.mock.calls.length]).toEqual([true, 1]);
    expect(await far.received.first(2)).toEqual(['bye a', 'bye b']);
    expect(a.heard.calls).toEqual(['end']);
    expect(await far.heard.end()).toEqual({ reason: 'the other end closed: enough' });
    expect(() => trunk.join('c')).toThrow(GatewayError);
  });

  test('the end of the connection is the end of all', async () => {
    const { trunk, far, over, join } = start();
    const [a, b] = [join('a'), join('b')];
    far.send('{"n":1}');
    far.hangUp();
    expect([await a.heard.end(), await b.heard.end()]).toEqual([
      { reason: 'the other end closed: hung up' },
      { reason: 'the other end closed: hung up' },
    ]);
    expect([a.heard.calls, b.heard.calls]).toEqual([
      ['frame', 'end'],
      ['frame', 'end'],
    ]);
    expect([trunk.isOver, over.mock.calls.length]).toEqual([true, 1]);
  });

  test('a name is taken once', () => {
    const { trunk, join } = start();
    join('a');
    expect(() => trunk.join('a')).toThrow(expect.objectContaining({ code: 'conflict' }));
  });

  test('one that does not read holds up nobody while what waits for it is little, and loses nothing', async () => {
    const { far, join } = start({ mostWaitingBytes: 1_000 });
    const [a, b] = [join('a'), join('b')];
    a.channel.pause();
    const frames = Array.from({ length: 10 }, (_, n) => JSON.stringify({ to: 'a', n }));
    for (const frame of frames) far.send(frame);
    far.send('{"to":"b"}');
    await b.heard.frames.first(1);
    expect(a.heard.frames.items).toEqual([]);
    a.channel.resume();
    expect(await a.heard.frames.first(10)).toEqual(frames);
  });

  test('with much waiting the whole connection is paused until it reads', async () => {
    const { far, join } = start({ mostWaitingBytes: 100 });
    const [a, b] = [join('a'), join('b')];
    a.channel.pause();
    const frames = Array.from({ length: 100 }, (_, n) => JSON.stringify({ to: 'a', n }));
    for (const frame of frames) far.send(frame);
    far.send('{"to":"b"}');
    // A round trip the other way: what could come would have come.
    b.channel.send('ping');
    await far.received.first(1);
    expect(b.heard.frames.items).toEqual([]);
    a.channel.resume();
    expect(await a.heard.frames.first(100)).toEqual(frames);
    expect(await b.heard.frames.first(1)).toEqual(['{"to":"b"}']);
  });

  test('one that never reads is cut off behind what waits for it, and the others go on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { far, join } = start({ mostWaitingBytes: 100, mostStalledMs: 5_000 });
    const [a, b] = [join('a'), join('b')];
    a.channel.pause();
    const frames = Array.from({ length: 50 }, (_, n) => JSON.stringify({ to: 'a', n }));
    for (const frame of frames) far.send(frame);
    far.send('{"to":"b"}');
    b.channel.send('ping');
    await far.received.first(1);
    vi.advanceTimersByTime(5_000);
    expect(await b.heard.frames.first(1)).toEqual(['{"to":"b"}']);
    a.channel.resume();
    expect(await a.heard.end()).toEqual({ reason: 'what the agent said was not read for too long' });
    const read = a.heard.frames.items;
    expect(read.length).toBeGreaterThan(5);
    expect(read).toEqual(frames.slice(0, read.length));
  });

  describe('one that never reads, and nobody who would', () => {
    /** `a` is full; the way back carries on, so what could have come would have. */
    async function full() {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const rig = start({ mostWaitingBytes: 100, mostStalledMs: 5_000 });
      const a = rig.join('a');
      a.channel.pause();
      const frames = Array.from({ length: 50 }, (_, n) => JSON.stringify({ to: 'a', n }));
      for (const frame of frames) rig.far.send(frame);
      rig.far.send('{"to":"b"}');
      a.channel.send('ping');
      await rig.far.received.first(1);
      return { ...rig, a, frames };
    }

    test('slows the agent for as long as it takes, and loses nothing (docs/faults.md F20)', async () => {
      const { a, frames } = await full();
      vi.advanceTimersByTime(3_600_000);
      a.channel.resume();
      expect(await a.heard.frames.first(50)).toEqual(frames);
      expect(a.heard.calls).not.toContain('end');
    });

    test('is given its time from when somebody comes', async () => {
      const { a, join } = await full();
      vi.advanceTimersByTime(3_600_000);
      const b = join('b');
      vi.advanceTimersByTime(4_999);
      expect(b.heard.frames.items).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(await b.heard.frames.first(1)).toEqual(['{"to":"b"}']);
      a.channel.resume();
      expect(await a.heard.end()).toEqual({ reason: 'what the agent said was not read for too long' });
    });

    test('is left alone again when the others have gone', async () => {
      const { a, frames, join } = await full();
      const b = join('b');
      vi.advanceTimersByTime(4_000);
      b.channel.close('normal', 'enough');
      vi.advanceTimersByTime(3_600_000);
      a.channel.resume();
      expect(await a.heard.frames.first(50)).toEqual(frames);
    });
  });

  test('after a fault nobody can join, and it lives on for who has not heard of it', async () => {
    const [channel, other] = memoryPair();
    const [fault, over] = [{ code: 'too-large', message: 'a frame of 9 bytes' } as const, vi.fn()];
    const faulty: Channel = {
      ...channel,
      open: (receiver) =>
        channel.open({
          ...receiver,
          frame: (frame) => (frame.text === 'fault' ? receiver.fault(fault) : receiver.frame(frame)),
        }),
    };
    const trunk = createMultiplexer({ label: 'trunk', channel: faulty, route, over });
    const [a, b] = [record(), record()];
    const [one, late] = [trunk.join('a'), trunk.join('b')];
    one.open(a.receiver);
    late.open(b.receiver);
    late.pause();
    const far = farEnd(other);
    far.send('fault');
    expect(await a.faults.first(1)).toEqual([fault]);
    expect([trunk.isOver, over.mock.calls.length]).toEqual([true, 1]);
    expect(() => trunk.join('c')).toThrow(expect.objectContaining({ code: 'agent-down' }));
    one.close('error', 'a fault');
    await a.end();
    late.resume();
    expect(await b.faults.first(1)).toEqual([fault]);
    late.close('error', 'a fault');
    expect(await far.heard.end()).toEqual({ reason: 'the other end closed: a fault' });
    expect(over).toHaveBeenCalledTimes(1);
  });

  test('one that leaves while it holds up all others lets them go on', async () => {
    const { far, join } = start({ mostWaitingBytes: 100 });
    const [a, b] = [join('a'), join('b')];
    a.channel.pause();
    for (let n = 0; n < 50; n += 1) far.send(JSON.stringify({ to: 'a', n }));
    far.send('{"to":"b"}');
    b.channel.send('ping');
    await far.received.first(1);
    a.channel.close('normal', 'enough');
    expect(await b.heard.frames.first(1)).toEqual(['{"to":"b"}']);
  });
});

describe('a frame that is recognised before it is cut out', () => {
  const peek: Peek = { header: null, bytes: Buffer.from('a'), lineEnd: () => -1, ascii: () => '', utf8: () => '' };

  /** A trunk with two channels, of which the frame at hand seems to be for one. */
  function rig(name: string | null) {
    const opened: Receiver[] = [];
    const heard: string[] = [];
    const channel = openChannel('trunk', opened);
    const trunk = createMultiplexer({ label: 'trunk', channel, route: () => ({ name }), seemsFor: () => name });
    const join = (own: string) => {
      const joined = trunk.join(own);
      joined.open({
        frame: () => void heard.push(`${own} frame`),
        recognise: () => ({ next: 7, ending: peek.bytes, splice: null, accept: () => void heard.push(`${own} one`) }),
        takeBurst(_peek, start, end, most) {
          heard.push(`${own} many ${start} ${end} ${most}`);
          return end;
        },
        fault: () => {},
        end: () => {},
      });
      return joined;
    };
    const [a, b] = [join('a'), join('b')];
    const look = () => opened[0]?.recognise?.(peek, 0, 9) ?? null;
    const take = () => opened[0]?.takeBurst?.(peek, 3, 9, 100);
    return { a, b, heard, look, take, frame: () => opened[0]?.frame(createFrame(peek.bytes)) };
  }

  test('is shown to the channel that it seems to be for', () => {
    const { look, take, heard } = rig('b');
    look()?.accept();
    expect([look()?.next, take()]).toEqual([7, 9]);
    expect(heard).toEqual(['b one', 'b many 3 9 100']);
  });

  test.each([null, 'nobody'])('is shown to no channel when it seems to be for %s', (name) => {
    const { look, take, heard } = rig(name);
    expect([look(), take(), heard]).toEqual([null, 3, []]);
  });

  test('is cut out for a channel that is paused, closed, or has frames waiting', async () => {
    const { a, look, take, frame, heard } = rig('a');
    a.pause();
    expect([look(), take()]).toEqual([null, 3]);
    frame();
    a.resume();
    // The frame that waits comes first.
    expect([look(), take(), heard]).toEqual([null, 3, []]);
    await Promise.resolve();
    expect([take(), heard]).toEqual([9, ['a frame', 'a many 3 9 100']]);
    a.close('normal', 'over');
    expect([look(), take()]).toEqual([null, 3]);
  });
});
