// A channel that is used before its connection is there.
import { expect, test } from 'vitest';
import { laterChannel } from '../../src/transports/later-channel.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { record } from './support/recording-receiver.ts';

function opened() {
  const [near, far] = memoryPair();
  const heard = record();
  const there = record();
  far.open(there.receiver);
  let ready: (part: string) => void = () => {};
  const calls: string[] = [];
  const channel = laterChannel({
    label: 'later',
    part: new Promise<string>((resolve) => {
      ready = resolve;
    }),
    connect(part) {
      calls.push(`connect ${part}`);
      return near;
    },
    drop: (part) => void calls.push(`drop ${part}`),
  });
  return { channel, far, heardThere: there, heard, calls, ready: (part: string) => ready(part) };
}

test('what was sent before arrives first, and counts as not read', async () => {
  const { channel, heardThere, calls, ready } = opened();
  channel.send('"é"');
  channel.send(['["b",', Buffer.from('"c"]')]);
  expect(channel.buffered).toBe(13);
  ready('part');
  await heardThere.frames.first(2);
  channel.send('"d"');
  expect(await heardThere.frames.first(3)).toEqual(['"é"', '["b","c"]', '"d"']);
  expect(channel.buffered).toBe(0);
  expect(calls).toEqual(['connect part']);
});

test('frames come to the receiver that was there before', async () => {
  const { channel, far, heard, ready } = opened();
  channel.open(heard.receiver);
  ready('part');
  far.send('1');
  expect(await heard.frames.first(1)).toEqual(['1']);
});

test.each([
  ['paused', ['pause'], 0],
  ['paused and resumed', ['pause', 'resume'], 1],
] as const)('it stays %s', async (_name, calls, count) => {
  const { channel, far, heard, heardThere, ready } = opened();
  channel.open(heard.receiver);
  for (const call of calls) channel[call]();
  ready('part');
  far.send('1');
  channel.send('2');
  await heardThere.frames.first(1);
  await new Promise(setImmediate);
  expect(heard.frames.items).toHaveLength(count);
  channel.resume();
  expect(await heard.frames.first(1)).toEqual(['1']);
});

test('closed before, it connects nothing and ends with the reason', async () => {
  const { channel, heard, heardThere, calls, ready } = opened();
  channel.open(heard.receiver);
  channel.send('1');
  channel.close('normal', 'enough');
  channel.send('2');
  channel.close('normal', 'again');
  expect(await heard.end()).toEqual({ reason: 'enough' });
  ready('part');
  await new Promise(setImmediate);
  expect(calls).toEqual(['drop part']);
  expect([heard.calls, heardThere.calls]).toEqual([['end'], []]);
});
