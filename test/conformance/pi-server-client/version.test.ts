// The check that needs two connections of one client: a client that is greeted with an incompatible version sends
// nothing.
import { describe, expect, test } from 'vitest';
import { piServerClient } from '../../../src/conformance/pi-server/client.ts';
import { createClientRun } from '../../../src/conformance/runner/client-runner.ts';
import { watchChannel } from '../../../src/conformance/runner/connection.ts';
import { isDictionary } from '../../../src/core/model/dictionary.ts';
import { memoryPair } from '../../../src/transports/memory.ts';

/** Requests a server of another version and connects to it; `then` is the client's reaction. */
async function verdict(then: (send: (command: object) => void) => void): Promise<string | undefined> {
  const run = createClientRun(piServerClient, { patienceMs: 2000 });
  function connect() {
    const [agent, client] = memoryPair();
    const taken = run.serve(agent);
    const connection = watchChannel(client, { patienceMs: 5000 });
    const until = (label: string, fits: (frame: Record<string, unknown>) => boolean) =>
      connection.until(label, () =>
        connection.log.map(({ json }) => json).find((json) => isDictionary(json) && fits(json)),
      );
    return { connection, taken, until, send: (command: object) => connection.send(JSON.stringify(command)) };
  }
  const first = connect();
  first.send({ id: '1', type: 'create_session', sessionId: 's' });
  first.send({ id: '2', type: 'prompt', sessionId: 's', message: '[[incompatible]]' });
  await first.until('answer', ({ id }) => id === '2');
  await first.connection.close();
  await first.taken;
  const second = connect();
  const ready = await second.until('greeting', ({ type }) => type === 'server_ready');
  expect(JSON.stringify(ready)).toContain('"protocolVersion":"2.0.0"');
  then(second.send);
  await second.connection.close();
  await second.taken;
  return run.results().find(({ id }) => id === 'pi-server/client/version-checked')?.verdict;
}

describe('a server of another major version', () => {
  test('a client that disconnects passes', async () => expect(await verdict(() => {})).toBe('passed'));
  test('a client that sends a command fails', async () =>
    expect(await verdict((send) => send({ id: '3', type: 'list_sessions' }))).toBe('failed'));
});
