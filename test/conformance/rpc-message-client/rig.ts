// A correct front end of rpc-message, like that of the RpcMessage project; we have no backend of this dialect.
import type { Result } from '../../../src/conformance/check/check.ts';
import { createClientRun } from '../../../src/conformance/runner/client-runner.ts';
import { watchChannel } from '../../../src/conformance/runner/connection.ts';
import type { Channel } from '../../../src/core/contract/channel.ts';
import { isDictionary } from '../../../src/core/model/dictionary.ts';
import { memoryPair } from '../../../src/transports/memory.ts';
import type { ClientRig } from '../support/client-rig.ts';

/** Connects, changes the settings, queries and disconnects. */
async function runClient(channel: Channel, behaviour: string, patienceMs: number): Promise<void> {
  const connection = watchChannel(channel, { patienceMs });
  let count = 0;
  function ask(method: string, params?: unknown): string {
    count += 1;
    const id = `req-${count}`;
    connection.send(JSON.stringify({ id, method, ...(params === undefined ? {} : { params }) }));
    return id;
  }
  const until = (id: string, fits: (frame: Record<string, unknown>) => boolean) =>
    connection.until(id, () =>
      connection.log.find(({ by, json }) => by === 'peer' && isDictionary(json) && json.id === id && fits(json)),
    );
  const answered = (id: string) => until(id, (frame) => 'result' in frame);
  try {
    await answered(ask('connect', {}));
    await answered(ask('setModel', 'conformance-1'));
    await answered(ask('setPermissionMode', { mode: 'default' }));
    const words = `[[${behaviour}]] please`;
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } };
    const content = [{ type: 'text', text: words }, picture];
    const query = behaviour === 'text' ? ask('queryWithContent', { content }) : ask('query', { message: words });
    if (behaviour === 'endless') {
      await until(query, ({ type }) => type === 'stream');
      await answered(ask('interrupt'));
    }
    await until(query, ({ type }) => type === 'complete');
    await answered(ask('getHistory'));
    await answered(ask('disconnect'));
  } catch {
    // A query of a mutant may never be answered.
  }
  await connection.close();
}

/** Each behaviour runs on a connection of its own. */
export const frontEnd: ClientRig = {
  async run(
    set,
    {
      behaviours = set.behaviours.map(({ name }) => name),
      through = (channel: Channel) => channel,
      patienceMs = 10_000,
    } = {},
  ) {
    const run = createClientRun(set, { patienceMs });
    const talks = behaviours.map(async (behaviour): Promise<void> => {
      const [agent, client] = memoryPair();
      const taken = run.serve(through(agent));
      await runClient(client, behaviour, patienceMs);
      await taken;
    });
    await Promise.all(talks);
    const results: readonly Result[] = run.results();
    return results;
  },
};
