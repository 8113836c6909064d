// Bursts, and dialects that take them or not, for sessions whose agents speak in bursts.
import type { BurstProjection, Projection, SessionView } from '../../../src/core/contract/adapter.ts';
import type { Stretch, StretchPart } from '../../../src/core/contract/stretch.ts';
import { createMould, type FrameMould, writeStretch } from '../../../src/core/fast-path/stretch-writer.ts';
import type { Burst } from '../../../src/core/model/burst.ts';
import type { Logged } from '../../../src/core/model/event.ts';

const utf8 = new TextEncoder();

/** The deltas as a burst. None of them may need a `\u` escape. */
export function burstOf(deltas: readonly string[], index = 0, extra?: Burst['extra']): Burst {
  const raws = deltas.map((delta) => utf8.encode(JSON.stringify(delta).slice(1, -1)));
  const ends = Int32Array.from(raws, (_, place) => raws.slice(0, place + 1).reduce((sum, raw) => sum + raw.length, 0));
  const length = ends.at(-1) ?? 0;
  const bytes = new Uint8Array(length);
  for (const [place, raw] of raws.entries()) bytes.set(raw, (ends[place] ?? 0) - raw.length);
  const text = deltas.join('');
  return { index, extra, count: deltas.length, text, bytes, ends, isAscii: isAscii(bytes) };
}

const digitsOf = (seq: number) => (seq % 4096).toString(16).padStart(3, '0');
const frameOf = (seq: number, json: string) =>
  `{"delta":${json},"high":${Math.floor(seq / 4096)},"low":"${digitsOf(seq)}"}`;

function mouldAt(seq: number): FrameMould {
  const middle = `","high":${Math.floor(seq / 4096)},"low":"`;
  const mould = createMould({ head: '{"delta":"', middle, tail: '"}', first: 'delta' });
  if (mould === null) throw new Error('not ASCII');
  return mould;
}

const bursts: BurstProjection = {
  takes: () => true,
  write: (burst, seq, from, to) => writeStretch(burst, seq, [from, to], mouldAt),
};

const deltaFrames = ({ seq, event }: Logged) => [
  event.type === 'block-delta' ? frameOf(seq, JSON.stringify(event.delta)) : JSON.stringify({ event: event.type }),
];

/** One frame for each event, and all frames of a burst at once. */
export const takingProjection = (): Projection => ({ bursts, event: deltaFrames });

/** The same frames, each by itself. */
export const singleProjection = (): Projection => ({ event: deltaFrames });

/** Each frame shows how long the open message is, as the transcript has it. Merges deltas if `mergesDeltas`. */
export const growingProjection =
  (mergesDeltas: boolean) =>
  ({ transcript }: SessionView): Projection => ({
    mergesDeltas,
    event: ({ seq, event }) => {
      const text = transcript.open.get('')?.blocks.at(-1)?.text ?? '';
      return [JSON.stringify({ seq, event: event.type, last: transcript.lastSeq, text })];
    },
  });

/** The frames as a stretch. */
export function stretchOf(frames: readonly string[]): Stretch {
  const bytes = utf8.encode(frames.map((frame) => `${frame}\n`).join(''));
  const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at] : []));
  return { bytes, ends: Int32Array.from(ends), isAscii: isAscii(bytes) };
}

const isAscii = (bytes: Uint8Array) => bytes.every((byte) => byte < 0x80);

/** The frames of a part of a stretch as text. */
export function partTexts({ stretch, from, to }: StretchPart): string[] {
  const lines = new TextDecoder().decode(stretch.bytes).split('\n');
  return lines.slice(from, to);
}
