// record, replay, record, and both once more: the tapes hold the same bytes, in the same order. For the recordings that
// PATCHBAY_CORPUS and PATCHBAY_CORPUS_ACP name; test/tape/round-trip.test.ts has the fixtures.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { type LoadedTape, loadTape } from '../../src/tape/loaded.ts';
import { createPlayer } from '../../src/tape/player.ts';
import { bytesOf, type TapeFrame } from '../../src/tape/reader.ts';
import { createRecorder } from '../../src/tape/recorder.ts';
import { rowText, type SpokenRow, wireBytes } from '../../src/tape/row.ts';

const corpora = [
  process.env.PATCHBAY_CORPUS ?? '../shared/corpus',
  process.env.PATCHBAY_CORPUS_ACP ?? '../shared/corpus-acp',
];

function tapesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.filter((name) => name.endsWith('.jsonl')).sort();
}

const loaded = (text: string, protocol?: string) => loadTape(text, { protocol, isByLength: (id) => id === 'eca' });

/** Plays the agent to the client of the same tape, and records both on their wire. Throws if one side waits for good. */
function recordedAgain({ frames, protocol, inputEndedAt, exit }: LoadedTape): string {
  let text = '';
  let clock = 0;
  const recorder = createRecorder({
    meta: protocol === null ? {} : { protocol },
    framing: frames.some(({ row }) => row.frame === 'content-length') ? 'content-length' : 'lines',
    now: () => clock,
    write: (rows) => {
      text += rows;
    },
  });
  const player = createPlayer(frames, { side: 'agent', speed: Number.POSITIVE_INFINITY, match: 'strict' });
  const byNumber = new Map(frames.map((frame) => [frame.number, frame]));
  const heard = (dir: TapeFrame['dir'], bytes: Buffer) => {
    clock += 1;
    // A wire gives its bytes in any pieces.
    const half = bytes.length >> 1;
    recorder.heard(dir, bytes.subarray(0, half));
    recorder.heard(dir, bytes.subarray(half));
  };
  for (;;) {
    const next = player.next(clock);
    if (next.type === 'over') break;
    if (next.type === 'wait') throw new Error('nothing waits at this speed');
    if (next.type === 'send') heard(next.dir, next.bytes);
    else {
      const frame = byNumber.get(next.number);
      if (frame === undefined) throw new Error('a row is awaited that is not on the tape');
      heard('in', wireBytes(frame.row));
      player.heard(frame.text, clock);
    }
  }
  if (player.departures(true).length > 0) throw new Error(JSON.stringify(player.departures(true)));
  if (inputEndedAt !== null) recorder.inputEnded();
  recorder.ended(exit ?? { code: 0, signal: null });
  return text;
}

const said = ({ frames }: LoadedTape) =>
  frames.map(({ row: { dir, line, b64, eol, header } }) => ({ dir, line, b64, eol, header }));
const dirs = ['in', 'out', 'err'] as const;

/** Whether the second tape has the rows of the first. The bytes have to be the same, and the third tape is the second. */
function hasSameRows(text: string): boolean {
  const first = loaded(text);
  const copy = loaded(recordedAgain(first));
  for (const dir of dirs) expect(bytesOf(copy, dir).equals(bytesOf(first, dir))).toBe(true);
  expect(said(loaded(recordedAgain(copy)))).toEqual(said(copy));
  return isDeepStrictEqual(said(copy), said(first));
}

/**
 * A row of these holds a whole message with line ends in it: of a WebSocket, or an event of a stream. Between programs on stdio, where
 * tapes are played, a line end is the end of a row. The bytes are the same.
 */
const withLineEndsInside = [
  'claude-sdk/sdk-client-0.3.329/browser-sse.jsonl',
  'claude-sdk/sdk-client-0.3.329/browser-ws.jsonl',
  'pi-server/malformed.jsonl',
];

const recordings = corpora.flatMap((folder) => tapesIn(folder).map((name) => ({ folder, name })));

test.skipIf(recordings.length === 0)(
  'every recording (skipped where PATCHBAY_CORPUS and ../shared/corpus are absent)',
  () => {
    const others = recordings.filter(({ folder, name }) => !hasSameRows(readFileSync(path.join(folder, name), 'utf8')));
    console.log(`${recordings.length} recordings`);
    expect(others.map(({ name }) => name)).toEqual(
      withLineEndsInside.filter((name) => recordings.some((one) => one.name === name)),
    );
  },
);

test('a tape of every form of row', () => {
  const rows: readonly SpokenRow[] = [
    { dir: 'in', line: '{"id":1,"type":"prompt"}', eol: '\r\n' },
    { dir: 'err', line: 'a warning' },
    { dir: 'out', line: '\ufeff{"type":"a","text":"\u2028"}' },
    { dir: 'out', b64: Buffer.of(0xff, 0xfe, 0x80).toString('base64') },
    { dir: 'in', line: '' },
    { dir: 'out', line: '{"open', eol: '' },
  ];
  const framed: readonly SpokenRow[] = [
    { dir: 'in', line: '{"jsonrpc":"2.0","id":1,"method":"chat/prompt"}', frame: 'content-length' },
    {
      dir: 'out',
      line: '{"jsonrpc":"2.0","id":1,"result":"é"}',
      frame: 'content-length',
      header: 'content-length: 38\n\n',
    },
    { dir: 'out', line: 'no frame', frame: 'raw' },
  ];
  for (const one of [rows, framed]) expect(hasSameRows(one.map(rowText).join(''))).toBe(true);
});

test.each([
  ['acp', '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'],
  ['acp', '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'],
  ['acp', '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}'],
  ['eca', '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1}}'],
  ['eca', '{"jsonrpc":"2.0","id":0,"result":{}}'],
])('a tape is of %s: %s', (protocol, line) => {
  expect(loaded(rowText({ dir: 'in', line })).protocol).toBe(protocol);
});
