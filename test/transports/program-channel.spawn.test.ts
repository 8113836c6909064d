// Programs that start a moment later, with a socket pair or without one.
import { afterEach, expect, it } from 'vitest';
import type { SpawnOptions } from '../../src/transports/child/child-process.ts';
import { killAllChildren } from '../../src/transports/child/process-group.ts';
import { programChannel } from '../../src/transports/child/program-channel.ts';
import { openSocketPair, type SocketPair } from '../../src/transports/child/socket-pair.ts';
import { record } from './support/recording-receiver.ts';

const pairs: SocketPair[] = [];
afterEach(() => {
  pairs.length = 0;
  killAllChildren();
});

async function remembered(): Promise<SocketPair | null> {
  const pair = await openSocketPair();
  if (pair !== null) pairs.push(pair);
  return pair;
}

const areGone = () => pairs.flatMap(({ ours, theirs }) => [ours.destroyed, theirs.destroyed]);

function start(options: Pick<SpawnOptions, 'command' | 'cwd'>, openPair: () => Promise<SocketPair | null>) {
  const channel = programChannel({ label: 'program test', ...options }, openPair);
  const heard = record();
  channel.open(heard.receiver);
  return { channel, heard };
}

it.each<[string, () => Promise<SocketPair | null>, number]>([
  ['a socket pair', remembered, process.platform === 'linux' ? 1 : 0],
  ['a pipe of spawn', async () => null, 0],
])('reads long and short lines from %s, and leaves nothing open', async (_name, openPair, count) => {
  const script = `read line; echo "$line"; head -c 1000000 /dev/zero | tr '\\0' 7; echo; echo '{"last":1}'; exit 3`;
  const { channel, heard } = start({ command: ['sh', '-c', script] }, openPair);
  channel.send('{"first":"é"}');
  expect(await heard.end()).toEqual({ reason: 'agent exited (code 3)' });
  const [first, long = '', last] = heard.frames.items;
  expect([first, long.length, last]).toEqual(['{"first":"é"}', 1_000_000, '{"last":1}']);
  expect(pairs).toHaveLength(count);
  expect(areGone().every(Boolean)).toBe(true);
});

it('of a program that does not start, nothing stays open', async () => {
  const { heard } = start({ command: ['nope-nope'] }, remembered);
  expect((await heard.end()).reason).toMatch(/^agent could not be started: /);
  expect(areGone().every(Boolean)).toBe(true);
});

it('of a program that cannot even be tried, nothing stays open', async () => {
  const { heard } = start({ command: ['sh', 'a\0b'] }, remembered);
  expect((await heard.end()).reason).toMatch(/^agent could not be started: /);
  expect(areGone().every(Boolean)).toBe(true);
});

it('closed at once, no program starts, and nothing stays open', async () => {
  const pair = remembered();
  const { channel, heard } = start({ command: ['sh', '-c', 'echo 1'] }, () => pair);
  channel.close('normal', 'enough');
  expect(await heard.end()).toEqual({ reason: 'enough' });
  await pair;
  await new Promise(setImmediate);
  expect(areGone().every(Boolean)).toBe(true);
  expect(heard.calls).toEqual(['end']);
});
