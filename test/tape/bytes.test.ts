// Bytes to tape and back: each file of the fixtures and of the recordings, in chunks of any size, and bytes that are no frames.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CutFraming, createCutter } from '../../src/tape/cutter.ts';
import { bytesOf, readTape } from '../../src/tape/reader.ts';
import { createRecorder } from '../../src/tape/recorder.ts';
import { rowText, spokenOf } from '../../src/tape/row.ts';

function tapeOf(bytes: Buffer, chunkBytes: number, framing: CutFraming = 'detect', rowBytes?: number): string {
  let text = '';
  const cutter = createCutter(
    framing,
    (frame) => {
      text += rowText({ dir: 'out', ...spokenOf(frame) });
    },
    rowBytes === undefined ? {} : { frameBytes: rowBytes },
  );
  for (let from = 0; from < bytes.length; from += chunkBytes) cutter.push(bytes.subarray(from, from + chunkBytes));
  cutter.end();
  return text;
}

const throughTape = (bytes: Buffer, chunkBytes: number, framing?: CutFraming, rowBytes?: number) =>
  bytesOf(readTape(tapeOf(bytes, chunkBytes, framing, rowBytes)), 'out');

function filesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
}

const header = (text: string) => Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);

test('every file of the fixtures, and of PATCHBAY_CORPUS if named', () => {
  const corpus = process.env.PATCHBAY_CORPUS;
  const files = [...filesIn('fixtures'), ...(corpus === undefined ? [] : filesIn(corpus))];
  expect(files.length).toBeGreaterThan(100);
  for (const file of files) {
    const bytes = readFileSync(file);
    for (const chunkBytes of [64 * 1024, 997])
      expect(throughTape(bytes, chunkBytes).equals(bytes), `${file} in chunks of ${chunkBytes}`).toBe(true);
  }
  console.log(`${files.length} files`);
});

const odd: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['a line without an end', Buffer.from('{"a":1}\n{"b"')],
  ['lines of Windows, and a lone CR', Buffer.from('{"a":1}\r\n\r\n\rx\r\n\r')],
  ['a byte order mark', Buffer.from('\ufeff{"a":1}\n\ufeff\n')],
  ['U+2028, NEL, NUL', Buffer.from('"\u2028\u0085\u0000"\n')],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0x0a, 0xc3, 0x0a, 0xed, 0xa0, 0x80, 0x0d, 0x0a, 0xc3])],
  ['frames of Content-Length', Buffer.concat([header('{"a":"ä"}'), header(''), header('{"b":\n2}')])],
  ['another header', Buffer.from('content-type: x\r\nCONTENT-LENGTH:  3\r\n\r\nabc')],
  ['a header of another kind of line end', Buffer.from('Content-Length: 3\n\nabc')],
  ['a frame that is cut', header('{"a":1}').subarray(0, 24)],
  ['a header that is cut', Buffer.from('Content-Len')],
  ['garbage between frames', Buffer.concat([header('{}'), Buffer.from('\x00\xff garbage\r\n\r\n'), header('{}')])],
  ['a header without an end', Buffer.from(`Content-Length: 1${' '.repeat(20_000)}`)],
];

describe.each(odd)('%s', (_name, bytes) => {
  test.each(['detect', 'lines', 'content-length'] as const)('%s', (framing) => {
    for (const chunkBytes of [1, 7, 4096]) {
      expect(throughTape(bytes, chunkBytes, framing)).toEqual(bytes);
      // Rows that are shorter than the lines.
      expect(throughTape(bytes, chunkBytes, framing, 3)).toEqual(bytes);
    }
  });
});

test('frames of Content-Length are rows with their body, and lines are rows without their end', () => {
  expect(readTape(tapeOf(header('{"a":1}'), 3)).frames[0]?.row).toEqual({
    dir: 'out',
    line: '{"a":1}',
    frame: 'content-length',
  });
  expect(tapeOf(Buffer.from('{"a":1}\r\n'), 3)).toBe('{"dir":"out","line":"{\\"a\\":1}","eol":"\\r\\n"}\n');
  expect(tapeOf(Buffer.from('{"a":1}\n'), 3)).toBe('{"dir":"out","line":"{\\"a\\":1}"}\n');
});

test('a recorder writes who and when, rows in the order in which they were whole, and the end', () => {
  let text = '';
  let ms = 1000;
  const recorder = createRecorder({
    meta: { protocol: 'pi', argv: ['pi'], startedAt: '2026-01-02T03:04:05.000Z' },
    framing: 'detect',
    now: () => ms,
    write: (rows) => {
      text += rows;
    },
  });
  recorder.heard('in', Buffer.from('{"type":"pro'));
  ms += 1.25;
  recorder.heard('err', Buffer.from('warning\nhal'));
  recorder.heard('in', Buffer.from('mpt"}\n'));
  ms += 2;
  recorder.heard('out', Buffer.from([0xff, 0x0a]));
  recorder.inputEnded();
  recorder.ended({ code: 0, signal: null });
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row)),
  ).toEqual([
    { dir: 'meta', v: 1, protocol: 'pi', argv: ['pi'], startedAt: '2026-01-02T03:04:05.000Z' },
    { dir: 'err', line: 'warning', at: 1.25 },
    { dir: 'in', line: '{"type":"prompt"}', at: 1.25 },
    { dir: 'out', b64: '/w==', at: 3.25 },
    { dir: 'end', of: 'in', at: 3.25 },
    { dir: 'err', line: 'hal', eol: '', at: 3.25 },
    { dir: 'exit', code: 0, signal: null, at: 3.25 },
  ]);
});
