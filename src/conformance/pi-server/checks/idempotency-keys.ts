// Checks of idempotency keys: docs/protocols/pi-server.md 8.2 (rows: 23.5).
import type { Settings } from '../../check/check.ts';
import { expect } from '../check-client.ts';
import type { PiServerRows } from '../context.ts';

/** A key lifetime short enough that a check can wait for its end. */
const shortKeys: Settings = { idempotencyTtlMs: 400 };

/** Rows 50 to 55. */
export const keyRows: PiServerRows = {
  '8.2-50': {
    section: '8.2',
    sentence: 'The same key with the same payload is the same command.',
    input: 'a command again under another id and the same key',
    expected: 'replayed under the new id, no second effect',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const command = { type: 'set_session_name', sessionId: session, name: 'n1', idempotencyKey: mint('key') };
      await client.succeeds(command);
      const id = mint('again');
      const again = await client.ask({ id, ...command });
      expect(again.success === true && again.replayed === true && again.id === id, 'it must be replayed:', again);
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      expect(state.sessionVersion === 1, 'there must be no second effect:', state);
    },
  },
  '8.2-51': {
    section: '8.2',
    sentence: 'The same key with another payload is a conflict.',
    input: 'the same key with another name',
    expected: 'failure "Conflicting idempotencyKey …"',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const command = { type: 'set_session_name', sessionId: session, idempotencyKey: mint('key') };
      await client.succeeds({ ...command, name: 'n1' });
      await client.fails({ ...command, name: 'n2' }, /^Conflicting idempotencyKey '/u);
    },
  },
  '8.2-52': {
    section: '8.2',
    sentence: 'A key counts in its session alone.',
    input: 'the same key on s2',
    expected: 'executes',
    async run({ clientWithSession, session: open, mint }) {
      const { client, session } = await clientWithSession();
      const other = await open(client);
      const idempotencyKey = mint('key');
      await client.succeeds({ type: 'set_session_name', sessionId: session, name: 'n1', idempotencyKey });
      const frame = await client.succeeds({ type: 'set_session_name', sessionId: other, name: 'n2', idempotencyKey });
      expect(frame.replayed === undefined && frame.sessionVersion === 1, 'it must be carried out:', frame);
    },
  },
  '8.2-53': {
    section: '8.2',
    sentence: 'Commands of the server share one scope of keys.',
    input: 'the same key on list_sessions and health_check',
    expected: 'conflict',
    async run({ client: open, mint }) {
      const client = await open();
      const idempotencyKey = mint('key');
      await client.succeeds({ type: 'list_sessions', idempotencyKey });
      await client.fails({ type: 'health_check', idempotencyKey }, /^Conflicting idempotencyKey '/u);
    },
  },
  '8.2-54': {
    section: '8.2',
    sentence: 'An expired key is no key any more.',
    input: 'the same key behind its time to live',
    expected: 'executes',
    needs: { settings: shortKeys },
    async run({ clientWithSession, mint, tools }) {
      const { client, session } = await clientWithSession();
      const command = { type: 'set_session_name', sessionId: session, name: 'n1', idempotencyKey: mint('key') };
      await client.succeeds(command);
      const until = performance.now() + tools.patienceMs;
      for (;;) {
        const frame = await client.succeeds(command);
        if (frame.replayed === undefined) return;
        expect(performance.now() < until, 'the key is still known:', frame);
        await tools.pause(100);
      }
    },
  },
  '8.2-55': {
    section: '8.2',
    sentence: 'Two commands with one key at the same time are one.',
    input: 'two set_session_name with one key, pipelined',
    expected: 'one execution',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const command = { type: 'set_session_name', sessionId: session, name: 'n1', idempotencyKey: mint('key') };
      const ids = [client.start(command), client.start(command)];
      const both = [];
      for (const id of ids) both.push(await client.response(id));
      expect(both.filter(({ replayed }) => replayed === true).length === 1, 'one of them must be a replay:', ...both);
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      expect(state.sessionVersion === 1, 'it must be carried out once:', state);
    },
  },
};
