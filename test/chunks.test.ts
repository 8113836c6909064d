// The chunks in which an agent's bytes are read change nothing: every recording of fixtures/, for every dialect of clients.
import { expect, test } from 'vitest';
import { adapters, createTranslator, GatewayError } from '../src/index.ts';
import type { Framing } from '../src/transports/framing/framing.ts';
import { streamFraming } from '../src/transports/framing/framings.ts';
import { chunked, chunkSizes } from './outputs/chunks.mjs';
import { isFull } from './support/full.ts';

const parts = { adapters, createTranslator, GatewayError, streamFraming };

/** Those whose hash is another in chunks of that size than with each line parsed. */
function differing(size: number, results: ReturnType<typeof chunked>): string[] {
  return [...results].filter(({ parsed, chunked }) => chunked.get(size) !== parsed).map(({ of }) => of);
}

test('Chunks of 64 KiB, of 997 bytes and of 1 byte give what the parsed lines give', () => {
  // A number that shares no divisor with the number of dialects: each dialect gets its part of the recordings.
  const results = [...chunked(parts, 'fixtures', { nth: isFull ? 1 : 11 })];
  expect(results.length).toBeGreaterThan(70);
  for (const size of chunkSizes) expect([size, ...differing(size, results)]).toEqual([size]);
  // Otherwise bursts would not be compared.
  expect(results.reduce((sum, { together }) => sum + together, 0)).toBeGreaterThan(5);
});

test('A decoder that forgets the line which a chunk has cut is noticed', () => {
  const forgetful = (framing: Framing): Framing => ({
    ...framing,
    decoder(sink, options) {
      const decoder = framing.decoder(sink, options);
      return {
        ...decoder,
        push(chunk) {
          const taken = decoder.push(chunk);
          decoder.end();
          return taken;
        },
      };
    },
  });
  const broken = { ...parts, streamFraming: (name: Framing['name']) => forgetful(streamFraming(name)) };
  const results = [...chunked(broken, 'fixtures', { only: 'scenarios/text/pi.jsonl' })];
  expect(results.length).toBeGreaterThan(8);
  expect(differing(64 * 1024, results)).toEqual([]);
  for (const size of [997, 1]) expect(differing(size, results)).toHaveLength(results.length);
});
