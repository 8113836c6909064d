// Checks of the shutdown of a server: docs/protocols/pi-server.md 12 and 16.2 (rows: 23.8, 23.9).
import { type Client, expect } from '../check-client.ts';
import type { PiServerRows } from '../context.ts';
import { dataOf } from '../view/frames.ts';

const untilFarewell = (client: Client) =>
  client.until('server_shutdown', (received) => received.find(({ frame }) => frame.type === 'server_shutdown'));

async function expectFarewell(client: Client): Promise<void> {
  const { frame } = await untilFarewell(client);
  const { reason, timeoutMs } = dataOf(frame);
  expect(typeof reason === 'string' && typeof timeoutMs === 'number', 'it must have reason and timeoutMs:', frame);
}

/** Rows 85 to 88. */
export const shutdownRows: PiServerRows = {
  '12-85': {
    section: '12',
    sentence: 'A server that is shutting down takes no commands, and has no lifecycle for them.',
    input: 'SIGTERM during a prompt, then a command',
    expected: 'failure "shutting down", no lifecycle',
    needs: { transport: 'websocket', exclusive: true, script: ['busy'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client } = place;
      const prompt = await context.busy(place);
      context.tools.terminate();
      await context.prepare(() => untilFarewell(client));
      const id = context.mint('late');
      await client.fails({ id, type: 'list_sessions' }, /shutting down/u);
      await client.until('end of the prompt', (received) => received.find(({ frame }) => frame.id === prompt));
      client.expectPhases(id);
    },
  },
  '16.2-86': {
    section: '16.2',
    sentence: 'The server says that it goes before it closes.',
    input: 'SIGTERM while nothing goes on, over WebSocket',
    expected: 'server_shutdown, close 1001, exit code 0',
    needs: { transport: 'websocket', exclusive: true },
    async run({ client: open, tools }) {
      const client = await open();
      tools.terminate();
      await expectFarewell(client);
      const reason = await client.until('close', () => client.connection.ended ?? undefined);
      expect(/\b1001\b/u.test(reason), 'the close code must be 1001:', reason);
      const exit = await tools.exit();
      expect(/code 0\b/u.test(exit), 'the exit code must be 0:', exit);
    },
  },
  '16.2-87': {
    section: '16.2',
    sentence: 'The server says that it goes on stdio as well.',
    input: 'SIGTERM on stdio',
    expected: 'server_shutdown on stdout',
    needs: { transport: 'stdio', exclusive: true },
    async run({ client: open, tools }) {
      const client = await open();
      await client.settled();
      tools.terminate();
      await expectFarewell(client);
    },
  },
  '16.2-88': {
    section: '16.2',
    isMeasured: true,
    level: 'MAY',
    sentence: 'What goes on when the server is told to stop may end.',
    input: 'SIGTERM during a prompt',
    expected: 'the prompt is answered before the close',
    needs: { transport: 'websocket', exclusive: true, script: ['busy'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client } = place;
      const prompt = await context.busy(place);
      context.tools.terminate();
      const frame = await client.response(prompt);
      expect(frame.success === true, 'the prompt must succeed:', frame);
      expect(
        client.received().some((one) => one.frame.type === 'server_shutdown'),
        'server_shutdown must come before',
      );
      await client.until('close', () => client.connection.ended ?? undefined);
    },
  },
};
