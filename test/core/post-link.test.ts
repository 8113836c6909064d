// Posted frames: what comes again under the same id, because a client did not hear our answer, counts once (fault F27).
import { expect, test } from 'vitest';
import type { Frontend } from '../../src/core/adapter.ts';
import { linkPosts } from '../../src/core/post-link.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { createStreamRig, drain, framesOf } from '../support/core/stream-rig.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';

/** A frontend that says what it heard, and calls everything with the word `bad` a violation. */
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
  const post = (text: string, id?: string) => link.frame(createFrame(Buffer.from(text)), id);
  return { post, heard: () => framesOf(drain(reader)) };
}

test('the same id counts once, and without one everything counts', () => {
  const { post, heard } = start();
  expect([post('1', 'a'), post('1', 'a'), post('2', 'b'), post('3'), post('3')]).toEqual([[], [], [], [], []]);
  expect(heard()).toEqual(['1', '2', '3', '3']);
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
