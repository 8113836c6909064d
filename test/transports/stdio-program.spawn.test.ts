// A program on real pipes leaves when its channel has ended, although whoever started it keeps its input open.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { bundled } from '../support/bundled.ts';

const modules = await bundled('transports/stdio', 'transports/framing/framings');
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** What a program says whose receiver does this with each frame, and how it exits. */
async function run(framing: string, onFrame: string, input: readonly string[]): Promise<[string, number]> {
  const program = `
    const { stdioChannel } = await import('${modules}/transports/stdio.mjs');
    const { streamFraming } = await import('${modules}/transports/framing/framings.mjs');
    const { stdin: input, stdout: output } = process;
    const channel = stdioChannel({ input, output, label: 'test', framing: streamFraming('${framing}') });
    channel.open({
      frame(frame) { ${onFrame} },
      fault(fault) { channel.send(JSON.stringify(fault.code)); },
      end({ reason }) { process.stderr.write(reason); },
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  for (const piece of input) child.stdin.write(piece);
  const [code] = await once(child, 'exit');
  return [(await said).join(' '), code];
}

it('closed in the middle of a chunk', async () => {
  const close = `channel.send('"bye"'); channel.close('normal', 'enough');`;
  expect(await run('jsonl', close, ['1\n2\n3'])).toEqual(['"bye"\n enough', 0]);
});

it('closed while it was paused', async () => {
  const pause = `channel.pause(); setImmediate(() => channel.close('normal', 'enough'));`;
  expect(await run('jsonl', pause, ['1\n', '2\n'.repeat(1000)])).toEqual([' enough', 0]);
});

it('told what cannot be cut into frames', async () => {
  expect(await run('content-length', '', ['Content-Length: 1\r\n\r\n1', 'x\r\n'])).toEqual([
    'Content-Length: 11\r\n\r\n"bad-frame" client sent what cannot be cut into frames',
    0,
  ]);
});
