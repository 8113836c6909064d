// What clients of every dialect are told for the recordings of agents: by the library's translator.
import { conversationsIn, openTranslation } from './conversations.mjs';
import { dialectsOf } from './dialects.mjs';
import { bytesOf, createFrames } from './wire.mjs';
import { newWorld } from './world.mjs';

/** One output for each recording, session in it, and dialect; and what was noted beside. */
export function* translations(build, recordings) {
  const { adapters } = build;
  const frameOf = createFrames(build);
  for (const recording of recordings) {
    for (const { name, lines, session } of conversationsIn(recording, adapters, frameOf)) {
      for (const dialect of dialectsOf(adapters)) {
        newWorld();
        const about = { protocol: recording.protocol, session, dialect };
        const told = lines.map((part) => translated(build, about, part.map(frameOf)));
        const of = `${name} | ${recording.protocol} | ${dialect.name}`;
        yield { kind: 'translation', of, text: told.map(({ frames }) => frames).join('') };
        yield { kind: 'translation-notes', of, text: told.map(({ notes }) => notes).join('') };
      }
    }
  }
}

function translated(build, about, frames) {
  const notes = [];
  const note = (level, text) => notes.push(`${level}: ${text}\n`);
  const translator = openTranslation(build, { ...about, note });
  const outs = [...frames.flatMap((frame) => translator.frame(frame)), ...translator.end()];
  return { frames: outs.map((out) => `${bytesOf(out)}\n`).join(''), notes: notes.join('') };
}
