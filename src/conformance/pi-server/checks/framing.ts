// Checks of the greeting and of frames: docs/protocols/pi-server.md 2.1, 3 and 16.1 (rows: 23.1).
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Settings } from '../../check/check.ts';
import { type Client, expect, expectFailure } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { dataOf, stepsOf } from '../view/frames.ts';

/** Large enough for the commands of a check, and too small for an oversized one. */
const smallFrames: Settings = { maxMessageBytes: 1000 };

/** Fails the peer unless it announces a version that 1.x clients understand. */
function expectGreeting(client: Client): void {
  const [first] = client.received();
  const data = dataOf(first?.frame ?? {});
  expect(first?.at === 0 && first.frame.type === 'server_ready', 'the first frame must be server_ready:', first?.frame);
  expect(typeof data.serverVersion === 'string' && data.serverVersion !== '', 'serverVersion must be a string:', data);
  expect(/^\d+\.\d+\.\d+/u.test(String(data.protocolVersion)), 'protocolVersion must be MAJOR.MINOR.PATCH:', data);
  const { transports } = data;
  const isList =
    Array.isArray(transports) && transports.length > 0 && transports.every((one) => typeof one === 'string');
  expect(isList, 'transports must be a list of names:', data);
}

/** Sends a frame that is no command and checks that the connection stays usable; returns the error. */
async function refuses(client: Client, text: string): Promise<string> {
  const frame = await client.say(text);
  const error = expectFailure(frame);
  expect(frame.id === undefined, 'the response must have no id:', frame);
  expect(frame.command === 'unknown', 'its command must be "unknown":', frame);
  await client.settled();
  return error;
}

async function refusesLong({ client: open }: CheckContext, text: string): Promise<void> {
  const client = await open();
  const rejected = async () => {
    const { commandsRejected } = dataOf(await client.succeeds({ type: 'get_metrics' }));
    return isDictionary(commandsRejected) ? Number(commandsRejected.messageSize) : Number.NaN;
  };
  const before = await rejected();
  const bytes = new TextEncoder().encode(text).length;
  const error = expectFailure(await client.say(text), /^Message size (?:\d+ )?exceeds limit 1000$/u);
  // The size may be missing: a server may discard an oversized frame before its end, and then does not know the size.
  const size = /\d+(?= exceeds)/u.exec(error)?.[0];
  expect(size === undefined || Number(size) === bytes, `the size is ${bytes} bytes, and not what it says:`, error);
  const after = await rejected();
  expect(after > before, 'commandsRejected.messageSize must count it:', before, after);
}

/** Rows 1 to 11. */
export const framingRows: PiServerRows = {
  '16.1-1': {
    section: '16.1',
    sentence: 'The server announces itself before any other message.',
    input: 'open a WebSocket',
    expected: 'first frame server_ready with serverVersion, protocolVersion, transports[]',
    needs: { transport: 'websocket' },
    async run({ connect }) {
      const client = await connect();
      await client.until('first frame', () => client.connection.log[0]);
      expectGreeting(client);
    },
  },
  '16.1-2': {
    section: '16.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'On stdio the server announces itself once.',
    input: 'start it on stdio, send two commands',
    expected: 'first line server_ready, and no other one',
    needs: { transport: 'stdio', exclusive: true },
    async run({ connect }) {
      const client = await connect();
      await client.until('first line', () => client.connection.log[0]);
      expectGreeting(client);
      await client.settled();
      await client.settled();
      const greetings = client.received().filter(({ frame }) => frame.type === 'server_ready');
      expect(greetings.length === 1, 'server_ready must come once, and came', greetings.length);
    },
  },
  '3.1-4': {
    section: '3.1',
    sentence: 'Every line on stdout is one JSON object.',
    input: 'good and bad commands on stdio, then SIGTERM',
    expected: 'every line to the end parses as one JSON object',
    needs: { transport: 'stdio', exclusive: true },
    async run({ client: open, tools, session }) {
      const client = await open();
      await session(client);
      await client.say('{bad json');
      await client.ask({ type: 'nope' });
      tools.terminate();
      await tools.exit();
      const wrong = client.connection.log.find(({ by, json }) => by === 'peer' && !isDictionary(json));
      expect(wrong === undefined, 'no JSON object:', wrong?.text);
    },
  },
  '3.1-5': {
    section: '3.1',
    sentence: 'A frame holds exactly one JSON object.',
    input: 'two objects in one frame',
    expected: 'one failure response, nothing executed',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const [one, two] = [mint('one'), mint('two')];
      const named = (id: string) => JSON.stringify({ id, type: 'set_session_name', sessionId: session, name: 'never' });
      await refuses(client, `${named(one)}${named(two)}`);
      const steps = [one, two].flatMap((id) => stepsOf(client.received(), id));
      expect(steps.length === 0, 'nothing may be executed:', steps);
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      expect(dataOf(state).sessionName !== 'never', 'the name must not have changed:', state);
    },
  },
  '3.1-6': {
    section: '3.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'There are no batches.',
    input: '[{"type":"list_sessions"}]',
    expected: 'failure, command "unknown"',
    async run({ client: open }) {
      const client = await open();
      await refuses(client, '[{"type":"list_sessions"}]');
    },
  },
  '3.2-7': {
    section: '3.2',
    level: 'MAY',
    sentence: 'Malformed JSON is answered with a failure.',
    input: '{bad json',
    expected: 'failure response without id, command "unknown", connection stays open',
    async run({ client: open }) {
      const client = await open();
      await refuses(client, '{bad json');
    },
  },
  '3.2-8': {
    section: '3.2',
    level: 'MAY',
    sentence: 'JSON that is no object is answered with a failure.',
    input: 'null / 42 / "x"',
    expected: 'failure response each, connection stays open',
    async run({ client: open }) {
      const client = await open();
      for (const text of ['null', '42', '"x"']) await refuses(client, text);
    },
  },
  '3.2-9': {
    section: '3.2',
    level: 'MAY',
    sentence: 'A message over the size limit is answered with a failure.',
    input: 'message over the limit',
    expected: 'failure "Message size N exceeds limit M", next command works, commandsRejected.messageSize +1',
    needs: { settings: smallFrames },
    run: (context) => refusesLong(context, JSON.stringify({ type: 'health_check', padding: 'x'.repeat(1200) })),
  },
  '3.2-10': {
    section: '3.2',
    isMeasured: true,
    level: 'MAY',
    sentence: 'The size of a message is counted in bytes.',
    input: '600 two-byte characters against a limit of 1000 bytes',
    expected: 'rejected',
    needs: { settings: smallFrames },
    run: (context) => refusesLong(context, JSON.stringify({ type: 'health_check', padding: 'é'.repeat(600) })),
  },
  '3.2-11': {
    section: '3.2',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A binary WebSocket message is read as text.',
    input: 'binary WebSocket message',
    expected: 'treated as text',
    needs: { transport: 'websocket', binary: true },
    async run({ client: open, mint }) {
      const client = await open();
      const id = mint('binary');
      client.connection.sendBinary?.(JSON.stringify({ id, type: 'list_sessions' }));
      const frame = await client.until(
        'response',
        (received) => received.find((one) => one.frame.type === 'response')?.frame,
      );
      expect(frame.id === id && frame.success === true, 'it must be executed:', frame);
    },
  },
};
