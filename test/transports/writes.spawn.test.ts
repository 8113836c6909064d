// What the writes of a real program's stdout hold, also while its reader does not read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bundled } from '../support/bundled.ts';

const watcher = fileURLToPath(new URL('support/watch-writes.mjs', import.meta.url));
const modules = await bundled('transports/stdio', 'transports/framing/framings');

/** Answers its first frame with some small frames in one tick, a large one, and small ones in many ticks. */
const program = `
  const { stdioChannel } = await import('${modules}/transports/stdio.mjs');
  const { streamFraming } = await import('${modules}/transports/framing/framings.mjs');
  const { stdin: input, stdout: output } = process;
  const channel = stdioChannel({ input, output, label: 'test', framing: streamFraming(process.argv[1]) });
  const small = (count, at) => { for (let n = 0; n < count; n += 1) channel.send(JSON.stringify({ at, n })); };
  channel.open({
    async frame() {
      small(50, 'before');
      channel.send(JSON.stringify({ at: 'large', text: 'é'.repeat(200_000) }));
      for (let n = 0; n < 50; n += 1) {
        small(3, n);
        await new Promise(setImmediate);
      }
      process.stderr.write('"sent"\\n');
    },
    fault() {},
    half() { channel.close('normal', 'done'); },
    end() {},
  });
`;

/** All that was written, and the chunks of each write. Nobody reads before everything was sent. */
async function writesOf(framing: string, request: string): Promise<{ output: string; writes: string[][] }> {
  const child = spawn(process.execPath, ['--input-type=module', '--import', watcher, '-e', program, framing]);
  const told = text(child.stderr.setEncoding('utf8'));
  const sent = new Promise<void>((resolve) => {
    child.stderr.on('data', (lines: string) => {
      if (lines.includes('"sent"')) resolve();
    });
  });
  child.stdin.write(request);
  await sent;
  const output = text(child.stdout.setEncoding('latin1'));
  child.stdin.end();
  await once(child, 'close');
  const lines = (await told).trim().split('\n');
  return { output: await output, writes: lines.filter((line) => line !== '"sent"').map((line) => JSON.parse(line)) };
}

const count = 50 + 1 + 150;

it('with Content-Length each is one whole frame', async () => {
  const { output, writes } = await writesOf('content-length', 'Content-Length: 2\r\n\r\n{}');
  expect(writes.every((chunks) => chunks.length === 1)).toBe(true);
  const bodies = writes.map(([write = '']) => {
    const [, length, body = ''] = /^Content-Length: (\d+)\r\n\r\n(.*)$/s.exec(write) ?? [];
    expect(Number(length)).toBe(body.length);
    return body;
  });
  expect(bodies).toHaveLength(count);
  expect(bodies.map((body) => JSON.parse(body).at === 'large').indexOf(true)).toBe(50);
  expect(writes.flat().join('')).toBe(output);
});

it('as lines they hold what has gathered', async () => {
  const { output, writes } = await writesOf('jsonl', '{}\n');
  expect(writes.length).toBeLessThan(20);
  expect(output.trim().split('\n')).toHaveLength(count);
  expect(writes.flat().join('')).toBe(output);
});
