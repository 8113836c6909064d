// `patchbay translate` and where its bytes come from and go to: files, pipes, slow writers, readers that are slow or gone.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { createInbox } from '../../support/inbox.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-translate-'));

function start(input: 'pipe' | number): ChildProcess {
  const args = [main, 'translate', '--from', 'pi', '--to', 'claude'];
  return spawn(process.execPath, args, { stdio: [input, 'pipe', 'inherit'] });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await once(child, 'close');
  return text;
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
const update = (assistantMessageEvent: object) => line({ type: 'message_update', assistantMessageEvent });
/** 3 MiB, in lines of lengths that fall on no border of a block; every delta differs. */
const deltas = Array.from({ length: 12_000 }, (_, at) => `${at} ${'äbc'.repeat(at % 97)}`);
const trace = [
  line({ type: 'agent_start' }),
  line({ type: 'turn_start' }),
  line({ type: 'message_start', message: { role: 'assistant', content: [] } }),
  update({ type: 'text_start', contentIndex: 0 }),
  ...deltas.map((delta) => update({ type: 'text_delta', contentIndex: 0, delta })),
  update({ type: 'text_end', contentIndex: 0, content: deltas.join('') }),
].join('');
const file = join(folder, 'trace.jsonl');

/** The text of all deltas that a client was given. */
function textIn(output: string): string {
  return output
    .split('\n')
    .filter((frame) => frame.includes('"text_delta"'))
    .map((frame) => JSON.parse(frame).event.delta.text)
    .join('');
}

let fromFile = '';
beforeAll(async () => {
  writeFileSync(file, trace);
  fromFile = await outputOf(start(openSync(file, 'r')));
});

it('a file of many blocks', () => {
  expect(trace.length).toBeGreaterThan(2 * 1024 * 1024);
  expect(textIn(fromFile)).toBe(deltas.join(''));
});

it('a pipe, with the same result', async () => {
  const child = start('pipe');
  child.stdin?.end(trace);
  expect(await outputOf(child)).toBe(fromFile);
});

it('a reader that waits until everything has been written', async () => {
  const child = start(openSync(file, 'r'));
  // A pipe holds 64 KiB: the program cannot be done before somebody reads.
  await once(child.stdout ?? child, 'readable');
  expect(child.exitCode).toBeNull();
  expect(await outputOf(child)).toBe(fromFile);
});

it('a writer that takes its time is answered line by line, and half lines wait', async () => {
  const child = start('pipe');
  const inbox = createInbox();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) inbox.line(text);
  });
  const heard = (text: string) =>
    inbox.waitFor((frame) => JSON.stringify(frame).includes(`"text":"${text}"`), `the delta ${text}`);
  const lines = trace.split('\n').slice(0, 4).join('\n');
  child.stdin?.write(`${lines}\n${update({ type: 'text_delta', contentIndex: 0, delta: 'one' })}`);
  await heard('one');
  const two = update({ type: 'text_delta', contentIndex: 0, delta: 'two' });
  child.stdin?.write(update({ type: 'text_delta', contentIndex: 0, delta: 'three' }) + two.slice(0, 40));
  await heard('three');
  child.stdin?.end(two.slice(40));
  await heard('two');
  expect((await once(child, 'exit'))[0]).toBe(0);
});

it('a reader that leaves ends it, and that is no failure', async () => {
  const child = start('pipe');
  child.stdin?.on('error', () => {});
  child.stdin?.write(trace);
  await once(child.stdout ?? child, 'readable');
  child.stdout?.destroy();
  child.stdin?.write(trace);
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('a disk that takes nothing is a failure, and is told', async () => {
  const args = [main, 'translate', '--from', 'pi', '--to', 'claude'];
  const child = spawn(process.execPath, args, { stdio: [openSync(file, 'r'), openSync('/dev/full', 'w'), 'pipe'] });
  let told = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    told += piece;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(told).toBe('patchbay: ENOSPC: no space left on device, write\n');
});

it('rows of a trace, whose messages may be objects; what did not come from the agent is passed over', async () => {
  const frames = trace.split('\n').slice(0, 5);
  const rows = frames.flatMap((frame) => [
    line({ dir: 'mark', msg: 'text' }),
    line({ dir: 'in', msg: JSON.parse(frame) }),
    line({ dir: 'in-raw', msg: `Content-Length: 2\r\n\r\n${frame}` }),
    line({ dir: 'out', msg: JSON.parse(frame) }),
    line({ dir: 'note' }),
  ]);
  const [bare, traced] = [start('pipe'), start('pipe')];
  bare.stdin?.end(frames.map((frame) => `${frame}\n`).join(''));
  traced.stdin?.end(rows.join(''));
  // Both at once: what nobody reads when a program ends is gone.
  const [expected = '', printed] = await Promise.all([outputOf(bare), outputOf(traced)]);
  expect(textIn(expected)).toBe(deltas[0]);
  expect(printed).toBe(expected);
});
