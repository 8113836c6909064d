// Checks of the command envelope: docs/protocols/pi-server.md 4 (rows: 23.2).
import type { Dictionary } from '../../../core/model/content.ts';
import { expect, expectFailure } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { dataOf, stepsIn } from '../view/frames.ts';

const long = 'x'.repeat(257);

/** Sends each command with these fields on a session of its own. All must be refused, without a lifecycle. */
async function refusesFields(
  { clientWithSession }: CheckContext,
  all: readonly Dictionary[],
  words: RegExp,
): Promise<void> {
  const { client, session } = await clientWithSession();
  const from = client.now;
  for (const fields of all) {
    const text = JSON.stringify({ type: 'get_state', sessionId: session, ...fields });
    const frame = await client.say(text);
    const error = expectFailure(frame);
    expect(words.test(error), `${text} must be refused with an error that matches ${words}:`, error);
  }
  await client.settled();
  const steps = stepsIn(client.received(from)).filter(({ data }) => data.sessionId === session);
  expect(steps.length === 0, 'what is refused before admission must have no lifecycle:', steps);
}

/** Rows 12 to 20. */
export const validationRows: PiServerRows = {
  '4-12': {
    section: '4',
    sentence: 'A command has a type.',
    input: '{}',
    expected: 'failure',
    async run({ client: open }) {
      const client = await open();
      expectFailure(await client.say('{}'));
      await client.settled();
    },
  },
  '4-13': {
    section: '4',
    sentence: 'The type is a string, and so is the command of each response.',
    input: '{"type":5}',
    expected: 'failure; response.command is a string',
    async run({ client: open }) {
      const client = await open();
      const frame = await client.say('{"type":5}');
      expectFailure(frame);
      expect(typeof frame.command === 'string', 'command must be a string:', frame);
    },
  },
  '4.2-14': {
    section: '4.2',
    sentence: 'An unknown command fails, and has no lifecycle.',
    input: '{"id":"u1","type":"nope"}',
    expected: 'failure "Unknown command type", id u1, no lifecycle',
    async run({ client: open, mint }) {
      const client = await open();
      for (const type of ['nope', 'constructor', '__proto__']) {
        const id = mint('unknown');
        await client.fails({ id, type }, /Unknown command type/u);
        await client.settled();
        client.expectPhases(id);
      }
    },
  },
  '4.2-15': {
    section: '4.2',
    sentence: 'All that is wrong with a command is told at once.',
    input: 'prompt without sessionId and message',
    expected: 'one failure that lists both fields, no lifecycle',
    async run({ client: open, mint }) {
      const client = await open();
      const id = mint('prompt');
      const error = await client.fails({ id, type: 'prompt' });
      expect(/sessionId/u.test(error) && /message/u.test(error), 'both fields must be named:', error);
      await client.settled();
      client.expectPhases(id);
    },
  },
  '4.2-16': {
    section: '4.2',
    sentence: 'The id is a string, not empty, and not one of the server.',
    input: 'id "" / "  " / 7 / 257 characters / anon:1',
    expected: 'failure each, no lifecycle',
    run: (context) =>
      refusesFields(context, [{ id: '' }, { id: '  ' }, { id: 7 }, { id: long }, { id: 'anon:1' }], /id/u),
  },
  '4.2-17': {
    section: '4.2',
    sentence: 'The idempotencyKey is a string and not empty.',
    input: 'idempotencyKey "" / 5 / 257 characters',
    expected: 'failure each, no lifecycle',
    run: (context) =>
      refusesFields(
        context,
        [{ idempotencyKey: '' }, { idempotencyKey: 5 }, { idempotencyKey: long }],
        /idempotencyKey/u,
      ),
  },
  '4.2-18': {
    section: '4.2',
    sentence: 'dependsOn is a list of ids, and its command has an id.',
    input: 'dependsOn "x" / [1,""] / 33 items / without id',
    expected: 'failure each, no lifecycle',
    async run(context) {
      const many = Array.from({ length: 33 }, (_, index) => `d${index}`);
      const id = context.mint('depends');
      const wrong = ['x', [1, ''], many].map((dependsOn) => ({ id, dependsOn }));
      await refusesFields(context, [...wrong, { dependsOn: ['a'] }], /dependsOn/u);
    },
  },
  '4.2-19': {
    section: '4.2',
    sentence: 'ifSessionVersion is a whole number.',
    input: 'ifSessionVersion -1 / 1.5 / "1"',
    expected: 'failure each, no lifecycle',
    run: (context) =>
      refusesFields(
        context,
        [-1, 1.5, '1'].map((ifSessionVersion) => ({ ifSessionVersion })),
        /ifSessionVersion/u,
      ),
  },
  '4.2-20': {
    section: '4.2',
    isMeasured: true,
    level: 'MAY',
    sentence: 'What was refused before admission is not remembered.',
    input: 'a rejected id again with a valid payload',
    expected: 'executes',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const id = mint('name');
      await client.fails({ id, type: 'set_session_name', sessionId: session, name: '' });
      const frame = await client.succeeds({ id, type: 'set_session_name', sessionId: session, name: 'good' });
      expect(frame.replayed === undefined, 'it must not be a replay:', frame);
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      expect(dataOf(state).sessionName === 'good', 'it must have its effect:', state);
    },
  },
};
