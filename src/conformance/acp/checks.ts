// Checks of raw bytes and of the end of a process (docs/protocols/acp.md 1.1, 1.3), which no recording shows.
import { NotApplicable } from '../check/check.ts';
import { setup } from '../check/rule.ts';
import { type AcpCheck, type Client, message } from './context.ts';
import { nowhere } from './words.ts';

/** A request that every agent answers, as one line. */
const line = (id: string): string =>
  message({ id, method: 'session/set_mode', params: { sessionId: nowhere, modeId: 'conformance' } });

/** A function that writes raw bytes. */
function rawOf({ connection }: Client): (text: string) => void {
  const { sendRaw } = connection;
  if (sendRaw === undefined) throw new NotApplicable('bytes cannot be sent as they stand');
  return (text) => sendRaw.call(connection, text);
}

/** A pause after which a reader has received the earlier bytes separately, ms. */
const apartMs = 50;

type Pause = (ms: number) => Promise<void>;

/** Writes to a greeted agent and waits until every request is answered. */
function writes(
  id: string,
  of: Pick<AcpCheck, 'level' | 'basis' | 'sentence' | 'input' | 'section'>,
  write: (raw: (text: string) => void, pause: Pause) => Promise<readonly string[]>,
): AcpCheck {
  return {
    id,
    expected: 'each request in it is answered under its id',
    covers: [],
    needs: { raw: true, exclusive: true },
    ...of,
    async run({ client: greet, tools }) {
      const client = await greet();
      const ids = await write(rawOf(client), (ms) => tools.pause(ms));
      for (const one of ids) await client.answer(one);
    },
  };
}

/** All checks that act. */
export const checks: readonly AcpCheck[] = [
  writes(
    'acp/lines-in-one-write',
    {
      section: '1.1',
      level: 'MUST',
      basis: 'specification',
      sentence: 'Several lines may come at once.',
      input: 'three requests in one write',
    },
    async (raw) => {
      const ids = ['one', 'two', 'three'];
      raw(ids.map((id) => `${line(id)}\n`).join(''));
      return ids;
    },
  ),
  writes(
    'acp/line-in-pieces',
    {
      section: '1.1',
      level: 'MUST',
      basis: 'specification',
      sentence: 'A line may come in pieces.',
      input: 'a request in three writes, with pauses',
    },
    async (raw, pause) => {
      const text = line('pieces');
      for (const piece of [text.slice(0, 7), text.slice(7, 30), `${text.slice(30)}\n`]) {
        raw(piece);
        await pause(apartMs);
      }
      return ['pieces'];
    },
  ),
  writes(
    'acp/blank-lines',
    {
      section: '1.3',
      level: 'SHOULD',
      basis: 'measured',
      sentence: 'Empty lines are passed over.',
      input: 'empty lines before and behind a request',
    },
    async (raw) => {
      raw(`\n\n${line('blank')}\n\n${line('behind')}\n`);
      return ['blank', 'behind'];
    },
  ),
  {
    id: 'acp/input-ends',
    section: '1.1',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'The end of its input ends the agent.',
    covers: [],
    input: 'initialize, then the end of the input',
    expected: 'the process ends',
    needs: { transport: 'stdio', exclusive: true },
    async run({ client: greet, tools }) {
      const client = await greet();
      const { endInput } = client.connection;
      if (endInput === undefined) throw new NotApplicable('the input cannot be ended');
      endInput.call(client.connection);
      await tools.exit();
    },
  },
  {
    id: 'acp/terminated',
    section: '1.1',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'SIGTERM ends the agent.',
    covers: [],
    input: 'initialize, then SIGTERM',
    expected: 'the process ends',
    needs: { transport: 'stdio', exclusive: true },
    async run({ client: greet, tools }) {
      await setup(greet);
      tools.terminate();
      await tools.exit();
    },
  },
];
