// Checks of responses, and of which connection receives which frame: docs/protocols/pi-server.md 5 and 6 (rows: 23.3).
import { expect } from '../check-client.ts';
import type { PiServerRows } from '../context.ts';
import { dataOf, isResponse, outlineOf, stepsIn } from '../view/frames.ts';

/** Rows 21 to 30, and 89. */
export const envelopeRows: PiServerRows = {
  '5-21': {
    section: '5',
    sentence: 'A response names its command, its success and the id of the request.',
    input: 'commands with id',
    expected: 'response has type, command, success, id',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      for (const type of ['list_sessions', 'health_check', 'get_state', 'get_messages']) {
        const frame = await client.ask({ type, ...(type.startsWith('get') ? { sessionId: session } : {}) });
        expect(frame.command === type, `command must be ${type}:`, frame);
        expect(typeof frame.success === 'boolean', 'success must be a boolean:', frame);
      }
    },
  },
  '5.1-22': {
    section: '5.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A command without id is answered without one, and has a name of the server in its lifecycle.',
    input: 'get_state without id',
    expected: 'response has no id; commandId in its lifecycle starts with anon:',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      const from = client.now;
      const frame = await client.say(JSON.stringify({ type: 'get_state', sessionId: session }));
      expect(frame.command === 'get_state' && frame.id === undefined, 'the response must have no id:', frame);
      const steps = stepsIn(client.received(from)).filter(({ data }) => data.sessionId === session);
      const isNamed = steps.length === 3 && steps.every(({ data }) => /^anon:./u.test(String(data.commandId)));
      expect(isNamed, 'three phases with a commandId anon:… must have come:', steps);
    },
  },
  '5-23': {
    section: '5',
    sentence: 'A failure has an error, and neither data nor a version.',
    input: 'get_state of a session that is not there',
    expected: 'error string, no data, no sessionVersion',
    async run({ client: open, mint }) {
      const client = await open();
      const frame = await client.ask({ type: 'get_state', sessionId: mint('ghost') });
      expect(frame.success === false && typeof frame.error === 'string', 'it must fail with an error:', frame);
      expect(!('data' in frame) && !('sessionVersion' in frame), 'no data and no sessionVersion:', frame);
    },
  },
  '5.1-24': {
    section: '5.1',
    sentence: 'A replay to a request without id leaks no id.',
    input: 'a command again by its key, without id',
    expected: 'response has no id, replayed: true',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const command = { type: 'set_session_name', sessionId: session, name: 'once', idempotencyKey: mint('key') };
      await client.succeeds(command);
      const frame = await client.say(JSON.stringify(command));
      expect(frame.success === true && frame.replayed === true, 'it must be replayed:', frame);
      expect(!('id' in frame), 'it must have no id:', frame);
    },
  },
  '6.1-25': {
    section: '6.1',
    sentence: 'Session events go to subscribers only.',
    input: 'prompt by a on s1; b is connected and not subscribed',
    expected: 'b hears the lifecycle and no event',
    needs: { connections: 2, script: ['text'] },
    async run({ clientWithSession, client: open, prompt, prepare }) {
      const { client: a, session } = await clientWithSession({ watched: true });
      const b = await open();
      const id = a.start(prompt(session, 'text'));
      await prepare(() => a.response(id));
      await b.settled();
      expect(a.events(session).length > 0, 'a must hear events');
      const events = b.events(session);
      expect(events.length === 0, 'b must hear none:', events[0]?.event);
    },
  },
  '6.1-26': {
    section: '6.1',
    sentence: 'switch_session subscribes: all subscribers hear the same.',
    input: 'b switches to s1 as well; prompt by a',
    expected: 'events reach a and b in the same order',
    needs: { connections: 2, script: ['text'] },
    async run({ clientWithSession, client: open, prompt, prepare }) {
      const { client: a, session } = await clientWithSession({ watched: true });
      const b = await open();
      await prepare(() => b.succeeds({ type: 'switch_session', sessionId: session }));
      const [fromA, fromB] = [a.now, b.now];
      const id = a.start(prompt(session, 'text'));
      await prepare(() => a.response(id));
      await b.settled();
      const [heardByA, heardByB] = [outlineOf(a.events(session, fromA)), outlineOf(b.events(session, fromB))];
      expect(heardByA.length > 0 && heardByA.join() === heardByB.join(), 'not the same:', heardByA, heardByB);
    },
  },
  '6.1-27': {
    section: '6.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'Whoever prompts need not be subscribed.',
    input: 'b prompts s1 without being subscribed',
    expected: 'b gets the response, a gets the events',
    needs: { connections: 2, script: ['text'] },
    async run({ clientWithSession, client: open, prompt }) {
      const { client: a, session } = await clientWithSession({ watched: true });
      const b = await open();
      await b.succeeds(prompt(session, 'text'));
      await a.settled();
      expect(a.events(session).length > 0, 'a must hear events');
      expect(b.events(session).length === 0, 'b must hear none');
    },
  },
  '6.1-28': {
    section: '6.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A subscription adds to those before.',
    input: 'switch to s1, switch to s2, prompt on s1',
    expected: 's1 is still heard',
    needs: { script: ['text'] },
    async run({ clientWithSession, session: open, prompt, prepare }) {
      const { client, session } = await clientWithSession({ watched: true });
      await open(client, { watched: true });
      await prepare(() => client.succeeds(prompt(session, 'text')));
      expect(client.events(session).length > 0, 'events of the first session must still come');
    },
  },
  '6.1-29': {
    section: '6.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A subscription ends with its connection.',
    input: 'disconnect, reconnect, prompt, switch, prompt',
    expected: 'no events until switch_session again',
    needs: { connections: 2, script: ['text'] },
    async run({ clientWithSession, client: open, prompt, prepare }) {
      const { client: first, session } = await clientWithSession({ watched: true });
      const keeper = await open();
      await prepare(() => first.connection.close());
      await prepare(() => keeper.succeeds(prompt(session, 'text')));
      await keeper.settled();
      expect(keeper.events(session).length === 0, 'no events before the switch');
      await prepare(() => keeper.succeeds({ type: 'switch_session', sessionId: session }));
      const from = keeper.now;
      await prepare(() => keeper.succeeds(prompt(session, 'text')));
      expect(keeper.events(session, from).length > 0, 'events behind the switch');
      await prepare(() => keeper.succeeds({ type: 'delete_session', sessionId: session }));
    },
  },
  '6.2-30': {
    section: '6.2',
    sentence: 'The lifecycle of admitted commands is told to everybody.',
    input: 'a command by a; b is connected',
    expected: 'b hears accepted, started, finished with their metadata',
    needs: { connections: 2 },
    async run({ clientWithSession, client: open, prepare }) {
      const { client: a, session } = await clientWithSession();
      const b = await open();
      const id = a.start({ type: 'set_session_name', sessionId: session, name: 'heard' });
      await prepare(() => a.response(id));
      await b.settled();
      b.expectPhases(id, 'accepted', 'started', 'finished');
      const wrong = stepsIn(b.received()).filter(
        ({ data }) => data.commandId === id && (data.commandType !== 'set_session_name' || data.sessionId !== session),
      );
      expect(wrong.length === 0, 'commandType and sessionId must be told:', wrong);
      expect(!b.received().some((one) => isResponse(one) && one.frame.id === id), 'the response is for a alone');
    },
  },
  '6-89': {
    section: '6',
    sentence: 'Sessions that come and go are told to everybody.',
    input: 'create_session, delete_session; b is connected',
    expected: 'session_created {sessionId, sessionInfo} and session_deleted {sessionId} to all, behind the response',
    needs: { connections: 2 },
    async run({ client: open, mint, prepare }) {
      const [a, b] = [await open(), await open()];
      const name = mint('session');
      await prepare(() => a.succeeds({ type: 'create_session', sessionId: name }));
      await prepare(() => a.succeeds({ type: 'delete_session', sessionId: name }));
      for (const client of [a, b]) {
        await client.settled();
        const responses = client.received().filter(({ frame }) => dataOf(frame).sessionId === name);
        const kinds = responses.flatMap(({ frame }) =>
          String(frame.type).startsWith('session_') ? [String(frame.type)] : [],
        );
        expect(
          kinds.join() === 'session_created,session_deleted',
          'created and deleted must be told once each:',
          kinds,
        );
        const created = responses.find(({ frame }) => frame.type === 'session_created')?.frame ?? {};
        expect('sessionInfo' in dataOf(created), 'session_created must have its sessionInfo:', created);
      }
    },
  },
};
