// What a peer sends is taken in turns: whole, in order, and bounded (docs/limits.md 6.2).
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createFrameReader } from '../../src/transports/frame-reader.ts';
import { contentLength } from '../../src/transports/framing/content-length.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { jsonl, jsonlDecoder } from '../../src/transports/framing/jsonl.ts';
import { mostWaitingBytes, PacedInput } from '../../src/transports/paced-input.ts';
import { createSteppedWork } from '../support/core/stepped-work.ts';

/** An input of lines, and all that came of it. */
function opened(work = createSteppedWork(), reusedChunks = false) {
  const inlet = createFrameReader();
  const taken: string[] = [];
  const calls: string[] = [];
  const isPaused = () => inlet.isPaused;
  const decoder = jsonlDecoder(inlet, { maxFrameBytes: 10_000_000, blank: 'deliver', reusedChunks, isPaused });
  const input = new PacedInput({
    inlet,
    decode: (bytes) => decoder.push(bytes),
    roomy: () => calls.push('roomy'),
    emptied: () => calls.push('emptied'),
  });
  const open = () => {
    inlet.open({
      work: work.queue(),
      frame: ({ text }) => taken.push(text),
      fault: ({ message }) => taken.push(`fault ${message}`),
      end: ({ reason }) => taken.push(`end ${reason}`),
    });
    input.resume();
  };
  return { work, inlet, input, taken, calls, open };
}

test('lines are the same however they are cut, and messages come between them', () => {
  const parts = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('\n'), fc.integer()), { maxLength: 40 });
  fc.assert(
    fc.property(parts, fc.boolean(), (planned, isPaced) => {
      const rig = opened(isPaced ? createSteppedWork() : createSteppedWork({ ms: 1e9, bytes: 1e9 }));
      rig.open();
      const expected: string[] = [];
      let line = '';
      for (const part of planned) {
        if (typeof part === 'number') {
          rig.input.add(4, () => rig.taken.push(`message ${part}`));
          expected.push(`message ${part}`);
          continue;
        }
        rig.input.push(Buffer.from(part));
        const [first = '', ...rest] = part.split('\n');
        line += first;
        for (const next of rest) {
          expected.push(line.endsWith('\r') ? line.slice(0, -1) : line);
          line = next;
        }
      }
      rig.work.passAll();
      expect(rig.taken).toEqual(expected);
      expect(rig.input.isEmpty).toBe(true);
    }),
  );
});

test('lines are the same out of a buffer that is used again, whenever they are taken', () => {
  const planned = fc.array(fc.oneof(fc.string({ maxLength: 20_000 }), fc.constant('pass'), fc.constant('pause')));
  fc.assert(
    fc.property(planned, (steps) => {
      const rig = opened(createSteppedWork({ ms: 1e9, bytes: 16 * 1024 }), true);
      const buffer = Buffer.alloc(64 * 1024);
      rig.open();
      let sent = '';
      for (const step of [...steps, 'end\n']) {
        if (step === 'pass') {
          rig.inlet.resume();
          rig.input.resume();
          rig.work.pass();
        } else if (step === 'pause') {
          rig.inlet.pause();
        } else {
          sent += step;
          rig.input.pushReused(buffer.subarray(0, buffer.write(step)));
          buffer.fill(0x58);
        }
      }
      rig.inlet.resume();
      rig.input.resume();
      rig.work.passAll();
      const lines = sent.split('\n').slice(0, -1);
      expect(rig.taken).toEqual(lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)));
    }),
  );
});

test('a chunk is taken in portions, with others served in between', () => {
  const { work, input, taken, open } = opened();
  open();
  input.push(Buffer.from('12345678\n'.repeat(60_000)));
  work.pass();
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.length).toBeLessThan(60_000);
  work.passAll();
  expect(taken).toHaveLength(60_000);
});

test('chunks that wait are taken together, for about a millisecond', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  try {
    const { work, input, taken, open } = opened();
    open();
    const push = () => {
      for (const line of ['1\n', '2\n', '3\n']) input.push(Buffer.from(line));
    };
    push();
    work.pass();
    expect(taken.splice(0)).toEqual(['1', '2', '3']);
    let time = 0;
    now.mockImplementation(() => (time += 0.6));
    push();
    work.pass();
    expect(taken).toEqual(['1', '2']);
    work.passAll();
    expect(taken).toEqual(['1', '2', '3']);
  } finally {
    now.mockRestore();
  }
});

test.each([
  ['lines', jsonl],
  ['measured frames', contentLength],
] as const)('a receiver that pauses within a portion can still recognise what comes behind: %s', (_, framing) => {
  const inlet = createFrameReader();
  const decoder = framing.decoder(inlet, { maxFrameBytes: 1000, isPaused: () => inlet.isPaused });
  const input = new PacedInput({ inlet, decode: (bytes) => decoder.push(bytes), roomy() {} });
  const taken: string[] = [];
  let offers = 0;
  inlet.open({
    recognise: () => {
      offers += 1;
      return null;
    },
    frame: ({ text }) => {
      taken.push(text);
      inlet.pause();
    },
    fault: ({ message }) => taken.push(message),
    end() {},
  });
  const lines = ['1', '22', '333', '4444'];
  input.push(Buffer.concat(lines.map((line) => bytesOf(framing.encode(line)))));
  for (const count of [1, 2, 3, 4]) {
    expect([taken, offers]).toEqual([lines.slice(0, count), count]);
    inlet.resume();
    input.resume();
  }
  expect(input.isEmpty).toBe(true);
});

test('what a receiver throws keeps nothing back: the rest comes, and the end behind it', () => {
  const failures: unknown[] = [];
  const { work, input, taken, calls, open } = opened(createSteppedWork(undefined, (thrown) => failures.push(thrown)));
  open();
  for (const name of ['one', 'two', 'three', 'four']) {
    input.add(1, () => {
      if (name === 'two' || name === 'four') throw name;
      taken.push(name);
    });
  }
  work.passAll();
  expect([taken, failures, calls]).toEqual([['one', 'three'], ['two', 'four'], ['emptied']]);
});

test('the source is to stop while more than the bound waits, and to go on below half of that', () => {
  const { work, input, calls, open } = opened();
  open();
  const chunk = Buffer.from(`${'x'.repeat(65_535)}\n`);
  const most = mostWaitingBytes / chunk.length;
  for (let count = 0; count < most; count += 1) input.push(chunk);
  expect(input.isFull).toBe(false);
  input.push(chunk);
  expect(input.isFull).toBe(true);
  while (input.isFull) work.pass();
  expect(calls).toEqual(['roomy']);
  work.passAll();
  expect(calls).toEqual(['roomy', 'emptied']);
});

test('nothing is taken before somebody listens, nor while he does not', () => {
  const { work, inlet, input, taken, open } = opened();
  input.push(Buffer.from('1\n'));
  work.passAll();
  expect(taken).toEqual([]);
  open();
  work.passAll();
  inlet.pause();
  input.push(Buffer.from('2\n'));
  work.passAll();
  expect(taken).toEqual(['1']);
  inlet.resume();
  input.resume();
  work.passAll();
  expect(taken).toEqual(['1', '2']);
});

test('what was forgotten is not taken, and the source may be read', () => {
  const { work, input, taken, calls, open } = opened();
  open();
  input.push(Buffer.alloc(mostWaitingBytes + 1, '\n'));
  expect(input.isFull).toBe(true);
  input.clear();
  work.passAll();
  expect([input.isFull, input.isEmpty, taken.length]).toEqual([false, true, 0]);
  expect(calls).toEqual(['roomy']);
});
