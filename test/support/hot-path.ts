// The same bytes through the gateway's own pipeline twice: with glances, and with every frame cut out and parsed.
import { adapters, createTranslator } from '../../src/index.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { jsonlDecoder } from '../../src/transports/framing/jsonl.ts';

/** What one run gave. */
export interface Passage {
  /** The frames for the client, and what was noted, in order. */
  readonly said: string[];
  /** Frames that were recognised without being parsed. */
  readonly glanced: number;
}

/** How the bytes come. */
export interface PassageOptions {
  readonly from: string;
  readonly to: string;
  readonly glances: boolean;
  readonly maxFrameBytes?: number;
  /** All chunks are read into one block that is overwritten, as `translate` does. */
  readonly reusedChunks?: boolean;
}

/** Sends the chunks through decoder, backend, repair, fold and projection. */
export function pass(chunks: readonly Buffer[], options: PassageOptions): Passage {
  const { from, to, glances, maxFrameBytes = 1 << 20, reusedChunks = false } = options;
  let ids = 0;
  let glanced = 0;
  const said: string[] = [];
  const env = { now: () => 0, id: (kind: string) => `${kind}-${++ids}` };
  const backend = adapters.get(from)?.backend?.(env, {});
  const projection = adapters.get(to)?.frontend?.(env, {}).projection;
  if (backend === undefined || projection === undefined) throw new Error(`no translation from ${from} to ${to}`);
  const translator = createTranslator({
    id: 'trace',
    epoch: '000000000000',
    backend,
    projection,
    note: (level, text) => said.push(`${level}: ${text}`),
  });
  const collect = () => translator.take().forEach((out) => void said.push(bytesOf(out).toString()));
  const decoder = jsonlDecoder(
    {
      frame(frame) {
        collect();
        for (const out of translator.frame(frame)) said.push(bytesOf(out).toString());
      },
      fault: ({ code }) => void said.push(`fault ${code}`),
      ...(glances
        ? {
            glance(glimpse, start, end) {
              const glance = translator.glance(glimpse, start, end);
              if (glance === null) return null;
              return {
                next: glance.next,
                ending: glance.ending,
                seam: glance.seam,
                accept() {
                  glanced += 1;
                  glance.accept();
                  collect();
                },
              };
            },
          }
        : {}),
    },
    { maxFrameBytes, reusedChunks },
  );
  const block = Buffer.alloc(Math.max(1, ...chunks.map((chunk) => chunk.length)));
  for (const chunk of chunks) {
    if (!reusedChunks) {
      decoder.push(chunk);
      continue;
    }
    chunk.copy(block);
    decoder.push(block.subarray(0, chunk.length));
    block.fill(0x58);
  }
  decoder.end();
  for (const out of translator.end()) said.push(bytesOf(out).toString());
  return { said, glanced };
}

/** The bytes in chunks of these lengths, again and again. */
export function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const length = Math.max(1, lengths[turn % Math.max(1, lengths.length)] ?? bytes.length);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
