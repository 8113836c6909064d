// Posted frames: a frame posted again under the same id, because the client missed the answer, counts once
// (docs/faults.md F27). Broadcasts go into the stream only while somebody is there.
import { describe, expect, test } from 'vitest';
import type { Frontend } from '../../../src/core/contract/adapter/frontend.ts';
import { linkPosts } from '../../../src/core/link/post-link.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { createStreamRig, drain, framesOf } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

/** A frontend that sends back what it gets, and notes a violation for every frame with the word `bad`. */
const parrot: Frontend = {
  decode: ({ text }) =>
    text.includes('bad')
      ? [
          { do: 'note', level: 'violation', text: 'bad' },
          { do: 'send', frame: 'refused' },
        ]
      : [{ do: 'send', frame: text }],
  fault: () => [],
  reply: () => [],
};

function start() {
  const { stream } = createStreamRig();
  const reader = stream.attach(null);
  const sink = { submit: () => {}, note: () => {} };
  const link = linkPosts(parrot, stream, createVirtualClock(), sink);
  const post = (text: string, id?: string, digest?: string) => link.frame(createFrame(Buffer.from(text)), id, digest);
  return { post, heard: () => framesOf(drain(reader)) };
}

test('the same id counts once, and without one everything counts', () => {
  const { post, heard } = start();
  expect([post('1', 'a'), post('1', 'a'), post('2', 'b'), post('3'), post('3')]).toEqual([[], [], [], [], []]);
  expect(heard()).toEqual(['1', '2', '3', '3']);
});

test('something else under the same id is a conflict, and nothing of it is taken', () => {
  const { post, heard } = start();
  expect([post('1', 'a', 'x'), post('1', 'a', 'x'), post('2', 'b', 'x')]).toEqual([[], [], []]);
  for (const digest of ['y', undefined]) {
    expect(() => post('2', 'a', digest)).toThrow(expect.objectContaining({ code: 'conflict' }));
  }
  expect(post('1', 'a', 'x')).toEqual([]);
  expect(post('bad', 'c', 'x')).toEqual(['refused']);
  expect(post('good', 'c', 'y')).toEqual([]);
  expect(heard()).toEqual(['1', '2', 'good']);
});

test('what was refused is judged again', () => {
  const { post, heard } = start();
  expect([post('bad', 'a'), post('bad', 'a'), post('good', 'a')]).toEqual([['refused'], ['refused'], []]);
  expect(heard()).toEqual(['good']);
});

test('ids are remembered for a while, not for ever', () => {
  const { post, heard } = start();
  for (let n = 0; n < 1025; n += 1) post(String(n), `id-${n}`);
  heard();
  post('still known', 'id-1');
  post('forgotten', 'id-0');
  expect(heard()).toEqual(['forgotten']);
});

test('a mark of a connection for itself is told to nobody', () => {
  const { stream } = createStreamRig();
  const reader = stream.attach(null);
  const marking: Frontend = {
    ...parrot,
    decode: () => [
      { do: 'send', frame: [] },
      { do: 'send', frame: 'said' },
    ],
  };
  const link = linkPosts(marking, stream, createVirtualClock(), { submit: () => {}, note: () => {} });
  expect(link.frame(createFrame(Buffer.from('x')))).toEqual([]);
  expect(framesOf(drain(reader))).toEqual(['said']);
});

describe('news', () => {
  /** Each post is a command; each answer says so. */
  const telling: Frontend = {
    decode: () => [{ do: 'deliver', message: { type: 'query', subject: 'state' } }],
    fault: () => [],
    reply: () => [{ do: 'send', frame: 'answer' }],
    onBroadcast: ({ kind }) => [{ do: 'send', frame: kind }],
  };
  /** Longer than a stream without readers still gets broadcasts, ms. */
  const long = 60_000;

  function stage() {
    const { stream } = createStreamRig();
    // Reads everything that was ever put into the stream.
    const everything = stream.attach(null);
    everything.close();
    const clock = createVirtualClock();
    const open: ((outcome: Outcome) => void)[] = [];
    const link = linkPosts(telling, stream, clock, {
      submit: (_, settle) => void open.push(settle),
      note: () => {},
    });
    clock.advance(long);
    return {
      link,
      clock,
      stream,
      news: () => link.onBroadcast({ kind: 'session-closed', session: 'other' }),
      post: () => void link.frame(createFrame(Buffer.from('x'))),
      answer: () => open.shift()?.({ ok: true }),
      said: () => framesOf(drain(everything)),
    };
  }

  test('nobody reads and nobody has posted: they are not for this stream', () => {
    const { link, news, said } = stage();
    news();
    expect([link.isHeard, said()]).toEqual([false, []]);
  });

  test('while somebody reads they are told, and for a moment after', () => {
    const { link, clock, stream, news, said } = stage();
    const reader = stream.attach(null);
    clock.advance(long);
    news();
    reader.close();
    link.left();
    news();
    expect([link.isHeard, said()]).toEqual([true, ['session-closed', 'session-closed']]);
    clock.advance(long);
    news();
    expect([link.isHeard, said()]).toEqual([false, []]);
  });

  test('who posts and reads later finds the course of the command, however long it takes', () => {
    const { link, clock, news, post, answer, said } = stage();
    post();
    news();
    clock.advance(long);
    news();
    answer();
    news();
    expect(said()).toEqual(['session-closed', 'session-closed', 'answer', 'session-closed']);
    clock.advance(long);
    news();
    expect([link.isHeard, said()]).toEqual([false, []]);
  });
});

test('in the middle of a post: the news of a command go before what the session says because of it, its answer behind', () => {
  const { stream, say } = createStreamRig();
  const reader = stream.attach(null);
  const asking: Frontend = {
    decode: () => [{ do: 'deliver', message: { type: 'clear-queue' } }],
    fault: () => [],
    onBroadcast: () => [{ do: 'send', frame: 'news' }],
    reply: () => [{ do: 'send', frame: 'answer' }],
  };
  const link = linkPosts(asking, stream, createVirtualClock(), {
    note: () => {},
    submit(_command, settle) {
      link.onBroadcast({ kind: 'session-closed', session: 'started' });
      say({ type: 'message-added', role: 'user', content: [{ type: 'text', text: 'said' }] });
      settle({ ok: true });
      link.onBroadcast({ kind: 'session-closed', session: 'after' });
    },
  });
  expect(link.frame(createFrame(Buffer.from('{}')))).toEqual([]);
  const heard = framesOf(drain(reader)).map((frame) => /"text":"([^"]*)"/u.exec(String(frame))?.[1] ?? frame);
  expect(heard).toEqual(['news', 'said', 'answer', 'news']);
});

test('in the middle of a post: what a command is answered goes before what the session says because of it', () => {
  const { stream, say } = createStreamRig();
  const reader = stream.attach(null);
  const asking: Frontend = {
    decode: () => [
      { do: 'send', frame: 'heard' },
      { do: 'deliver', message: { type: 'clear-queue' } },
    ],
    fault: () => [],
    reply: () => [{ do: 'send', frame: 'answer' }],
  };
  const link = linkPosts(asking, stream, createVirtualClock(), {
    note: () => {},
    submit(_command, settle) {
      settle({ ok: true });
      say({ type: 'message-added', role: 'user', content: [{ type: 'text', text: 'said' }] });
    },
  });
  expect(link.frame(createFrame(Buffer.from('{}')))).toEqual([]);
  const heard = framesOf(drain(reader)).map((frame) => /"text":"([^"]*)"/u.exec(String(frame))?.[1] ?? frame);
  expect(heard).toEqual(['heard', 'answer', 'said']);
});

test('a stream is wanted until each post to it is answered, and the answers go into the stream that is there then', () => {
  let left = 0;
  const unread = () => {
    left += 1;
  };
  const { stream } = createStreamRig({ unread });
  const other = createStreamRig();
  const open: ((outcome: Outcome) => void)[] = [];
  const asking: Frontend = {
    decode: () => [{ do: 'deliver', message: { type: 'query', subject: 'state' } }],
    fault: () => [],
    reply: () => [{ do: 'send', frame: 'answer' }],
  };
  const sink = { submit: (_: unknown, settle: (outcome: Outcome) => void) => void open.push(settle), note: () => {} };
  const link = linkPosts(asking, stream, createVirtualClock(), sink);
  const post = () => link.frame(createFrame(Buffer.from('x')));
  post();
  post();
  open.shift()?.({ ok: true });
  expect(left).toBe(0);
  open.shift()?.({ ok: true });
  expect(left).toBe(1);

  post();
  const reader = other.stream.attach(null);
  link.moveTo(other.stream);
  expect(left).toBe(2);
  open.shift()?.({ ok: true });
  expect(framesOf(drain(reader))).toEqual(['answer']);
});
