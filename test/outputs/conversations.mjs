// What recorded agents said, one conversation each, and the translation that each of them goes through.
import { agentSide, clientSide } from './sides.mjs';

/**
 * What agents said, in lists of lines that belong together. Where one connection carries many sessions, each session of
 * each connection is a conversation of its own.
 */
export function conversationsIn({ name, protocol, rows, frames }, adapters, frameOf) {
  if (protocol !== 'events' && agentSide(adapters.get(protocol)) === undefined) return [];
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

/** A fresh translation from an agent of that protocol to a client of that dialect. `ports`: see TranslatorPorts. */
export function openTranslation({ adapters, createTranslator }, { protocol, session, dialect, ...ports }) {
  let ids = 0;
  const { frontend, options, word } = dialect;
  const env = { now: () => 0, id: (kind) => `${kind}-${++ids}` };
  const side = clientSide(adapters.get(frontend)).frontend(env, options);
  const backend =
    protocol === 'events' ? eventsBackend : agentSide(adapters.get(protocol)).backend(env, {}, [], session);
  return createTranslator({
    id: 'translation',
    epoch: '000000000000',
    place: '/home/user/project',
    backend,
    projection: (view) => side.projection(view, word),
    ...ports,
  });
}

/** An agent whose lines are events of the model. */
const eventsBackend = { decode: (frame) => [{ do: 'deliver', message: frame.json }], encode: () => [] };
