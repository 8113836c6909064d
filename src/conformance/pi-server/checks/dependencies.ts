// Checks of dependsOn: docs/protocols/pi-server.md 9 (rows: 23.6).
import type { Settings } from '../../check/check.ts';
import { answeredAt, expect } from '../check-client.ts';
import type { PiServerRows } from '../context.ts';
import { shortTimeouts } from './limits.ts';

/** A wait for dependencies short enough that a check can see it time out. */
const shortWaits: Settings = { dependencyWaitMs: 300 };

/** Rows 58 to 67. */
export const dependencyRows: PiServerRows = {
  '9-58': {
    section: '9',
    sentence: 'A command whose dependency succeeded is carried out.',
    input: 'dependsOn a command that is done',
    expected: 'runs',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const id = mint('first');
      await client.succeeds({ id, type: 'set_session_name', sessionId: session, name: 'n1' });
      await client.succeeds({ type: 'get_state', sessionId: session, dependsOn: [id] });
    },
  },
  '9-59': {
    section: '9',
    sentence: 'An unknown dependency fails the command.',
    input: 'dependsOn an id that nobody used',
    expected: 'failure "Dependency … is unknown", no effect',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const dependsOn = [mint('never')];
      const command = { type: 'set_session_name', sessionId: session, name: 'n1', dependsOn };
      await client.fails(command, new RegExp(`^Dependency '${dependsOn[0]}' is unknown$`, 'u'));
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      expect(state.sessionVersion === 0, 'it must not be carried out:', state);
    },
  },
  '9-60': {
    section: '9',
    sentence: 'A failed dependency fails the command.',
    input: 'dependsOn a command that failed',
    expected: 'failure "Dependency … failed: <its error>"',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const id = mint('fails');
      const error = await client.fails({ id, type: 'get_state', sessionId: mint('ghost') });
      const failure = await client.fails({ type: 'get_state', sessionId: session, dependsOn: [id] });
      expect(failure === `Dependency '${id}' failed: ${error}`, 'it must tell the cause:', failure);
    },
  },
  '9-61': {
    section: '9',
    sentence: 'All dependencies must succeed; the first that did not is told.',
    input: 'dependsOn [done, unknown, failed]',
    expected: 'fails on the unknown one',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const [good, never, bad] = [mint('good'), mint('never'), mint('bad')];
      await client.succeeds({ id: good, type: 'get_state', sessionId: session });
      await client.fails({ id: bad, type: 'get_state', sessionId: mint('ghost') });
      const dependsOn = [good, never, bad];
      await client.fails(
        { type: 'get_state', sessionId: session, dependsOn },
        new RegExp(`^Dependency '${never}' is unknown$`, 'u'),
      );
    },
  },
  '9-62': {
    section: '9',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A command cannot depend on itself.',
    input: 'dependsOn its own id',
    expected: 'failure "cannot depend on itself"',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const id = mint('itself');
      await client.fails({ id, type: 'get_state', sessionId: session, dependsOn: [id] }, /cannot depend on itself/u);
    },
  },
  '9-63': {
    section: '9',
    sentence: 'A dependency that goes on in another lane is waited for.',
    input: 'get_state of s2 dependsOn a prompt on s1',
    expected: 'runs behind the prompt',
    needs: { script: ['busy'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client } = place;
      const other = await context.session(client);
      const prompt = await context.busy(place);
      const id = client.start({ type: 'get_state', sessionId: other, dependsOn: [prompt] });
      const frame = await client.response(id);
      expect(frame.success === true, 'it must succeed:', frame);
      const [first, second] = [answeredAt(client, prompt), answeredAt(client, id)];
      expect(first >= 0 && first < second, 'it must be answered behind the prompt');
    },
  },
  '9.1-64': {
    section: '9.1',
    sentence: 'A dependency that takes too long fails the command.',
    input: 'dependsOn a prompt that goes on for longer than the wait limit',
    expected: 'failure "timed out"',
    needs: { settings: shortWaits, script: ['endless'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client } = place;
      const other = await context.session(client);
      const prompt = await context.endless(place);
      await client.fails({ type: 'get_state', sessionId: other, dependsOn: [prompt] }, /timed out/u);
      expect(answeredAt(client, prompt) < 0, 'the prompt must still be going on');
    },
  },
  '9.2-65': {
    section: '9.2',
    sentence: 'A command that waits for one behind it in its own lane fails at once.',
    input: 'behind a prompt: B that depends on A, then A',
    expected: 'B fails, A is carried out',
    needs: { script: ['busy'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client, session } = place;
      const a = context.mint('a');
      await context.busy(place);
      const b = client.start({ type: 'get_state', sessionId: session, dependsOn: [a] });
      client.start({ id: a, type: 'set_session_name', sessionId: session, name: 'n1' });
      const failed = await client.response(b);
      expect(failed.success === false && typeof failed.error === 'string', 'B must fail:', failed);
      const done = await client.response(a);
      expect(done.success === true, 'A must be carried out:', done);
    },
  },
  '9.2-66': {
    section: '9.2',
    level: 'SHOULD',
    sentence: 'A command that waits for one before it in its own lane is carried out.',
    input: 'A, then B that depends on A, pipelined',
    expected: 'B runs behind A',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      const a = client.start({ type: 'set_session_name', sessionId: session, name: 'n1' });
      const b = client.start({ type: 'set_session_name', sessionId: session, name: 'n2', dependsOn: [a] });
      const frame = await client.response(b);
      expect(frame.success === true && frame.sessionVersion === 2, 'B must run behind A:', frame);
    },
  },
  '9-67': {
    section: '9',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A dependency that timed out has failed.',
    input: 'dependsOn a prompt that timed out',
    expected: 'failure "failed: Command \'prompt\' timed out …"',
    needs: { settings: shortTimeouts, script: ['endless'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client } = place;
      const other = await context.session(client);
      const prompt = await context.endless(place);
      await context.prepare(() => client.response(prompt));
      const words = /^Dependency '.*' failed: Command 'prompt' timed out/u;
      await client.fails({ type: 'get_state', sessionId: other, dependsOn: [prompt] }, words);
    },
  },
};
