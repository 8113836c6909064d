// Checks of duplicate ids and of fingerprints: docs/protocols/pi-server.md 8 (rows: 23.5).
import type { Settings } from '../../check/check.ts';
import { answeredAt, expect } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { dataOf, eventsIn } from '../view/frames.ts';

/** The server remembers two outcomes. */
const fewOutcomes: Settings = { maxOutcomes: 2 };

const conflictOf = (id: string, one: string, other: string) =>
  new RegExp(`^Conflicting id '${id}': previously used for '${one}', now used for '${other}'$`, 'u');

/** Names a session twice under one id, the second time with these changes; returns the second response. */
async function twice({ clientWithSession, mint }: CheckContext, change: (command: Record<string, unknown>) => object) {
  const { client, session } = await clientWithSession();
  const first = { id: mint('name'), type: 'set_session_name', sessionId: session, name: 'n1' };
  await client.succeeds(first);
  const { id, type } = first;
  return { client, session, first, again: await client.ask({ id, type, ...change(first) }) };
}

/** Whether a set_session_name was carried out. */
async function isNamed(
  context: CheckContext,
  name: string,
  isSo: boolean,
  { client, session }: Awaited<ReturnType<typeof twice>>,
) {
  const state = await client.succeeds({ type: 'get_state', sessionId: session });
  const found = dataOf(state).sessionName;
  expect(
    (found === name) === isSo,
    `the session ${isSo ? 'must' : 'must not'} be called ${name} (${context.tools.nonce}):`,
    found,
  );
}

/** Rows 41 to 49, 56 and 57. */
export const replayRows: PiServerRows = {
  '8.1-41': {
    section: '8.1',
    sentence: 'The same id with another payload is a conflict.',
    input: 'set_session_name n1, then n2 under the same id',
    expected: 'failure "Conflicting id …", no effect',
    async run(context) {
      const tried = await twice(context, (first) => ({ ...first, name: 'n2' }));
      const { again, first } = tried;
      const words = conflictOf(first.id, first.type, first.type);
      expect(again.success === false && words.test(String(again.error)), 'it must be a conflict:', again);
      await isNamed(context, 'n2', false, tried);
    },
  },
  '8.1-42': {
    section: '8.1',
    sentence: 'The same id with another command is a conflict that names both.',
    input: 'set_session_name, then get_state under the same id',
    expected: "failure \"previously used for 'set_session_name', now used for 'get_state'\"",
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const id = mint('name');
      await client.succeeds({ id, type: 'set_session_name', sessionId: session, name: 'n1' });
      const words = conflictOf(id, 'set_session_name', 'get_state');
      await client.fails({ id, type: 'get_state', sessionId: session }, words);
    },
  },
  '8.1-43': {
    section: '8.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A failure is an outcome too, and is replayed.',
    input: 'get_state of no session, twice under one id',
    expected: 'the failure again, replayed: true',
    async run({ client: open, mint }) {
      const client = await open();
      const command = { id: mint('ghost'), type: 'get_state', sessionId: mint('ghost') };
      const once = await client.ask(command);
      const again = await client.ask(command);
      expect(again.success === false && again.error === once.error, 'the failure must be the same:', again);
      expect(again.replayed === true, 'it must be replayed:', again);
    },
  },
  '8.1-44': {
    section: '8.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A duplicate of a command that goes on waits for its outcome.',
    input: 'a prompt twice under one id, while it goes on',
    expected: 'same outcome, replayed: true, one run',
    needs: { script: ['busy'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client, session } = place;
      const from = client.now;
      const command = context.prompt(session, 'busy');
      const id = await context.busy(place, command);
      client.start({ id, ...command });
      const both = [await client.response(id), await client.response(id, 1)];
      expect(both.filter(({ replayed }) => replayed === true).length === 1, 'one of them must be a replay:', ...both);
      expect(
        both.every(({ success, sessionVersion }) => success === true && sessionVersion === 1),
        'the outcome must be the same:',
        ...both,
      );
      await client.settled();
      const runs = eventsIn(client.received(from), session).filter(({ event }) => event.type === 'agent_start');
      expect(runs.length === 1, 'it must run once, and ran', runs.length);
    },
  },
  '8.1-45': {
    section: '8.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A conflict with a command that goes on is told at once.',
    input: 'the id of a prompt that goes on, with another message',
    expected: 'conflict before the prompt ends',
    needs: { script: ['busy', 'text'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client, session } = place;
      const id = await context.busy(place);
      client.start({ id, ...context.prompt(session, 'text') });
      const first = await client.response(id);
      const isConflict = first.success === false && conflictOf(id, 'prompt', 'prompt').test(String(first.error));
      expect(isConflict, 'the conflict must be told before the prompt is over:', first);
      const second = await client.response(id, 1);
      expect(second.success === true && second.replayed === undefined, 'the prompt must go on:', second);
    },
  },
  '8.1-46': {
    section: '8.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'Ids are one space for all connections.',
    input: 'a command again from another connection',
    expected: 'replayed there',
    needs: { connections: 2 },
    async run({ clientWithSession, client: open, mint, prepare }) {
      const { client, session } = await clientWithSession();
      const command = { id: mint('name'), type: 'set_session_name', sessionId: session, name: 'n1' };
      await prepare(() => client.succeeds(command));
      const frame = await (await open()).ask(command);
      expect(frame.success === true && frame.replayed === true, 'it must be replayed:', frame);
    },
  },
  '8.3-47': {
    section: '8.3',
    level: 'SHOULD',
    sentence: 'A fingerprint is of the meaning: the order of keys does not count.',
    input: 'the same command with its keys in another order',
    expected: 'replayed',
    async run(context) {
      const { again } = await twice(context, ({ name, sessionId }) => ({ name, sessionId }));
      expect(again.success === true && again.replayed === true, 'it must be replayed:', again);
    },
  },
  '8.3-48': {
    section: '8.3',
    isMeasured: true,
    level: 'MAY',
    sentence: 'The key is no part of the fingerprint.',
    input: 'the same command with an idempotencyKey',
    expected: 'replayed',
    async run(context) {
      const { again } = await twice(context, (first) => ({ ...first, idempotencyKey: context.mint('key') }));
      expect(again.success === true && again.replayed === true, 'it must be replayed:', again);
    },
  },
  '8.3-49': {
    section: '8.3',
    isMeasured: true,
    level: 'MAY',
    sentence: 'ifSessionVersion and dependsOn are part of the fingerprint.',
    input: 'the same command with ifSessionVersion; with dependsOn []',
    expected: 'conflict each',
    async run(context) {
      for (const more of [{ ifSessionVersion: 0 }, { dependsOn: [] }]) {
        const { again } = await twice(context, (first) => ({ ...first, ...more }));
        const isConflict = again.success === false && /^Conflicting id/u.test(String(again.error));
        expect(isConflict, `${JSON.stringify(more)} must make it a conflict:`, again);
      }
    },
  },
  '8-56': {
    section: '8',
    isMeasured: true,
    level: 'MAY',
    sentence: 'create_session again under its id makes no second session.',
    input: 'create_session without a name, twice under one id',
    expected: 'the same session, replayed: true',
    async run({ client: open, mint, tools }) {
      const client = await open();
      const command = { id: mint('create'), type: 'create_session' };
      const once = await client.succeeds(command);
      const { sessionId } = dataOf(once);
      tools.atEnd(async () => void (await client.ask({ type: 'delete_session', sessionId })));
      const again = await client.succeeds(command);
      expect(again.replayed === true, 'it must be replayed:', again);
      expect(dataOf(again).sessionId === sessionId, 'it must be the same session:', once, again);
    },
  },
  '8-56b': {
    section: '8',
    isMeasured: true,
    level: 'MAY',
    sentence: 'The replay of a create_session tells of the session again.',
    input: 'create_session twice under one id',
    expected: 'session_created twice',
    async run({ client: open, mint, tools, prepare }) {
      const client = await open();
      const sessionId = mint('session');
      const command = { id: mint('create'), type: 'create_session', sessionId };
      await prepare(() => client.succeeds(command));
      tools.atEnd(async () => void (await client.ask({ type: 'delete_session', sessionId })));
      await prepare(() => client.succeeds(command));
      await client.settled();
      const frames = client
        .received()
        .filter(({ frame }) => frame.type === 'session_created' && dataOf(frame).sessionId === sessionId);
      expect(frames.length === 2, 'session_created must come twice, and came', frames.length);
    },
  },
  '8-57': {
    section: '8',
    isMeasured: true,
    level: 'MAY',
    sentence: 'Only so many outcomes are remembered; the oldest go first.',
    input: 'more commands than outcomes are kept',
    expected: 'the oldest id is unknown as a dependency, and executes again',
    needs: { settings: fewOutcomes, exclusive: true },
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const oldest = { id: mint('oldest'), type: 'set_session_name', sessionId: session, name: 'n1' };
      await client.succeeds(oldest);
      for (const name of ['n2', 'n3', 'n4'])
        await client.succeeds({ type: 'set_session_name', sessionId: session, name });
      await client.fails({ type: 'get_state', sessionId: session, dependsOn: [oldest.id] }, /is unknown$/u);
      const again = await client.succeeds(oldest);
      expect(again.replayed === undefined && again.sessionVersion === 5, 'it must be carried out again:', again);
      expect(answeredAt(client, oldest.id) >= 0, 'it must be answered');
    },
  },
};
