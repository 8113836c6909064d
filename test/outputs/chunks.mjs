// Recordings of agents as bytes that come in chunks, as a pipe brings them: in every size of chunk, every client must be told
// what it is told when each line is parsed on its own.
import { createHash } from 'node:crypto';
import { conversationsIn, openTranslation } from './conversations.mjs';
import { dialectsOf } from './dialects.mjs';
import { recordingsIn } from './recordings.mjs';
import { bytesOf, createFrames } from './wire.mjs';

/** Sizes of chunks, bytes: one read of a pipe, a size that cuts most lines somewhere else, and a cut at each byte. */
export const chunkSizes = [64 * 1024, 997, 1];

/**
 * One result for each conversation in the folder and each dialect of clients. `parsed` is the hash of what the client is told
 * and of what is noted, with each line parsed; `chunked` has the same hash by size of chunk. `together`: frames that left in
 * stretches.
 *
 * `parts` are the library and `streamFraming` of src/transports/framing. `only`: recordings whose names hold that word. `nth`:
 * one of so many translations is made.
 */
export function* chunked(parts, folder, { only = '', nth = 1 } = {}) {
  const { adapters } = parts;
  let count = 0;
  const frameOf = createFrames(parts);
  for (const recording of recordingsIn(folder).filter(({ name }) => name.includes(only))) {
    const { protocol } = recording;
    const framing = parts.streamFraming(adapters.get(protocol)?.framing.stdio ?? 'jsonl');
    for (const { name, lines, session } of conversationsIn(recording, adapters, frameOf)) {
      const spoken = lines.map((part) => part.filter((line) => line !== ''));
      for (const dialect of dialectsOf(adapters)) {
        count += 1;
        if (count % nth !== 0) continue;
        const of = `${name} | ${protocol} | ${dialect.name}`;
        const about = { protocol, session, dialect };
        const parsed = hashOf(spoken.flatMap((part) => told(parts, about, (to) => byLine(to, part.map(frameOf))).said));
        const streams = spoken.map((part) => Buffer.concat(part.map((line) => bytesOf(framing.encode(line)))));
        let together = 0;
        const bySize = chunkSizes.map((size) => {
          const passages = streams.map((bytes) => told(parts, about, (to) => byChunk(to, framing, bytes, size)));
          for (const passage of passages) together += passage.together;
          return [size, hashOf(passages.flatMap(({ said }) => said))];
        });
        yield { of, parsed, chunked: new Map(bySize), together };
      }
    }
  }
}

/** What a client is told, and what is noted, in their order. */
function told(parts, about, feed) {
  const said = [];
  let together = 0;
  const add = (outs) => said.push(...outs.map((out) => bytesOf(out).toString()));
  const translator = openTranslation(parts, {
    ...about,
    note: (level, text) => said.push(`${level}: ${text}`),
    stretch(earlier, { bytes }) {
      add(earlier);
      const lines = Buffer.from(bytes).toString().split('\n');
      lines.pop();
      together += lines.length;
      said.push(...lines);
    },
  });
  feed({ translator, add, fault: ({ message }) => said.push(`fault: ${message}`) });
  add(translator.end());
  return { said, together };
}

function byLine({ translator, add }, frames) {
  // What a dialect says at its beginning comes before the notes of the first frame.
  add(translator.take());
  for (const frame of frames) add(translator.frame(frame));
}

function byChunk({ translator, add, fault }, framing, bytes, size) {
  // A note about an accepted frame comes before the next output, as it does in a session: so nothing waits.
  const take = () => add(translator.take());
  const decoder = framing.decoder(
    {
      frame: (frame) => add(translator.frame(frame)),
      recognise(peek, start, end) {
        const match = translator.glance(peek, start, end);
        if (match === null) return null;
        const { next, ending, splice } = match;
        const accept = () => {
          match.accept();
          take();
        };
        return { next, ending, splice, accept };
      },
      takeBurst(peek, start, end, maxFrameBytes) {
        const next = translator.takeBurst(peek, start, end, maxFrameBytes);
        take();
        return next;
      },
      fault,
    },
    { maxFrameBytes: 64 * 1024 * 1024, reusedChunks: true },
  );
  // All chunks are read into one block, as pipes are; what still points into it shows.
  const block = Buffer.allocUnsafeSlow(Math.min(size, bytes.length));
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(block, 0, at, at + size);
    decoder.push(block.subarray(0, length));
    block.fill(0x58);
  }
  decoder.end();
}

const hashOf = (said) => createHash('sha256').update(JSON.stringify(said)).digest('hex');
