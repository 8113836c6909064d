// Scenarios for agents of pi: few, each with as many messages as belong together.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import type { PiClient, PiScenario } from './context.ts';
import { extensions, joins } from './scenarios-during-runs.ts';

/** One pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Requests everything that reports on the conversation. */
async function whatWasSaid(pi: PiClient): Promise<void> {
  await pi.ask('get_messages');
  await pi.ask('get_session_stats');
  await pi.ask('get_messages');
  await pi.ask('get_state');
  await pi.ask('get_messages');
  await pi.ask('get_last_assistant_text');
}

/** A scenario of one prompt, run to its end. */
function simple(word: string, title: string): PiScenario {
  return {
    name: word,
    title,
    needs: { script: [word] },
    async run({ open }) {
      const pi = await open();
      await pi.run(word);
    },
  };
}

const dataOf = (response: Dictionary) => dictionaryOf(response.data);
const listOf = (value: unknown): readonly Dictionary[] => (Array.isArray(value) ? value.filter(isDictionary) : []);

/** Scenarios of complete runs. */
const runs: readonly PiScenario[] = [
  {
    name: 'text',
    title: 'A prompt that is answered in words, and then what there is to know of it',
    needs: { script: ['text'] },
    async run({ open }) {
      const pi = await open();
      await pi.run('text');
      await whatWasSaid(pi);
    },
  },
  simple('think', 'A prompt that the model thinks about'),
  {
    name: 'tool',
    title: 'A prompt for which the model calls a tool, and then what there is to know of it',
    needs: { script: ['tool'] },
    async run({ open }) {
      const pi = await open();
      await pi.run('tool');
      await whatWasSaid(pi);
    },
  },
  simple('tools', 'A prompt for which the model calls several tools'),
  simple('toolfail', 'A prompt for which the model calls a tool that fails'),
  simple('unicode', 'A prompt whose answer has line separators and halves of characters in it'),
  simple('long', 'A prompt with a long answer'),
  simple('fail', 'A prompt at which the model fails'),
  {
    name: 'retry',
    title: 'A prompt at which the model fails, and answers when it is tried again',
    needs: { script: ['retry'] },
    async run({ open }) {
      const pi = await open();
      await pi.ask('set_auto_retry', { enabled: true });
      await pi.run('retry');
    },
  },
  {
    name: 'compaction',
    title: 'A prompt that fills the context, so that it is compacted',
    needs: { script: ['text', 'compaction'] },
    async run({ open }) {
      const pi = await open();
      await pi.ask('set_auto_compaction', { enabled: true });
      await pi.run('text');
      await pi.run('compaction');
    },
  },
  ...(
    [
      ['retry off', 'retry', 'set_auto_retry', 'A prompt at which the model fails, and is not tried again'],
      ['compaction off', 'compaction', 'set_auto_compaction', 'A prompt that fills the context, which is left so'],
    ] as const
  ).map(
    ([name, word, command, title]): PiScenario => ({
      name,
      title,
      needs: { script: [word] },
      async run({ open }) {
        const pi = await open();
        await pi.ask(command, { enabled: false });
        await pi.run(word);
        await pi.ask(command, { enabled: true });
      },
    }),
  ),
  {
    name: 'compact',
    title: 'A conversation that is compacted when the client asks for it',
    needs: { script: ['text'] },
    async run({ open }) {
      const pi = await open();
      await pi.run('text');
      await pi.run('text');
      await pi.ask('compact', { customInstructions: 'Keep what was greeted.' });
      await pi.ask('get_messages');
      await pi.ask('get_state');
    },
  },
  {
    name: 'image',
    title: 'A prompt with an image',
    needs: { script: ['image'] },
    async run({ open }) {
      const pi = await open();
      await pi.run('image', { images: [{ type: 'image', data: pixel, mimeType: 'image/png' }] });
      await pi.ask('get_messages');
    },
  },
];

/** Scenarios of settings and state. */
const states: readonly PiScenario[] = [
  {
    name: 'state',
    title: 'All that can be set is set, and asked for',
    async run({ open, mint }) {
      const pi = await open();
      const before = dataOf(await pi.ask('get_state'));
      const models = listOf(dataOf(await pi.ask('get_available_models')).models);
      // A model that thinks, so that its level can be set.
      const first = models.find(({ reasoning }) => reasoning === true) ?? models[0];
      await pi.ask('set_model', { provider: 'nobody', modelId: mint('model') });
      if (first !== undefined) await pi.ask('set_model', { provider: first.provider, modelId: first.id });
      const changes: readonly (readonly [string, Dictionary])[] = [
        ['set_thinking_level', { level: 'high' }],
        ['cycle_thinking_level', {}],
        ['cycle_model', {}],
        ['set_steering_mode', { mode: 'all' }],
        ['set_steering_mode', { mode: 'one-at-a-time' }],
        ['set_follow_up_mode', { mode: 'all' }],
        ['set_follow_up_mode', { mode: 'one-at-a-time' }],
        ['set_auto_compaction', { enabled: false }],
        ['set_auto_compaction', { enabled: true }],
        ['set_auto_retry', { enabled: false }],
        ['set_auto_retry', { enabled: true }],
        ['abort_retry', {}],
        ['abort_bash', {}],
        ['set_session_name', { name: '  ' }],
        ['set_session_name', { name: mint('name') }],
      ];
      await pi.ask('get_state');
      for (const [type, fields] of changes) {
        await pi.ask(type, fields);
        await pi.ask('get_state');
      }
      await pi.ask('get_commands');
      const { id: modelId, provider } = dictionaryOf(before.model);
      if (modelId !== undefined) await pi.ask('set_model', { provider, modelId });
      await pi.ask('set_thinking_level', { level: before.thinkingLevel });
    },
  },
  {
    name: 'sessions',
    title: 'A session is forked, left for a new one, and returned to',
    needs: { script: ['text'] },
    async run({ open, mint, tools }) {
      const pi = await open();
      await pi.run('text');
      await pi.run('text', { message: `${tools.script('text')} ${mint('again')}` });
      await pi.ask('export_html');
      await pi.ask('get_messages');
      const points = listOf(dataOf(await pi.ask('get_fork_messages')).messages);
      const { sessionFile } = dataOf(await pi.ask('get_state'));
      await pi.ask('fork', { entryId: mint('entry') });
      await pi.ask('get_fork_messages');
      if (points[1] !== undefined) await pi.ask('fork', { entryId: points[1].entryId });
      await pi.ask('get_messages');
      await pi.ask('get_state');
      await pi.ask('new_session');
      await pi.ask('get_messages');
      await pi.ask('get_state');
      await pi.ask('get_last_assistant_text');
      if (typeof sessionFile !== 'string') return;
      await pi.ask('switch_session', { sessionPath: sessionFile });
      await pi.ask('get_state');
      await pi.ask('get_messages');
    },
  },
  {
    name: 'shell',
    title: 'Commands for the shell, one of them cancelled',
    needs: { script: ['shell', 'endless shell'] },
    async run({ open, tools }) {
      const pi = await open();
      await pi.ask('bash', { command: tools.script('shell') });
      const id = pi.start({ type: 'bash', command: tools.script('endless shell') });
      await pi.ask('get_state');
      await pi.ask('abort_bash');
      await pi.answered(id);
      await pi.ask('get_messages');
    },
  },
  {
    name: 'odd lines',
    title: 'Lines that are no commands',
    async run({ open }) {
      const pi = await open();
      // One line at a time: an answer without an id can only be matched by order. Never `null`, which ends some
      // versions.
      for (const text of ['not json', '{"type":"prompt"', '42', '[]', '"text"', '{}', '{"type":7}']) {
        const from = pi.now;
        pi.say(text);
        const isRefused = (line: Dictionary) => line.type === 'response' && line.success === false;
        const isJson = !text.startsWith('not') && !text.endsWith('prompt"');
        await pi.until(isJson ? 'pi/nameless-command' : 'pi/unreadable-line', 'response that fails', from, isRefused);
      }
    },
  },
  {
    // A conversation of its own: an agent may end one that holds many bad lines.
    name: 'odd',
    title: 'Commands that nobody knows, and commands without what they need',
    async run({ open, mint, tools }) {
      const pi = await open();
      const odd: readonly Dictionary[] = [
        { type: 'no_such_command' },
        { type: 'no_such_command', id: mint('odd') },
        { type: 'prompt', id: mint('odd') },
        { type: 'set_model', id: mint('odd') },
        { type: 'fork', id: mint('odd') },
        { type: 'set_session_name', id: mint('odd') },
        { type: 'get_state' },
        { type: 'get_state', id: 7 },
        { type: 'get_state', id: { of: [mint('odd')] } },
      ];
      for (const line of odd) {
        const from = pi.now;
        pi.say(JSON.stringify(line));
        await pi.until('pi/answered', `response to ${String(line.type)}`, from, ({ type }) => type === 'response');
        // Everything written together has arrived when this command is answered.
        await pi.ask('get_state');
      }
      pi.say(JSON.stringify({ type: 'extension_ui_response', id: mint('nobody'), value: tools.nonce }));
      await pi.ask('get_state');
    },
  },
];

/** All scenarios. */
export const scenarios: readonly PiScenario[] = [...runs, ...states, ...joins, ...extensions].map((scenario) => ({
  ...scenario,
  // Each scenario begins a session of its own, so several can share a program on stdio.
  needs: { ...scenario.needs, exclusive: false },
}));
