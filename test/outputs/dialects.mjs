// The dialects of each protocol of clients, as the options that a client may set.
import { clientSide } from './sides.mjs';

/** Absent: the protocol has one dialect. */
const options = {
  pi: [{}, { dialect: 'delta-only' }],
  'pi-server': [{}, { dialect: '2.2' }],
  claude: [{}, { partialMessages: 'false' }, { replayUserMessages: 'true', agentSessionId: 'true' }],
  'rpc-message': [{}, { partialMessages: 'false' }],
};

/** What a connection may have learned of its client; see FrontendSide.projection. Absent: nothing. */
const learned = { eca: [undefined, 'streams-asks-inchat'] };

/** Every dialect of a build, as a client is told things. */
export function dialectsOf(adapters) {
  return clientsOf(adapters).flatMap((client) =>
    (learned[client.frontend] ?? [undefined]).map((word) => ({
      ...client,
      word,
      name: word === undefined ? client.name : `${client.name} ${word}`,
    })),
  );
}

/** Every kind of client of a build, by its options. */
export function clientsOf(adapters) {
  const frontends = [...adapters.values()].filter((adapter) => clientSide(adapter) !== undefined);
  return frontends.flatMap(({ id }) =>
    (options[id] ?? [{}]).map((chosen) => ({
      frontend: id,
      options: chosen,
      name: [id, ...Object.entries(chosen).map(([key, value]) => `${key}=${value}`)].join(' '),
    })),
  );
}
