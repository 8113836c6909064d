// Our own stdin and stdout: half closed, broken, and never read (docs/threats.md T29; docs/faults.md F20).
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { contentLength } from '../../src/transports/framing/content-length.ts';
import { type StdioOptions, stdioChannel } from '../../src/transports/stdio.ts';
import { createSteppedWork } from '../support/core/stepped-work.ts';
import { createArrivals } from './support/arrivals.ts';
import { record } from './support/recording-receiver.ts';

function start(options: Partial<StdioOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const channel = stdioChannel({ input, output, label: 'stdio', ...options });
  return { input, output, channel, heard: record() };
}

it('ends with the input, for a receiver that does not know halves', async () => {
  const { input, channel, heard } = start();
  channel.open(heard.receiver);
  input.end('{"n":1}\n{"n":2}');
  expect(await heard.end()).toEqual({ reason: 'client closed its input' });
  expect(heard.frames.items).toEqual(['{"n":1}', '{"n":2}']);
});

it('takes no message whose end never came', async () => {
  const { input, channel, heard } = start({ framing: contentLength });
  channel.open(heard.receiver);
  input.end('Content-Length: 12\r\n\r\n{"n":1}');
  expect(await heard.end()).toEqual({ reason: 'client closed its input' });
  expect([heard.frames.items, heard.faults.items]).toEqual([[], [expect.objectContaining({ isCut: true })]]);
});

it('tells of the half, after which answers still go out until close', async () => {
  const { input, output, channel, heard } = start();
  const halves = createArrivals<true>();
  channel.open({ ...heard.receiver, inputEnded: () => halves.add(true) });
  input.end('{"n":1}\n');
  await halves.first(1);
  expect(heard.calls).toEqual(['frame']);
  channel.send('{"answer":1}');
  channel.close('normal', 'everything has been answered');
  expect(await heard.end()).toEqual({ reason: 'everything has been answered' });
  expect(output.read().toString()).toBe('{"answer":1}\n');
  expect([halves.items.length, output.writableFinished]).toEqual([1, true]);
});

it('ends quietly when nobody reads our output any more', async () => {
  const { output, channel, heard } = start();
  channel.open(heard.receiver);
  output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(await heard.end()).toEqual({ reason: 'client closed its output' });
  channel.send('{"late":1}');
  expect([heard.calls, channel.buffered]).toEqual([['end'], 0]);
});

it('does not take a half line for a frame when it is the output that is gone', async () => {
  const { input, output, channel, heard } = start();
  channel.open(heard.receiver);
  input.write('{"n":1}\n{"half":');
  await heard.frames.first(1);
  output.destroy();
  await heard.end();
  input.end();
  expect(heard.frames.items).toEqual(['{"n":1}']);
});

it('ends when its input broke before it was opened', async () => {
  const { input, channel, heard } = start();
  input.destroy(new Error('EIO'));
  await new Promise((resolve) => input.once('close', resolve));
  channel.open(heard.receiver);
  expect(await heard.end()).toEqual({ reason: 'client closed its input' });
});

it('does not wait for ever for a client that does not read', async () => {
  const { output, channel, heard } = start({ closeGraceMs: 10 });
  channel.open(heard.receiver);
  for (let n = 0; n < 10; n += 1) channel.send(JSON.stringify('x'.repeat(100_000)));
  channel.close('going-away', 'enough');
  expect(await heard.end()).toEqual({ reason: 'enough' });
  expect(output.writableFinished).toBe(false);
});

it('passes blank lines on where the protocol answers them', async () => {
  const { input, channel, heard } = start({ blank: 'deliver' });
  channel.open(heard.receiver);
  input.write('\n1\n');
  expect(await heard.frames.first(2)).toEqual(['', '1']);
});

it('ends behind the fault of an input that cannot be cut into frames any more', async () => {
  const { input, output, channel, heard } = start({ framing: contentLength });
  const good = 'Content-Length: 2\r\n\r\n{}';
  channel.open({
    ...heard.receiver,
    fault(fault) {
      heard.receiver.fault(fault);
      channel.send('{"error":1}');
    },
  });
  input.write(`${good}Content-Length: x\r\n\r\n${good}`);
  expect(await heard.end()).toEqual({ reason: 'client sent what cannot be cut into frames' });
  input.end(good);
  expect(heard.calls).toEqual(['frame', 'fault', 'end']);
  const [answer]: Buffer[] = await once(output, 'data');
  expect(String(answer)).toBe('Content-Length: 11\r\n\r\n{"error":1}');
});

it('tells of that fault when it is heard again, with the frames before it', async () => {
  const { input, channel, heard } = start({ framing: contentLength });
  channel.open(heard.receiver);
  input.write('Content-Length: 1\r\n\r\n1');
  await heard.frames.first(1);
  channel.pause();
  input.end('Content-Length: 1\r\n\r\n2nonsense\n');
  channel.resume();
  await heard.end();
  expect(heard.frames.items).toEqual(['1', '2']);
  expect(heard.calls).toEqual(['frame', 'frame', 'fault', 'end']);
});

it('takes a burst of small frames in portions, and the end of the input behind it', async () => {
  const { input, channel, heard } = start();
  const work = createSteppedWork();
  channel.open({ ...heard.receiver, work: work.queue() });
  const over = once(input, 'end');
  input.end('1\n'.repeat(32_000));
  await over;
  expect(heard.frames.items).toEqual([]);
  work.pass();
  const first = heard.frames.items.length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(32_000);
  expect(heard.calls).not.toContain('end');
  work.passAll();
  expect(await heard.end()).toEqual({ reason: 'client closed its input' });
  expect(heard.frames.items).toHaveLength(32_000);
});

it('stops reading while more than 1 MiB waits, and reads on', async () => {
  const { input, channel, heard } = start();
  const work = createSteppedWork();
  channel.open({ ...heard.receiver, work: work.queue() });
  const paused = once(input, 'pause');
  const chunk = `${'x'.repeat(65_535)}\n`;
  for (let count = 0; count < 40; count += 1) input.write(chunk);
  await paused;
  work.pass();
  expect(input.isPaused()).toBe(true);
  input.end();
  const ended = heard.end();
  const timer = setInterval(() => work.passAll(), 0);
  await ended;
  clearInterval(timer);
  expect(heard.frames.items).toHaveLength(40);
});

it('forgets what waits when it is closed', async () => {
  const { input, channel, heard } = start();
  const work = createSteppedWork();
  channel.open({ ...heard.receiver, work: work.queue() });
  const read = once(input, 'data');
  input.write('1\n');
  await read;
  channel.close('normal', 'enough');
  work.passAll();
  expect(await heard.end()).toEqual({ reason: 'enough' });
  expect(heard.frames.items).toEqual([]);
});
