// What the bytes of a peer can make grow, below any protocol.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import type { FrameFault } from '../../src/core/contract/channel.ts';
import { unpaced } from '../../src/core/contract/paced-work.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { BroadcastBacklog } from '../../src/core/link/broadcast-backlog.ts';
import { emptyTranscript } from '../../src/core/log/fold.ts';

import { createPosts, mostRefusals } from '../../src/gateway/commands/posted-frames.ts';

import { createKeeper } from '../../src/stores/session-keeper.ts';
import { followStderr } from '../../src/transports/child/last-words.ts';
import { createFrameReader } from '../../src/transports/frame-reader.ts';
import { contentLengthDecoder } from '../../src/transports/framing/content-length.ts';
import { hasTooManyLines, mostFrames } from '../../src/transports/framing/frame-count.ts';
import { jsonlDecoder } from '../../src/transports/framing/jsonl.ts';
import { readBody } from '../../src/transports/http/body.ts';
import { createConnectionTable } from '../../src/transports/http/connection-table.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { createMultiplexer } from '../../src/transports/multiplexer.ts';
import { mostWaitingBytes, PacedInput } from '../../src/transports/paced-input.ts';
import { mostAttached, serveResumable } from '../../src/transports/resume/connection.ts';
import { createSharedBytes } from '../../src/transports/shared-bytes.ts';
import { webSocketLimits } from '../../src/transports/websocket/channel.ts';
import { createSteppedWork } from '../support/core/stepped-work.ts';
import { record } from '../transports/support/recording-receiver.ts';
import { type Acts, counted } from './rig.ts';

/** What a decoder tells: the text of a frame, the code of a fault. */
function heard() {
  const told: string[] = [];
  const frame = ({ text }: { readonly text: string }) => void told.push(text);
  return { told, sink: { frame, fault: ({ code }: FrameFault) => void told.push(code) } };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A client on a connection that resumes, before a gateway that keeps each post until it is told to go on. */
function resuming() {
  const [near, far] = memoryPair();
  const posts: (() => void)[] = [];
  const reader = { read: () => [], mark: () => 0, onReadable: () => {}, close: () => {} };
  const post = () => new Promise<{ ok: true }>((resolve) => posts.push(() => resolve({ ok: true })));
  const board = { stream: () => reader, post, refuse: () => [], limited: () => {} };
  const request = { frontend: 'any', options: {}, principal: owner };
  serveResumable(far, { board, request, carriesMany: true });
  const answers = record();
  near.open(answers.receiver);
  const say = (message: unknown) => near.send(JSON.stringify(message));
  return { near, posts, answers: answers.frames, say };
}

export const transportActs: Acts = {
  async 'sessions on one connection that resumes'() {
    const { say, answers, near } = resuming();
    for (const place of counted(mostAttached + 1)) say({ type: 'attach', session: `s${place}` });
    const [answer = ''] = await answers.first(1);
    expect(JSON.parse(answer)).toMatchObject({ type: 'closed', session: `s${mostAttached}` });
    near.close('normal', 'enough');
  },

  async 'messages on a connection that resumes'() {
    const { say, answers, near, posts } = resuming();
    say({ type: 'attach', session: 's' });
    for (const place of counted(100)) say({ type: 'send', id: `k${place}`, frame: {} });
    await settled();
    expect(posts).toHaveLength(64);
    posts[0]?.();
    await answers.first(1);
    await settled();
    expect(posts).toHaveLength(65);
    // Answers that the client does not read hold it up too.
    near.pause();
    for (const at of counted(1000)) {
      posts[at + 1]?.();
      say({ type: 'send', id: `${at}${'k'.repeat(250)}`, frame: {} });
      await settled();
    }
    expect(posts.length).toBeLessThan(500);
    near.close('normal', 'enough');
  },

  'a frame'() {
    const lines = heard();
    const jsonl = jsonlDecoder(lines.sink, { maxFrameBytes: 4 });
    for (const piece of ['123', '45', '6\n', '7\n']) jsonl.push(Buffer.from(piece));
    expect(lines.told).toEqual(['too-large', '7']);
    const counts = heard();
    const lengths = contentLengthDecoder(counts.sink, { maxFrameBytes: 4 });
    for (const piece of ['Content-Length: 5\n\n', '12345Content-Length: 1\n\n6']) lengths.push(Buffer.from(piece));
    expect(counts.told).toEqual(['too-large', '6']);
  },

  'the header of a frame'() {
    const { told, sink } = heard();
    const decoder = contentLengthDecoder(sink, { maxFrameBytes: 10 });
    for (const _ of counted(5000)) decoder.push(Buffer.from('x'));
    expect([told, decoder.isBroken]).toEqual([['bad-frame'], true]);
  },

  async 'frames in a post or message'() {
    const lines = (count: number) => Buffer.from('1\n'.repeat(count));
    expect([hasTooManyLines(lines(mostFrames)), hasTooManyLines(lines(mostFrames + 1))]).toEqual([false, true]);
    const refused: string[] = [];
    const link = {
      frame: () => ['no'],
      fault: ({ message }: FrameFault) => {
        refused.push(message);
        return ['end'];
      },
    };
    await createPosts({ queue: () => unpaced })(
      link,
      counted(mostRefusals + 2).map(() => ({ bytes: Buffer.from('1') })),
    );
    expect(refused).toEqual(['16 frames of this post were refused; the last 2 were not taken']);
  },

  async 'the body of a post'() {
    const post = (length: number) => new Request('http://g/', { method: 'POST', body: 'x'.repeat(length) });
    await expect(readBody(post(11), 10)).rejects.toThrow('the body has more than 10 bytes');
    expect((await readBody(post(10), 10)).length).toBe(10);
  },

  'a message of a WebSocket'() {
    expect(webSocketLimits(10)).toEqual({ maxPayload: 20, maxFragments: 1024, perMessageDeflate: false });
  },

  'what has arrived'() {
    const inlet = createFrameReader();
    const work = createSteppedWork();
    const calls: string[] = [];
    const input = new PacedInput({ inlet, decode: ({ length }) => length, roomy: () => void calls.push('roomy') });
    inlet.open({ ...record().receiver, work: work.queue() });
    input.push(Buffer.alloc(mostWaitingBytes + 1));
    expect([input.isFull, calls]).toEqual([true, []]);
    work.passAll();
    expect([input.isFull, calls]).toEqual([false, ['roomy']]);
  },

  async 'what waits for one session of a shared connection'() {
    const [channel, far] = memoryPair();
    const pauses: string[] = [];
    const watched = Object.assign(Object.create(channel), {
      pause: () => void pauses.push('pause'),
      resume: () => void pauses.push('resume'),
    });
    const trunk = createMultiplexer({ label: 'trunk', channel: watched, route: () => ({ name: 'a' }) });
    const branch = trunk.join('a');
    const heardBy = record();
    branch.open(heardBy.receiver);
    far.open(record().receiver);
    branch.pause();
    for (const _ of counted(5)) far.send('x'.repeat(1024 * 1024));
    await Promise.resolve();
    await Promise.resolve();
    expect(pauses).toEqual(['pause']);
    branch.resume();
    await heardBy.frames.first(5);
    await Promise.resolve();
    expect(pauses).toEqual(['pause', 'resume']);
  },

  async 'greetings of a shared connection'() {
    const [channel, far] = memoryPair();
    const trunk = createMultiplexer({ label: 'trunk', channel, route: () => ({ name: null, isGreeting: true }) });
    const first = record();
    trunk.join('a').open(first.receiver);
    far.open(record().receiver);
    for (const at of counted(9)) far.send(`g${at}`);
    expect(await first.frames.first(9)).toEqual(counted(9).map((at) => `g${at}`));
    const later = record();
    trunk.join('b').open(later.receiver);
    await Promise.resolve();
    await Promise.resolve();
    expect(later.calls.length).toBe(8);
  },

  async 'what a program says beside its frames'() {
    const stderr = new PassThrough();
    const tail = followStderr(stderr);
    stderr.write('x'.repeat(100_000));
    stderr.write('y'.repeat(2040));
    await new Promise((resolve) => setImmediate(resolve));
    expect(tail()).toBe(`${'x'.repeat(8)}${'y'.repeat(2040)}`);
  },

  'frames that are encoded for several readers'() {
    const shared = createSharedBytes<number>();
    const encoded: number[] = [];
    const get = (key: number) =>
      shared.get(key, () => {
        encoded.push(key);
        return Buffer.alloc(256 * 1024);
      });
    for (const key of [0, 0, 1, 2, 3, 4, 5, 0]) get(key);
    expect(encoded).toEqual([0, 1, 2, 3, 4, 5, 0]);
  },

  connections() {
    const gone: Socket[] = [];
    const table = createConnectionTable({ connections: 4, perToken: 4, reserve: 2 }, (socket) => {
      gone.push(socket);
      socket.emit('close', false);
    });
    const open = () => {
      const socket = new EventEmitter() as Socket;
      table.opened(socket);
      return socket;
    };
    const first = open();
    open();
    expect(gone).toEqual([first]);
  },

  'broadcasts that wait for a client'() {
    const backlog = new BroadcastBacklog();
    const mebibyte = 1024 * 1024;
    expect(backlog.isTooMuch(0, 4 * mebibyte, 0)).toBe(false);
    expect(backlog.isTooMuch(4 * mebibyte, 4 * mebibyte + 1, 0)).toBe(true);
    expect(backlog.isTooMuch(0, 1, 0)).toBe(false);
  },

  'names that a kept session is to get'() {
    const written: string[] = [];
    const file = { file: 'f', isMade: true, append: (text: string) => void written.push(text) };
    const head = { type: 'patchbay-session', version: 1, id: 's', agent: 'a', createdAt: '' } as const;
    const later = { soon: () => {}, whenKept: () => {} };
    const keeper = createKeeper({ head, file, known: 0, missing: [], lines: 0, ...later, failed: () => {} });
    const view = { id: 's', epoch: 'e', timeOrigin: 0, place: undefined, transcript: emptyTranscript() };
    for (const at of counted(100)) keeper.record({ type: 'session-changed', changes: { name: `n${at}` } }, view);
    keeper.write();
    expect(written.join('').match(/"name"/g)?.length).toBe(1);
    expect(written.join('')).toContain('"n99"');
  },
};
