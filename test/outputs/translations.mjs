// What clients of every dialect are told for the recordings of agents: by the library's translator.
import { dialectsOf } from './dialects.mjs';
import { agentSide, clientSide } from './sides.mjs';
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
        const told = lines.map((part) => translated(build, recording.protocol, session, dialect, part.map(frameOf)));
        const of = `${name} | ${recording.protocol} | ${dialect.name}`;
        yield { kind: 'translation', of, text: told.map(({ frames }) => frames).join('') };
        yield { kind: 'translation-notes', of, text: told.map(({ notes }) => notes).join('') };
      }
    }
  }
}

/**
 * What agents said, in lists of lines that belong together. Where one connection carries many sessions, each session of
 * each connection is a conversation of its own.
 */
function conversationsIn({ name, protocol, rows, frames }, adapters, frameOf) {
  if (protocol !== 'canonical' && agentSide(adapters.get(protocol)) === undefined) return [];
  if (frames !== undefined) return [{ name, lines: [...frames.map((frame) => [frame]), frames] }];
  const said = rows.filter(({ dir }) => dir === 'out');
  const { multiplexing } = agentSide(adapters.get(protocol)) ?? {};
  if (multiplexing === undefined) return said.length === 0 ? [] : [{ name, lines: [said.map(({ line }) => line)] }];
  return [...new Set(said.map(({ conn }) => conn))].flatMap((conn) => {
    const routed = said
      .filter((row) => row.conn === conn)
      .map(({ line }) => ({ line, to: multiplexing.route(frameOf(line)).name }));
    const sessions = [...new Set(routed.map(({ to }) => to))].filter((to) => to !== null);
    return (sessions.length === 0 ? ['none'] : sessions).map((session, index) => ({
      name: `${name} ${conn}/${index + 1}`,
      session,
      lines: [routed.filter(({ to }) => to === null || to === session).map(({ line }) => line)],
    }));
  });
}

function translated({ adapters, createTranslator }, protocol, session, { frontend, options, word }, frames) {
  let ids = 0;
  const env = { now: () => 0, id: (kind) => `${kind}-${++ids}` };
  const side = clientSide(adapters.get(frontend)).frontend(env, options);
  const backend =
    protocol === 'canonical' ? canonicalBackend : agentSide(adapters.get(protocol)).backend(env, {}, [], session);
  const notes = [];
  const translator = createTranslator({
    id: 'translation',
    epoch: '000000000000',
    place: '/home/user/project',
    backend,
    projection: (view) => side.projection(view, word),
    note: (level, text) => notes.push(`${level}: ${text}\n`),
  });
  const outs = [...frames.flatMap((frame) => translator.frame(frame)), ...translator.end()];
  return { frames: outs.map((out) => `${bytesOf(out)}\n`).join(''), notes: notes.join('') };
}

/** An agent whose lines are events of the model. */
const canonicalBackend = { decode: (frame) => [{ do: 'deliver', message: frame.json }], encode: () => [] };
