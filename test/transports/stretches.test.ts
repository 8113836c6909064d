// Frames that were made together leave together: the same bytes as one by one, made once for all peers.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { FramingName } from '../../src/core/contract/adapter/adapter.ts';
import { frameIn } from '../../src/core/contract/stretch.ts';
import { Traffic } from '../../src/core/contract/traffic.ts';
import { meteredReader } from '../../src/gateway/metering/metered-reader.ts';
import { createFrameWriter } from '../../src/transports/frame-writer.ts';
import { contentLength } from '../../src/transports/framing/content-length.ts';
import type { Framing } from '../../src/transports/framing/framing.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';
import { type EventStreamOptions, openEventStream } from '../../src/transports/sse/stream.ts';
import { stdioChannel } from '../../src/transports/stdio.ts';
import { webSocketChannel } from '../../src/transports/websocket/dial.ts';
import { lineMessages, textMessages } from '../../src/transports/websocket/stretch-messages.ts';
import { lineMessage, textMessage } from '../../src/transports/websocket/text-message.ts';
import { createBurstRig, notice, opening } from '../support/core/burst-rig.ts';
import { burstOf, stretchOf, takingProjection } from '../support/core/bursts.ts';
import { drain } from '../support/core/stream-rig.ts';

const frames = ['{"a":1}', '"é漢🙂"', 'x'.repeat(125), 'x'.repeat(126), 'y'.repeat(2000), 'z'.repeat(70_000), '{}'];

describe('messages of a WebSocket server', () => {
  test.each([
    ['text', textMessages, textMessage],
    ['lines', lineMessages, lineMessage],
  ] as const)('%s: are those that single frames give, at every length', (_name, many, one) => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...frames), { minLength: 1 }), fc.nat(), fc.nat(), (list, a, b) => {
        const stretch = stretchOf(list);
        const from = a % list.length;
        const to = from + 1 + (b % (list.length - from));
        expect(
          many({ stretch, from, to }).equals(Buffer.concat(list.slice(from, to).map((out) => one(out, false)))),
        ).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('are the very same bytes for each reader', () => {
    const stretch = stretchOf(frames);
    const first = textMessages({ stretch, from: 1, to: 4 });
    expect(textMessages({ stretch, from: 1, to: 4 })).toBe(first);
    expect(textMessages({ stretch, from: 0, to: 2 }).buffer).toBe(first.buffer);
  });
});

describe('a stream of server-sent events', () => {
  /** What such a stream writes for a burst between single frames; `isSingle`: its deltas come one by one. */
  async function eventsOf(isSingle: boolean, clients: number, how: EventStreamOptions = {}): Promise<Uint8Array[]> {
    const rig = createBurstRig(isSingle, { taking: takingProjection });
    rig.say(...opening);
    const readers = Array.from({ length: clients }, () => {
      const reader = rig.streamOf('taking').attach(null);
      drain(reader);
      return meteredReader(reader, traffic, () => {}, false);
    });
    rig.say(notice);
    rig.burst(burstOf(deltas));
    rig.say(notice);
    rig.burst(burstOf(['x', 'y']));
    const written = readers.map(async (reader) => {
      const body = openEventStream(reader, how).body.getReader();
      await body.read();
      const parts: Uint8Array[] = [];
      do parts.push((await body.read()).value ?? new Uint8Array());
      while (!Buffer.concat(parts).includes('"y"'));
      return parts;
    });
    return (await Promise.all(written)).flat();
  }
  const deltas = Array.from({ length: 300 }, (_, place) => ['é漢🙂', '\\n"', `${place} `][place % 3] ?? '');
  let traffic = new Traffic();

  test.each([100_000, 1000, 1])(
    'writes the events of single frames, at most about %i bytes at once',
    async (batchBytes) => {
      traffic = new Traffic();
      const single = Buffer.concat(await eventsOf(true, 1, { batchBytes }));
      const counted = { ...traffic };
      traffic = new Traffic();
      const together = await eventsOf(false, 1, { batchBytes });
      expect(String(Buffer.concat(together))).toBe(String(single));
      expect(traffic.framesOut).toBe(counted.framesOut);
      if (batchBytes === 1000) for (const part of together) expect(part.length).toBeLessThan(2000);
    },
  );

  test('writes the very same bytes for each reader, at once', async () => {
    const [first, ...others] = await eventsOf(false, 3);
    expect(others).toHaveLength(2);
    for (const other of others) expect(other).toBe(first);
  });
});

describe('a stream of lines', () => {
  test('gets a stretch in its place, in one write', async () => {
    const chunks: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(String(chunk));
        done();
      },
    });
    const writer = createFrameWriter(stream, jsonl, () => {});
    writer.send('"before"');
    writer.sendStretch?.({ stretch: stretchOf(['"a"', '"b"', '"c"', '"d"']), from: 1, to: 3 });
    writer.send('"behind"');
    expect(writer.buffered).toBe('"before"\n"b"\n"c"\n"behind"\n'.length);
    await new Promise(setImmediate);
    expect(chunks).toEqual(['"before"\n"b"\n"c"\n"behind"\n']);
    stream.destroy();
    writer.sendStretch?.({ stretch: stretchOf(['"a"']), from: 0, to: 1 });
    expect(writer.buffered).toBe(0);
  });

  test('of frames that come one by one takes no stretches, nor does a channel over it', () => {
    const { apartAll: _, ...single } = contentLength;
    expect(createFrameWriter(new PassThrough(), single, () => {}).sendStretch).toBeUndefined();
    const of = (framing: Framing) =>
      stdioChannel({ input: new PassThrough(), output: new PassThrough(), label: 'test', framing });
    expect([jsonl, contentLength, single].map((framing) => of(framing).sendStretch === undefined)).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('a stream of frames with headers', () => {
  test('gets a stretch in its place, each frame in a write of its own', async () => {
    const chunks: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(String(chunk));
        setImmediate(done);
      },
    });
    const writer = createFrameWriter(stream, contentLength, () => {});
    writer.send('"before"');
    writer.sendStretch?.({ stretch: stretchOf(frames), from: 1, to: frames.length });
    writer.send('"behind"');
    const expected = ['"before"', ...frames.slice(1), '"behind"'].map(
      (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    expect(writer.buffered).toBe(Buffer.byteLength(expected.join('')));
    await new Promise(process.nextTick);
    writer.end();
    writer.sendStretch?.({ stretch: stretchOf(['"late"']), from: 0, to: 1 });
    await finished(stream);
    expect(chunks).toEqual(expected);
  });
});

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  cleanUps.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe.each<FramingName>(['text', 'lines'])('a WebSocket channel (%s)', (framing) => {
  test.each(['accepted', 'dialled'])('%s: sends a stretch as a message for each frame, in order', async (kind) => {
    const { server, port } = await listening();
    const accepting = new WebSocketServer({ server });
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    cleanUps.push(() => client.terminate());
    const [socket, request] = await once(accepting, 'connection');
    cleanUps.push(() => socket.terminate());
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    const isAccepted = kind === 'accepted';
    const traffic = new Traffic();
    const own = isAccepted ? { socket: request.socket } : {};
    const channel = webSocketChannel(isAccepted ? socket : client, { label: 'test', framing, traffic, ...own });
    const peer: WebSocket = isAccepted ? client : socket;
    const heard: string[] = [];
    const all = new Promise<void>((resolve) => {
      peer.on('message', (data) => {
        heard.push(String(data));
        if (heard.length === frames.length) resolve();
      });
    });
    const stretch = stretchOf(frames);
    channel.send('"before"');
    channel.sendStretch?.({ stretch, from: 1, to: frames.length - 1 });
    channel.send('"behind"');
    expect(channel.buffered).toBeGreaterThan(stretch.bytes.length - 20);
    await all;
    const end = framing === 'lines' ? '\n' : '';
    const between = frames.slice(1, -1).map((_, place) => Buffer.from(frameIn(stretch, place + 1)).toString());
    expect(heard).toEqual(['"before"', ...between, '"behind"'].map((text) => text + end));
    expect(traffic.framesOut).toBe(frames.length);
    channel.close('normal', 'done');
    channel.sendStretch?.({ stretch, from: 0, to: 1 });
    expect(traffic.framesOut).toBe(frames.length);
  });
});
