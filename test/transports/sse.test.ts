// The stream that we serve: what it says, when it reads, and how it ends (docs/faults.md 2.4; docs/threats.md T31).

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeCost } from '../../src/core/contract/paced-work.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Entry, Reader } from '../../src/core/contract/reader.ts';
import { type EventStreamOptions, openEventStream } from '../../src/transports/sse/stream.ts';
import { createFakeBoard } from '../support/fake-board.ts';
import { taggedEnvelope } from './support/tagged-envelope.ts';

const epoch = { frontend: 'pi', session: 's1', options: {}, principal: owner };

function start(cursor: string | null = null, options: EventStreamOptions = {}) {
  const board = createFakeBoard();
  const session = board.add('s1');
  const open = (from: string | null, others = options) => {
    const stream = openEventStream(board.stream(epoch, from), others);
    return { stream, reader: stream.body.getReader() };
  };
  return { session, open, ...open(cursor) };
}

async function text(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { done, value } = await reader.read();
  return done ? 'the end' : Buffer.from(value).toString();
}

const greeting = ': ok\n\nretry: 1000\n\n';

describe('the stream', () => {
  it('says hello at once', async () => {
    expect(await text(start().reader)).toBe(greeting);
    expect(await text(start(null, { retryMs: 50 }).reader)).toBe(': ok\n\nretry: 50\n\n');
  });

  it('gives frames with their cursor, and without one inside a snapshot', async () => {
    const { session, reader } = start();
    session.appendUnnumbered('{"snapshot":1}');
    session.append(['{"text":"', Buffer.from('é'), '"}']);
    await text(reader);
    expect(await text(reader)).toBe('data: {"snapshot":1}\n\nid: e1.1.0\ndata: {"text":"é"}\n\n');
  });

  it('wakes up for what comes later, and writes a tick together', async () => {
    const { session, reader } = start();
    await text(reader);
    const next = text(reader);
    await Promise.resolve();
    session.append('1');
    session.append('2');
    expect(await next).toBe('id: e1.1.0\ndata: 1\n\nid: e1.2.0\ndata: 2\n\n');
    const later = text(reader);
    await Promise.resolve();
    session.append('3');
    expect(await later).toBe('id: e1.3.0\ndata: 3\n\n');
  });

  it('counts a write as more work than its bytes (docs/limits.md 6.1)', async () => {
    const entries: Entry[] = [{ kind: 'frame', out: '12345', cursor: null, number: null, at: null }];
    const steps: (number | null)[] = [];
    const reader: Reader = {
      work: { run: (task) => void steps.push(task.step()) },
      read: () => entries.splice(0),
      mark: () => 0,
      onReadable() {},
      close() {},
    };
    const body = openEventStream(reader).body.getReader();
    expect([await text(body), await text(body)]).toEqual([greeting, 'data: 12345\n\n']);
    expect(steps[0]).toBe(5 + writeCost);
  });

  it('resumes behind a cursor', async () => {
    const { session, open } = start();
    for (const frame of ['1', '2', '3']) session.append(frame);
    const { reader } = open('e1.2.0');
    await text(reader);
    expect(await text(reader)).toBe('id: e1.3.0\ndata: 3\n\n');
  });

  it.each([
    ['e1.1.0', 'window'],
    ['e9.1.0', 'epoch'],
  ])('from %s says that the place is lost, in an event of ours without an id', async (cursor, reason) => {
    const { session, open } = start();
    for (const frame of ['1', '2', '3']) session.append(frame);
    session.forgetBefore(3);
    const { reader } = open(cursor);
    await text(reader);
    expect(await text(reader)).toBe(
      `event: gateway\ndata: {"type":"reset","reason":"${reason}","cursor":"e1.3.0"}\n\n`,
    );
  });

  it('ends after saying that the session is over', async () => {
    const { session, reader } = start();
    session.append('1');
    session.close('deleted\nevent: forged');
    await text(reader);
    expect(await text(reader)).toBe(
      'id: e1.1.0\ndata: 1\n\nevent: gateway\ndata: {"type":"closed","reason":"deleted\\nevent: forged"}\n\n',
    );
    expect(await text(reader)).toBe('the end');
    expect(session.readers.size).toBe(0);
  });

  it('lets no frame look like ours', async () => {
    const { session, reader } = start();
    session.append('{"x":1}\n\nevent: gateway\ndata: {"type":"closed"}\n\n');
    session.append([Buffer.from('1\r\revent: gateway\rdata: {}\r\r')]);
    await text(reader);
    const events: EventSourceMessage[] = [];
    createParser({ onEvent: (event) => events.push(event) }).feed(await text(reader));
    expect(events.map(({ event, id }) => ({ event, id }))).toEqual([
      { event: undefined, id: 'e1.1.0' },
      { event: undefined, id: 'e1.2.0' },
    ]);
  });
});

describe('with an envelope', () => {
  const tagged = (n: number) => `event: tagged\nid: ${n}\ndata: {"said":${n}}\n\n`;
  const live = (text: string) => `event: tagged_live\ndata: {"said":"${text}"}\n\n`;

  it('frames are what it makes of them', async () => {
    const { session, reader } = start(null, { envelope: taggedEnvelope });
    session.appendUnnumbered('0');
    session.append('1');
    session.append('"live"');
    session.append([Buffer.from('3')]);
    await text(reader);
    const snapshot = 'event: tagged\ndata: {"said":0}\n\n';
    expect(await text(reader)).toBe(snapshot + tagged(1) + live('live') + tagged(3));
  });

  it('a client that comes back is not told what was only said live while it was away, and all that comes', async () => {
    const { session, open } = start();
    for (const frame of ['1', '"missed"', '3', '"missed, too"']) session.append(frame);
    const { reader } = open('e1.1.0', { envelope: taggedEnvelope, isResumed: true });
    session.append('"heard"');
    await text(reader);
    expect(await text(reader)).toBe(tagged(3));
    expect(await text(reader)).toBe(live('heard'));
    const next = text(reader);
    await Promise.resolve();
    session.append('"and this"');
    expect(await next).toBe(live('and this'));
  });

  it('one that has missed nothing but that waits for what comes', async () => {
    const { session, open } = start();
    for (const frame of ['1', '"missed"']) session.append(frame);
    const { reader } = open('e1.1.0', { envelope: taggedEnvelope, isResumed: true });
    await text(reader);
    const next = text(reader);
    await Promise.resolve();
    session.append('3');
    expect(await next).toBe(tagged(3));
  });

  it('one whose place is lost is told so first, and then everything', async () => {
    const snapshot: Entry[] = [
      { kind: 'reset', reason: 'epoch', cursor: 'e1.1.0' },
      { kind: 'frame', out: '"told again"', cursor: null, number: null, at: null },
      { kind: 'frame', out: '2', cursor: 'e1.2.0', number: 2, at: null },
    ];
    const reader = createReader(() => snapshot.splice(0));
    const stream = openEventStream(reader, { envelope: taggedEnvelope, isResumed: true }).body.getReader();
    await text(stream);
    expect(await text(stream)).toBe(`event: tagged_lost\ndata: "epoch"\n\n${live('told again')}${tagged(2)}`);
  });

  it('the end is told in our own event', async () => {
    const { session, reader } = start(null, { envelope: taggedEnvelope });
    session.append('1');
    session.close('deleted');
    await text(reader);
    expect(await text(reader)).toBe(`${tagged(1)}event: gateway\ndata: {"type":"closed","reason":"deleted"}\n\n`);
    expect(await text(reader)).toBe('the end');
  });
});

describe('reading', () => {
  it('takes nothing from the session before there is room for it', async () => {
    const { session, open } = start();
    for (let n = 0; n < 100; n += 1) session.append(JSON.stringify('x'.repeat(10_000)));
    const board = createFakeBoard();
    board.add('s1');
    const reads: number[] = [];
    const inner = createReader(() => [{ kind: 'frame', out: 'x'.repeat(1000), cursor: 'e1.1.0', number: 1, at: 0 }]);
    const stream = openEventStream({
      ...inner,
      read: (maxBytes) => {
        reads.push(maxBytes);
        return inner.read(maxBytes);
      },
    });
    const reader = stream.body.getReader();
    await text(reader);
    expect(reads).toEqual([]);
    await text(reader);
    expect(reads).toEqual([64 * 1024]);
    const other = open(null).reader;
    await text(other);
    expect((await text(other)).length).toBeLessThan(80 * 1024);
  });

  it('closes the reader when the client goes, once', async () => {
    const onClose = vi.fn();
    const { session, reader, stream } = start(null, { onClose });
    await text(reader);
    const waiting = reader.read();
    expect(session.readers.size).toBe(1);
    await reader.cancel();
    stream.end();
    await waiting;
    session.append('1');
    expect([session.readers.size, onClose.mock.calls.length]).toEqual([0, 1]);
  });

  it('ends on request without a word, so that the client comes back', async () => {
    const { session, reader, stream } = start();
    await text(reader);
    const waiting = text(reader);
    stream.end();
    stream.end();
    expect(await waiting).toBe('the end');
    expect(session.readers.size).toBe(0);
  });

  it('ends behind frames that are still being made', async () => {
    const made: Entry[][] = [[], [{ kind: 'frame', out: '1', cursor: null, number: null, at: null }]];
    let isOpen = false;
    const reader: Reader = {
      ...createReader(() => (isOpen ? (made.shift() ?? []) : [])),
      get isPreparing() {
        return isOpen && made.length > 0;
      },
    };
    const stream = openEventStream(reader);
    const client = stream.body.getReader();
    await text(client);
    const waiting = text(client);
    isOpen = true;
    stream.end();
    expect(await waiting).toBe('data: 1\n\n');
    expect(await text(client)).toBe('the end');
  });

  it('breaks off and closes when the reader fails, at once or later', async () => {
    let fail = false;
    const closed = vi.fn();
    const reader = createReader(() => {
      if (fail) throw new Error('lost');
      return [];
    }, closed);
    const stream = openEventStream(reader).body.getReader();
    await text(stream);
    const waiting = text(stream);
    await Promise.resolve();
    fail = true;
    reader.onReadable();
    await expect(waiting).rejects.toThrow('lost');
    expect(closed).toHaveBeenCalledOnce();

    const atOnce = openEventStream(
      createReader(() => [{ kind: 'frame', out: '1', cursor: 'NOT OURS', number: 1, at: 0 }]),
    ).body.getReader();
    await text(atOnce);
    await expect(text(atOnce)).rejects.toThrow('not an event id');
  });
});

describe('heartbeat', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('writes a comment after every 15 s without a frame', async () => {
    const { session, reader } = start();
    await text(reader);
    for (let n = 0; n < 3; n += 1) {
      const next = text(reader);
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await next).toBe(': ping\n\n');
    }
    const frame = text(reader);
    await vi.advanceTimersByTimeAsync(14_999);
    session.append('1');
    expect(await frame).toBe('id: e1.1.0\ndata: 1\n\n');
  });

  it('lets go of a client that takes nothing for 60 s, and of no other (docs/faults.md F19)', async () => {
    const told: string[] = [];
    const options = { onStall: () => told.push('stall'), onClose: () => told.push('close') };
    const { session, reader } = start(null, options);
    await text(reader);
    for (const frame of ['1', '2', '3']) {
      const next = text(reader);
      await Promise.resolve();
      session.append(frame);
      await next;
      await vi.advanceTimersByTimeAsync(59_999);
    }
    expect([told, session.readers.size]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([told, session.readers.size]).toEqual([['close', 'stall'], 0]);
    expect((await reader.read()).done).toBe(true);
  });

  it('waits for ever for a client that has taken everything', async () => {
    const { session, reader } = start(null, { heartbeatMs: 1_000_000 });
    await text(reader);
    void reader.read();
    await vi.advanceTimersByTimeAsync(900_000);
    expect(session.readers.size).toBe(1);
  });

  it('leaves no timer behind', async () => {
    const { session, reader, stream } = start();
    await text(reader);
    const next = text(reader);
    await Promise.resolve();
    session.append('1');
    await next;
    // Until the client takes more, the time for that runs.
    expect(vi.getTimerCount()).toBe(1);
    void reader.read();
    await Promise.resolve();
    expect(vi.getTimerCount()).toBe(1);
    stream.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});

function createReader(read: () => readonly Entry[], close: () => void = () => {}): Reader {
  return { read, mark: () => 0, close, onReadable: () => {} };
}
