// Bursts, and dialects that take them or not, for sessions whose agents speak in bursts.
import type { BurstProjection, Projection, SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Stretch, StretchPart } from '../../../src/core/contract/stretch.ts';
import { type AsideMould, createAsideMould, writeMixedStretch } from '../../../src/core/fast-path/mixed-stretch.ts';
import { createMould, type FrameMould, writeStretch } from '../../../src/core/fast-path/stretch-writer.ts';
import type { Asides, Burst } from '../../../src/core/model/burst.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
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
  return { index, extra, count: deltas.length, text, bytes, ends, surplus: surplusOf(bytes, ends) };
}

const payload = { note: 'n', count: 0, id: '', more: [1] };

/** The burst with an aside before each delta. */
export function withAsides(burst: Burst): Burst & { readonly asides: Asides } {
  const values = Array.from({ length: burst.count }, (_, place) => [String(place * 7), `"id-${place}"`]).flat();
  const ends = Int32Array.from(values, (_, place) => values.slice(0, place + 1).join('').length);
  const asides = { protocol: 'p', payload, fields: ['count', 'id'], bytes: utf8.encode(values.join('')), ends };
  return { ...burst, asides };
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

/** The field `id` has no place in the frame. */
function asideMouldAt(seq: number): AsideMould {
  const texts = ['{"count":', `,"high":${Math.floor(seq / 4096)},"low":"`, '"}'];
  const mould = createAsideMould(texts, [0, 'digits']);
  if (mould === null) throw new Error('not ASCII');
  return mould;
}

const bursts: BurstProjection = {
  takesAsides: true,
  takes: () => true,
  write(burst, seq, from, to) {
    const { asides } = burst;
    if (asides === undefined) return writeStretch(burst, seq, [from, to], mouldAt);
    const mouldsAt = (number: number) => ({ delta: mouldAt(number), aside: asideMouldAt(number) });
    return writeMixedStretch({ ...burst, asides }, seq, [from, to], mouldsAt);
  },
};

function deltaFrames({ seq, event }: Logged): string[] {
  if (event.type === 'block-delta') return [frameOf(seq, JSON.stringify(event.delta))];
  if (event.type !== 'unknown') return [JSON.stringify({ event: event.type })];
  const { count } = dictionaryOf(event.payload);
  return [JSON.stringify({ count, high: Math.floor(seq / 4096), low: digitsOf(seq) })];
}

/** As {@link takingProjection}, but bursts with asides go one by one. */
export const deltasOnlyProjection = (): Projection => ({
  bursts: { takes: () => true, write: (burst, seq, from, to) => writeStretch(burst, seq, [from, to], mouldAt) },
  event: deltaFrames,
});

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
  const ends = Int32Array.from([...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at] : [])));
  return { bytes, ends, surplus: surplusOf(bytes, ends) };
}

/** See {@link Stretch.surplus}, by what a decoder makes of the bytes. */
export function surplusOf(bytes: Uint8Array, ends: Int32Array): Int32Array | null {
  if (bytes.every((byte) => byte < 0x80)) return null;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return ends.map((end) => end - decoder.decode(bytes.subarray(0, end)).length);
}

/** The frames of a part of a stretch as text. */
export function partTexts({ stretch, from, to }: StretchPart): string[] {
  const lines = new TextDecoder().decode(stretch.bytes).split('\n');
  return lines.slice(from, to);
}
