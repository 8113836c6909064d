// Scenarios for ACP agents: sessions, settings, and input that is wrong.
import { NotApplicable } from '../check/check.ts';
import { requiredBy } from '../check/rule.ts';
import { type AcpScenario, type CheckContext, type Client, message } from './context.ts';
import { valuesOf } from './rules/settings.ts';
import { at, itemsOf } from './view/view.ts';
import { nobodys, nobodysPlain, nowhere, nowhereCommand } from './words.ts';

/** A client whose agent declares that ability. */
async function clientThatCan({ client: greet }: CheckContext, ...path: readonly string[]): Promise<Client> {
  const client = await greet();
  if (!client.can(...path)) throw new NotApplicable(`the agent does not declare ${path.join('.')}`);
  return client;
}

/** Comes back to a session in which something was said. */
const comesBack = (name: 'load' | 'resume', path: readonly string[]): AcpScenario => ({
  name,
  title: `session/${name} of a session in which something was said, and another prompt`,
  needs: { script: ['text'] },
  async run(context) {
    const client = await clientThatCan(context, ...path);
    const { session } = await client.open();
    await client.turn(session, { word: 'text' });
    await client.ask(`session/${name}`, { sessionId: session, ...context.place }, `acp/${name}-declared`);
    await client.turn(session, { word: 'text' });
  },
});

/** A line that is no message, and a request behind it. `bad`: what is sent, each on its own. */
const survives = (name: string, check: string, title: string, bad: readonly string[]): AcpScenario => ({
  name,
  title,
  async run({ client: greet }) {
    const client = await greet();
    for (const one of bad) client.connection.send(one);
    await client.settled(check);
  },
});

/** Scenarios of sessions, settings and wrong input. */
export const sessionScenarios: readonly AcpScenario[] = [
  {
    name: 'two sessions',
    title: 'two sessions: a prompt of the second one while the first one works',
    needs: { script: ['busy', 'text'] },
    async run({ client: greet }) {
      const client = await greet();
      const [first, second] = [await client.open(), await client.open()];
      const long = client.prompt(first.session, { word: 'busy' });
      await client.told(first.session, ['agent_message_chunk', 'agent_thought_chunk'], long.from);
      const short = client.prompt(second.session, { word: 'text' });
      await requiredBy('acp/two-sessions', () => client.answer(short.id));
      await requiredBy('acp/prompt-answered', () => client.answer(long.id));
    },
  },
  comesBack('load', ['loadSession']),
  comesBack('resume', ['sessionCapabilities', 'resume']),
  {
    name: 'list',
    title: 'session/list, of one folder, and with a cursor that nobody gave',
    needs: { script: ['text'] },
    async run(context) {
      const client = await clientThatCan(context, 'sessionCapabilities', 'list');
      const { session } = await client.open();
      await client.turn(session, { word: 'text' });
      await client.ask('session/list', {}, 'acp/list-declared');
      await client.ask('session/list', { cwd: context.place.cwd });
      await client.ask('session/list', { cursor: nowhere });
    },
  },
  {
    name: 'close',
    title: 'session/close of a session that is idle, and of one in which a prompt runs',
    needs: { script: ['endless'] },
    async run(context) {
      const client = await clientThatCan(context, 'sessionCapabilities', 'close');
      const idle = await client.open();
      await client.ask('session/close', { sessionId: idle.session }, 'acp/close-declared');
      const { session } = await client.open();
      const { id, from } = client.prompt(session, { word: 'endless' });
      await client.told(session, ['agent_message_chunk', 'agent_thought_chunk'], from);
      await client.ask('session/close', { sessionId: session }, 'acp/close-declared');
      await requiredBy('acp/close-cancels', () => client.answer(id));
    },
  },
  {
    name: 'delete',
    title: 'session/delete of a session, and of one that there is not',
    needs: { script: ['text'] },
    async run(context) {
      const client = await clientThatCan(context, 'sessionCapabilities', 'delete');
      const { session } = await client.open();
      await client.turn(session, { word: 'text' });
      await client.ask('session/delete', { sessionId: session }, 'acp/delete-declared');
      await client.ask('session/delete', { sessionId: nowhere }, 'acp/delete-unknown');
      if (client.can('sessionCapabilities', 'list')) await client.ask('session/list', {}, 'acp/list-declared');
    },
  },
  {
    name: 'mode',
    title: 'each of the first three modes is set, then the first one again',
    async run({ client: greet }) {
      const client = await greet();
      const { session, result } = await client.open();
      const ids = itemsOf(at(result, 'modes', 'availableModes')).map(({ id }) => id);
      const current = at(result, 'modes', 'currentModeId');
      if (ids.length === 0) throw new NotApplicable('the agent offers no modes');
      for (const modeId of [...ids.slice(0, 3), current])
        await client.ask('session/set_mode', { sessionId: session, modeId }, 'acp/set-mode');
      await client.settled();
    },
  },
  {
    name: 'option',
    title: 'each option gets another value, and its own again',
    async run({ client: greet }) {
      const client = await greet();
      const { session, result } = await client.open();
      const options = itemsOf(result.configOptions);
      if (options.length === 0) throw new NotApplicable('the agent offers no options');
      for (const option of options) {
        const { id: configId, currentValue, type } = option;
        const isBoolean = type === 'boolean';
        const other = isBoolean ? currentValue !== true : valuesOf(option).find((value) => value !== currentValue);
        for (const value of [other, currentValue]) {
          if (value === undefined) continue;
          const change = { sessionId: session, configId, value, ...(isBoolean ? { type: 'boolean' } : {}) };
          await client.ask('session/set_config_option', change, 'acp/set-option');
        }
      }
    },
  },
  {
    name: 'tool server',
    title: 'session/new with a tool server that is not there',
    async run({ client: greet, place }) {
      const client = await greet();
      const servers = [{ name: 'conformance', command: nowhereCommand, args: [], env: [] }];
      await client.ask('session/new', { ...place, mcpServers: servers }, 'acp/bad-tool-server');
    },
  },
  {
    name: 'odd',
    title: 'methods and notifications that nobody has',
    async run({ client: greet }) {
      const client = await greet();
      await client.open();
      for (const method of [nobodys, nobodysPlain]) {
        client.notify(method, { any: 'thing' });
        await client.settled();
        await client.ask(
          method,
          { any: 'thing' },
          method === nobodys ? 'acp/unknown-vendor-method' : 'acp/unknown-method',
        );
      }
    },
  },
  {
    name: 'ids',
    title: 'requests under ids of all kinds',
    async run({ client: greet }) {
      const client = await greet();
      const params = { sessionId: nowhere, modeId: 'conformance' };
      for (const id of [0, -1, Number.MAX_SAFE_INTEGER, 'a-word', '0', '']) {
        client.connection.send(message({ id, method: 'session/set_mode', params }));
        await requiredBy('acp/id-kinds', () => client.answer(id));
      }
    },
  },
  {
    name: 'bad values',
    title: 'requests whose values are wrong, each refused',
    async run({ client: greet, place }) {
      const client = await greet();
      const { session, result } = await client.open();
      const of = { sessionId: session };
      const text = [{ type: 'text', text: 'hello' }];
      await client.ask('session/new', { ...place, cwd: 'conformance/not/absolute' });
      await client.ask('session/prompt', { sessionId: nowhere, prompt: text });
      await client.ask('session/prompt', { ...of, prompt: 'hello' });
      await client.ask('authenticate', { methodId: 'conformance-nobody-has-this' });
      if (client.can('loadSession')) await client.ask('session/load', { sessionId: nowhere, ...place });
      if (at(result, 'modes', 'availableModes') !== undefined)
        await client.ask('session/set_mode', { ...of, modeId: nowhere });
      const [option] = itemsOf(result.configOptions).filter(({ type }) => type === 'select');
      if (option === undefined) return;
      await client.ask('session/set_config_option', { ...of, configId: nowhere, value: 'any' });
      await client.ask('session/set_config_option', { ...of, configId: option.id, value: nowhere });
    },
  },
  survives('broken json', 'acp/broken-json', 'a line that is not JSON', ['{"jsonrpc":"2.0","id":1,"meth']),
  survives('no message', 'acp/no-message', 'JSON that is no message, a list among it', [
    '[]',
    '[1]',
    '{"jsonrpc":"2.0"}',
  ]),
  {
    name: 'long line',
    title: 'a request of more than a megabyte',
    async run({ client: greet }) {
      const client = await greet();
      const filler = 'x'.repeat(1_100_000);
      await client.ask(nobodys, { filler }, 'acp/long-line');
    },
  },
];
