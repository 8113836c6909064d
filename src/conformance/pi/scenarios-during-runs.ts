// Scenarios in which something happens during a run: messages that join or abort it, and dialogs and notices of
// extensions.
import type { Dictionary } from '../../core/model/content.ts';
import type { PiClient, PiScenario } from './context.ts';

/** Scenarios with messages that join a run, and with aborts. */
export const joins: readonly PiScenario[] = [
  {
    name: 'busy',
    title: 'While the model speaks it is prompted again, in all ways that there are',
    needs: { script: ['busy'] },
    async run({ open, mint }) {
      const pi = await open();
      const from = await pi.running('busy');
      await pi.ask('get_state');
      await pi.ask('prompt', { message: mint('too early') });
      await pi.ask('follow_up', { message: mint('later') });
      await pi.ask('steer', { message: mint('instead') });
      await pi.ask('prompt', { message: mint('instead again'), streamingBehavior: 'steer' });
      await pi.ask('prompt', { message: mint('later again'), streamingBehavior: 'followUp' });
      await pi.ask('get_state');
      await pi.idle(from);
      await pi.ask('get_messages');
    },
  },
  ...(['all', 'one-at-a-time'] as const).map(
    (mode): PiScenario => ({
      name: `queues ${mode}`,
      title: `Two steering messages and two follow-ups wait, in the mode ${mode}`,
      needs: { script: ['busy'] },
      async run({ open, mint }) {
        const pi = await open();
        await pi.ask('set_steering_mode', { mode });
        await pi.ask('set_follow_up_mode', { mode });
        const from = await pi.running('busy');
        const ids = ['steer', 'steer', 'follow_up', 'follow_up'].map((type) =>
          pi.start({ type, message: mint(`${type} words`) }),
        );
        for (const id of ids) await pi.answered(id);
        await pi.idle(from);
      },
    }),
  ),
  {
    name: 'idle ways',
    title: 'A prompt that says how it is meant while nothing goes on, and an abort of nothing',
    needs: { script: ['text'] },
    async run({ open }) {
      const pi = await open();
      await pi.run('text', { streamingBehavior: 'followUp' });
      await pi.ask('abort');
      await pi.run('text');
    },
  },
  {
    name: 'abort',
    title: 'A message that has no end is aborted, and the next prompt is answered',
    needs: { script: ['endless', 'text'] },
    async run({ open }) {
      const pi = await open();
      const from = await pi.running('endless');
      const id = pi.start({ type: 'abort' });
      await pi.until('pi/abort-stops', 'agent_end behind the abort', from, ({ type }) => type === 'agent_end');
      await pi.answered(id);
      await pi.run('text');
    },
  },
  {
    name: 'abort tool',
    title: 'A tool that has no end is aborted',
    needs: { script: ['endless tool'] },
    async run({ open }) {
      const pi = await open();
      const from = await pi.prompt('endless tool');
      await pi.until('pi/tool-brackets', 'tool_execution_start', from, ({ type }) => type === 'tool_execution_start');
      const id = pi.start({ type: 'abort' });
      await pi.until('pi/abort-stops', 'agent_end behind the abort', from, ({ type }) => type === 'agent_end');
      await pi.answered(id);
    },
  },
];

const answers: ReadonlyMap<unknown, Dictionary> = new Map([
  ['select', { value: 'red' }],
  ['confirm', { confirmed: true }],
  ['input', { value: 'Ada' }],
  ['editor', { value: 'some words' }],
]);
const isQuestion = ({ type, method }: Dictionary) => type === 'extension_ui_request' && answers.has(method);

/** Scenarios with dialogs and notices of extensions. */
export const extensions: readonly PiScenario[] = [
  {
    name: 'dialogs',
    title: 'One dialog of each kind, answered',
    needs: { script: ['select', 'confirm', 'input', 'editor'] },
    async run({ open, tools }) {
      const pi = await open();
      for (const word of answers.keys()) {
        const from = pi.now;
        // A slash command opens its dialog before the prompt is answered, so the response cannot be awaited.
        const id = pi.start({ type: 'prompt', message: tools.script(String(word)) });
        const question = await pi.comes(`${String(word)} dialog`, from, isQuestion);
        await pi.ask('get_state');
        const answer = answers.get(question.method) ?? { cancelled: true };
        pi.say(JSON.stringify({ type: 'extension_ui_response', id: question.id, ...answer }));
        await pi.answered(id);
        await quiet(pi, from);
      }
    },
  },
  {
    name: 'approval',
    title: 'A tool that waits for leave',
    needs: { script: ['approval'] },
    async run({ open }) {
      const pi = await open();
      const from = await pi.prompt('approval');
      const question = await pi.comes('question', from, isQuestion);
      const [option] = Array.isArray(question.options) ? question.options : [];
      const answer = question.method === 'select' ? { value: option } : (answers.get(question.method) ?? {});
      pi.say(JSON.stringify({ type: 'extension_ui_response', id: question.id, ...answer }));
      await pi.idle(from);
    },
  },
  ...(
    [
      ['notices', 'notice', 'notify', 'Notices to the user'],
      ['displays', 'status', 'setStatus', 'A status, a widget and a title'],
    ] as const
  ).map(
    ([name, word, method, title]): PiScenario => ({
      name,
      title,
      needs: { script: [word] },
      async run({ open }) {
        const pi = await open();
        const from = await pi.prompt(word);
        await pi.comes(method, from, (line) => line.method === method);
        await quiet(pi, from);
      },
    }),
  ),
  {
    name: 'extension fails',
    title: 'An extension fails',
    needs: { script: ['extension error'] },
    async run({ open }) {
      const pi = await open();
      const from = await pi.prompt('extension error');
      const isError = (line: Dictionary) => line.type === 'extension_error';
      await pi.comes('extension_error', from, isError);
      await quiet(pi, from);
    },
  },
];

/** Ends the run of the prompt, if there is one: a slash command begins none. */
async function quiet(pi: PiClient, from: number): Promise<void> {
  await pi.ask('get_state');
  if (pi.received(from).some(({ type }) => type === 'agent_start')) await pi.idle(from);
}
