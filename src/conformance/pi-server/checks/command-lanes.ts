// Checks of the lifecycle of a command (accepted, started, finished), and of command lanes: one command after the other
// in each session, and no order between sessions. docs/protocols/pi-server.md 7 (rows: 23.4).
import { answeredAt, expect, finishedAt } from '../check-client.ts';
import type { PiServerRows } from '../context.ts';
import { versionOf } from '../context.ts';
import { dataOf, eventsIn, stepsOf } from '../view/frames.ts';

const whole = ['accepted', 'started', 'finished'] as const;

/** Rows 31 to 40. */
export const commandLaneRows: PiServerRows = {
  '7.2-31': {
    section: '7.2',
    sentence: 'An admitted command is accepted, started and finished, once each and in that order, and then answered.',
    input: 'list_sessions',
    expected: 'accepted, started, finished exactly once, in order; response after finished',
    async run({ client: open, mint, prepare }) {
      const client = await open();
      const id = mint('list');
      await prepare(() => client.succeeds({ id, type: 'list_sessions' }));
      await client.settled();
      client.expectPhases(id, ...whole);
      const finished = stepsOf(client.received(), id).at(-1)?.data ?? {};
      expect(finished.success === true, 'finished must tell the success:', finished);
      expect(Array.isArray(finished.dependsOn), 'the lifecycle must have dependsOn:', finished);
      expect(finishedAt(client, id) < answeredAt(client, id), 'the response must come after finished');
    },
  },
  '7.2-32': {
    section: '7.2',
    sentence: 'An admitted command that fails has a whole lifecycle too.',
    input: 'get_state of a session that is not there',
    expected: 'accepted, started, finished with success: false and the error',
    async run({ client: open, mint, prepare }) {
      const client = await open();
      const id = mint('ghost');
      const frame = await prepare(() => client.ask({ id, type: 'get_state', sessionId: id }));
      await client.settled();
      client.expectPhases(id, ...whole);
      const finished = stepsOf(client.received(), id).at(-1)?.data ?? {};
      expect(finished.success === false && finished.error === frame.error, 'finished must tell the error:', finished);
    },
  },
  '7.1-33': {
    section: '7.1',
    sentence: 'A command that is refused for a conflict was admitted: it is accepted and finished, and never started.',
    input: 'an id again with another payload',
    expected: 'accepted, finished(false), no started',
    async run({ clientWithSession, mint, prepare }) {
      const { client, session } = await clientWithSession();
      const id = mint('name');
      await prepare(() => client.succeeds({ id, type: 'set_session_name', sessionId: session, name: 'one' }));
      await prepare(() => client.fails({ id, type: 'set_session_name', sessionId: session, name: 'two' }));
      await client.settled();
      client.expectPhases(id, ...whole, 'accepted', 'finished');
      const finished = stepsOf(client.received(), id).at(-1)?.data ?? {};
      expect(finished.success === false, 'finished must tell the failure:', finished);
    },
  },
  '7.3-34': {
    section: '7.3',
    sentence: 'The commands of a session are carried out one after the other.',
    input: '5 set_session_name pipelined on s1',
    expected: 'responses in order, versions 1 to 5, final name n5',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
      const ids = names.map((name) => client.start({ type: 'set_session_name', sessionId: session, name }));
      const versions: number[] = [];
      for (const id of ids) versions.push(versionOf(await client.response(id)));
      expect(versions.join() === '1,2,3,4,5', 'the versions must be 1 to 5:', versions);
      const places = ids.map((id) => answeredAt(client, id));
      expect(places.join() === places.toSorted((a, b) => a - b).join(), 'the responses must come in order:', places);
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      expect(dataOf(state).sessionName === 'n5', 'the last name must have won:', state);
    },
  },
  '7.3-35': {
    section: '7.3',
    sentence: 'Commands of the server do not wait for those of a session.',
    input: 'long prompt on s1, then list_sessions',
    expected: 'list_sessions is answered before the prompt',
    // Opening a session takes time in the server's lane, so no other check may do so meanwhile.
    needs: { script: ['busy'], exclusive: true },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const prompt = await context.busy(place);
      const list = place.client.start({ type: 'list_sessions' });
      await place.client.response(list);
      expect(answeredAt(place.client, prompt) < 0, 'the prompt must still be going on');
      await place.client.response(prompt);
    },
  },
  '7.3-36': {
    section: '7.3',
    sentence: 'Commands of a session wait for the prompt that goes on in it.',
    input: 'long prompt on s1, then get_state of s1',
    expected: 'get_state is answered only after the prompt',
    needs: { script: ['busy'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const prompt = await context.busy(place);
      const state = place.client.start({ type: 'get_state', sessionId: place.session });
      await place.client.response(state);
      const [first, second] = [answeredAt(place.client, prompt), answeredAt(place.client, state)];
      expect(first >= 0 && first < second, 'get_state was answered before the prompt');
    },
  },
  '7.3-37': {
    section: '7.3',
    sentence: 'Sessions do not wait for each other.',
    input: 'prompts on s1 and s2 at the same time',
    expected: 'events of both in turn, two responses',
    needs: { script: ['busy'] },
    async run(context) {
      const { client, session: one } = await context.clientWithSession({ watched: true });
      const two = await context.session(client, { watched: true });
      const from = client.now;
      const ids = [one, two].map((session) => client.start(context.prompt(session, 'busy')));
      for (const id of ids) {
        const frame = await client.response(id);
        expect(frame.success === true, 'each prompt must succeed:', frame);
      }
      const received = client.received(from);
      const [first, second] = [one, two].map((session) => eventsIn(received, session).map(({ at }) => at));
      const isMixed = Number(second?.[0]) < Number(first?.at(-1)) && Number(first?.[0]) < Number(second?.at(-1));
      expect(isMixed, 'the events must come in turn');
    },
  },
  '7.3-38': {
    section: '7.3',
    isMeasured: true,
    level: 'MAY',
    sentence: 'In a lane, a command starts only when the one before it has finished.',
    input: '5 set_session_name pipelined on s1',
    expected: 'finished(n) before started(n + 1)',
    async run({ clientWithSession, prepare }) {
      const { client, session } = await clientWithSession();
      const ids = ['a', 'b', 'c', 'd', 'e'].map((name) =>
        client.start({ type: 'set_session_name', sessionId: session, name }),
      );
      for (const id of ids) await prepare(() => client.response(id));
      const steps = ids.map((id) => stepsOf(client.received(), id));
      for (const [index, before] of steps.entries()) {
        const started = steps[index + 1]?.find(({ phase }) => phase === 'started')?.at ?? Number.POSITIVE_INFINITY;
        const finished = before.find(({ phase }) => phase === 'finished')?.at ?? Number.NEGATIVE_INFINITY;
        expect(finished < started, `command ${index + 2} was started before command ${index + 1} had finished`);
      }
    },
  },
  '7.4-39': {
    section: '7.4',
    sentence: 'The same id with the same payload is the same command: its outcome again, and no second effect.',
    input: 'set_session_name n1 under an id, set_session_name n2, then the first again',
    expected: 'same outcome, replayed: true, no started, name and version unchanged',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const first = { id: mint('name'), type: 'set_session_name', sessionId: session, name: 'n1' };
      const once = await client.succeeds(first);
      await client.succeeds({ type: 'set_session_name', sessionId: session, name: 'n2' });
      const again = await client.ask(first);
      expect(again.replayed === true, 'it must be replayed:', again);
      expect(
        again.success === true && again.sessionVersion === once.sessionVersion,
        'the outcome must be the same:',
        again,
      );
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      const isUntouched = dataOf(state).sessionName === 'n2' && state.sessionVersion === 2;
      expect(isUntouched, 'there must be no second effect:', state);
    },
  },
  '7.4-39b': {
    section: '7.4',
    sentence: 'A replay is never started.',
    input: 'the same id with the same payload',
    expected: 'started once in all',
    async run({ clientWithSession, mint, prepare }) {
      const { client, session } = await clientWithSession();
      const command = { id: mint('name'), type: 'set_session_name', sessionId: session, name: 'n1' };
      await prepare(() => client.ask(command));
      await prepare(() => client.ask(command));
      await client.settled();
      const started = client.phases(command.id).filter((phase) => phase === 'started');
      expect(started.length === 1, 'started must come once, and came', started.length);
    },
  },
  '7.4-40': {
    section: '7.4',
    sentence: 'A replay is accepted and finished, and says that it is one.',
    input: 'the same id with the same payload',
    expected: 'accepted, finished with replayed: true (2.2 dialect: finished alone)',
    async run({ clientWithSession, mint, prepare }) {
      const { client, session } = await clientWithSession();
      const command = { id: mint('name'), type: 'set_session_name', sessionId: session, name: 'n1' };
      await prepare(() => client.ask(command));
      const before = client.phases(command.id).length;
      await prepare(() => client.ask(command));
      await client.settled();
      const steps = stepsOf(client.received(), command.id).slice(before);
      const phases = steps.map(({ phase }) => phase).filter((phase) => phase !== 'started');
      expect(phases.join() === 'accepted,finished', 'accepted and finished must come:', phases);
      const finished = steps.at(-1)?.data ?? {};
      expect(finished.replayed === true, 'finished must say replayed:', finished);
    },
  },
};
