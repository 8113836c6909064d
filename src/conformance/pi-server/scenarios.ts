// Scenarios for pi-servers: few conversations in which every kind of message occurs.
import { CannotTell } from '../check/check.ts';
import { requiredBy, type Scenario } from '../check/rule.ts';
import type { Client } from './check-client.ts';
import type { CheckContext, ClientWithSession } from './context.ts';

/** Sends a command and waits for its response, which a rule requires. */
const ask = (client: Client, command: Parameters<Client['ask']>[0]) =>
  requiredBy('pi-server/answered', () => client.ask(command));

/** Runs a prompt to its end in a watched session. */
async function prompted(context: CheckContext, word: string): Promise<ClientWithSession> {
  const place = await context.clientWithSession({ watched: true });
  await ask(place.client, context.prompt(place.session, word));
  await requiredBy('pi-server/answered', () => place.client.settled());
  return place;
}

/** All scenarios. */
export const scenarios: readonly Scenario<CheckContext>[] = [
  {
    name: 'errands',
    title: 'Commands of the server, invalid and unknown ones, repetitions, conflicts.',
    async run({ client: open, mint }) {
      const client = await open();
      await ask(client, { type: 'list_sessions' });
      await ask(client, { type: 'health_check' });
      await ask(client, { type: 'get_metrics' });
      await ask(client, { type: 'list_stored_sessions' });
      await ask(client, { type: 'get_state', sessionId: mint('ghost') });
      await ask(client, { type: 'nobody-knows-this' });
      await ask(client, { type: 'prompt', message: 'to nobody' });
      await ask(client, { type: 'list_sessions', idempotencyKey: '' });
      await ask(client, { type: 'list_sessions', dependsOn: 'x' });
      const errand = { type: 'list_sessions', id: mint('errand') };
      for (const _time of [1, 2, 3]) await ask(client, errand);
      await ask(client, { ...errand, type: 'health_check' });
      const keyed = { type: 'list_sessions', idempotencyKey: mint('key') };
      for (const _time of [1, 2]) {
        client.connection.send(JSON.stringify(keyed));
        await requiredBy('pi-server/answered', () => client.settled());
      }
    },
  },
  {
    name: 'session',
    title: 'A session that is made, named, read, asked for by version, and deleted; commands that depend on others.',
    async run({ client: open, mint, tools }) {
      const client = await open();
      const sessionId = mint('session');
      await ask(client, { type: 'create_session', sessionId });
      if (tools.transport !== 'sse') await ask(client, { type: 'switch_session', sessionId });
      const names = ['one', 'two', 'three'].map((name) => client.start({ type: 'set_session_name', sessionId, name }));
      for (const id of names) await requiredBy('pi-server/answered', () => client.response(id));
      await ask(client, { type: 'get_state', sessionId });
      await ask(client, { type: 'get_state', sessionId, ifSessionVersion: 3 });
      await ask(client, { type: 'set_session_name', sessionId, name: 'stale', ifSessionVersion: 1 });
      await ask(client, { type: 'set_session_name', sessionId, name: 'fresh', ifSessionVersion: 3 });
      const good = mint('good');
      const bad = mint('bad');
      await ask(client, { type: 'get_state', sessionId, id: good });
      await ask(client, { type: 'get_state', sessionId: mint('ghost'), id: bad });
      await ask(client, { type: 'get_state', sessionId, dependsOn: [good] });
      await ask(client, { type: 'get_state', sessionId, dependsOn: [good, bad] });
      await ask(client, { type: 'delete_session', sessionId });
      await ask(client, { type: 'get_state', sessionId });
      await client.settled();
    },
  },
  {
    name: 'prompt',
    title: 'A prompt that is answered with text, and what is known of the session then.',
    needs: { script: ['text'] },
    async run(context) {
      const { client, session: sessionId } = await prompted(context, 'text');
      for (const type of ['get_state', 'get_messages', 'get_session_stats', 'get_last_assistant_text'])
        await ask(client, { type, sessionId });
    },
  },
  {
    name: 'tool',
    title: 'A prompt whose agent uses a tool.',
    needs: { script: ['tool'] },
    run: async (context) => void (await prompted(context, 'tool')),
  },
  {
    name: 'retry',
    title: 'A prompt whose model fails at first.',
    needs: { script: ['retry'] },
    run: async (context) => void (await prompted(context, 'retry')),
  },
  {
    name: 'compaction',
    title: 'A prompt that fills the context.',
    needs: { script: ['compaction'] },
    async run(context) {
      const { client, session } = await prompted(context, 'compaction');
      const isIt = ({ type }: { readonly type?: unknown }) => type === 'auto_compaction_end';
      await context.prepare(() => client.untilEvent(session, 'end of the compaction', isIt));
    },
  },
  {
    name: 'question',
    title: 'A prompt whose agent asks the user, who answers.',
    needs: { script: ['select'] },
    async run(context) {
      const { client, session: sessionId } = await context.clientWithSession({ watched: true });
      const id = client.start(context.prompt(sessionId, 'select'));
      const isIt = ({ type }: { readonly type?: unknown }) => type === 'extension_ui_request';
      const { event } = await context.prepare(() => client.untilEvent(sessionId, 'question', isIt));
      const { requestId, options } = event;
      const value = Array.isArray(options) ? options[0] : undefined;
      if (typeof value !== 'string') throw new CannotTell('there is nothing to choose');
      const response = { method: 'select', value };
      await ask(client, { type: 'extension_ui_response', sessionId, requestId, response });
      await requiredBy('pi-server/answered', () => client.response(id));
      await client.settled();
    },
  },
  {
    name: 'farewell',
    title: 'A server that is told to end.',
    needs: { transport: 'websocket', exclusive: true },
    async run({ client: open, tools }) {
      const client = await open();
      await ask(client, { type: 'list_sessions' });
      tools.terminate();
      await client.until('end of the connection', () => client.connection.ended ?? undefined);
    },
  },
];
