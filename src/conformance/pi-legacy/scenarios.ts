// Scenarios for agents of pi-legacy. Each gets an agent of its own, because earlier prompts would be part of the
// conversation.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { requiredBy, type Scenario } from '../check/rule.ts';
import type { CheckContext } from './context.ts';
import { contentOf } from './view/blocks.ts';

/** A picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { id: 'a1', type: 'image', fileName: 'dot.png', mimeType: 'image/png', size: 70, content: pixel };
const words = 'hello from the document';
const document = {
  ...{ id: 'a2', type: 'document', fileName: 'note.txt', mimeType: 'text/plain', size: words.length },
  ...{ content: Buffer.from(words).toString('base64'), extractedText: words },
};
/** A text that must come back unchanged. */
const odd = 'caf\u00e9 \u{1F600} "quoted" \\ tab\t';

const isAnswer = ({ type, message }: Dictionary) =>
  type === 'message_start' && dictionaryOf(message).role === 'assistant';

/** Prompts and waits until the model answers. */
async function begin(context: CheckContext, word: string): Promise<void> {
  await context.connect();
  const from = context.now;
  await context.send({ type: 'prompt', message: context.tools.script(word) });
  await context.prepare(() => context.until('answer of the model that begins', isAnswer, from));
}

/** All scenarios. */
export const scenarios: readonly Scenario<CheckContext>[] = [
  {
    name: 'talk',
    title: 'Two prompts, one after the other, the first with words that must be escaped.',
    needs: { script: ['text'], exclusive: true },
    async run(context) {
      await context.prompt(`${context.tools.script('text')} ${odd}`);
      await context.promptIfScripted('text');
      await context.promptIfScripted('unicode');
    },
  },
  {
    name: 'thinking',
    title: 'A prompt for which the model thinks.',
    needs: { script: ['think'], exclusive: true },
    async run(context) {
      await context.promptIfScripted('think');
    },
  },
  {
    name: 'tools',
    title: 'Prompts for which the model calls tools: one, several, and some that fail.',
    needs: { script: ['tool'], exclusive: true },
    async run(context) {
      await context.promptIfScripted('tool');
      await context.promptIfScripted('tools');
      await context.promptIfScripted('toolfail');
    },
  },
  {
    name: 'attachments',
    title: 'A prompt with a picture and a document.',
    needs: { script: ['text'], exclusive: true },
    async run(context) {
      await context.prompt(context.tools.script('text'), { attachments: [image, document] });
    },
  },
  {
    name: 'abort',
    title: 'An endless answer is aborted; then an abort while nothing goes on, and a prompt.',
    needs: { script: ['endless', 'text'], exclusive: true },
    async run(context) {
      await begin(context, 'endless');
      const from = context.now;
      await context.send({ type: 'abort' });
      await requiredBy('pi-legacy/abort-ends-run', () =>
        context.until('agent_end after the abort', ({ type }) => type === 'agent_end', from),
      );
      await context.send({ type: 'abort' });
      await context.promptIfScripted('text');
    },
  },
  {
    name: 'compact',
    title: 'A few prompts, a compaction, and one more prompt.',
    needs: { script: ['text'], exclusive: true },
    async run(context) {
      await context.promptIfScripted('text');
      await context.promptIfScripted('text');
      const from = context.now;
      await context.send({ type: 'compact', customInstructions: 'Keep the names.' });
      await requiredBy('pi-legacy/compact-answered', () =>
        context.until('compaction or error', ({ type }) => type === 'compaction' || type === 'error', from),
      );
      await context.promptIfScripted('text');
    },
  },
  {
    name: 'auto compaction',
    title: 'A prompt after which the agent compacts by itself.',
    needs: { script: ['compaction', 'text'], exclusive: true },
    async run(context) {
      await context.promptIfScripted('text');
      const from = context.now;
      await context.promptIfScripted('compaction');
      await context.prepare(() => context.until('compaction', ({ type }) => type === 'compaction', from));
    },
  },
  {
    name: 'fail',
    title: 'A prompt for which the model fails, and one for which it answers.',
    needs: { script: ['fail', 'text'], exclusive: true },
    async run(context) {
      await context.promptIfScripted('fail');
      await context.promptIfScripted('text');
    },
  },
  {
    name: 'bad input',
    title: 'Lines that are no JSON, a blank one, `null`, and then a prompt.',
    needs: { script: ['text'], exclusive: true },
    async run(context) {
      const bad = [
        ['bad-line-error', 'not json'],
        ['bad-line-error', '{"type":"prompt"'],
        ['blank-line-error', ''],
        ['null-line-error', 'null'],
      ] as const;
      for (const [check, text] of bad) {
        // An HTTP post cannot carry an empty frame.
        if (text === '' && context.tools.transport === 'sse') continue;
        await context.connect();
        const from = context.now;
        await context.say(text);
        const isError = ({ type }: Dictionary) => type === 'error';
        await requiredBy(`pi-legacy/${check}`, () => context.until(`error for ${JSON.stringify(text)}`, isError, from));
      }
      await context.promptIfScripted('text');
    },
  },
  {
    name: 'strange input',
    title: 'Commands that the protocol does not have, and then a prompt.',
    needs: { script: ['text'], exclusive: true },
    async run(context) {
      // A real 0.13.2 does not answer these lines (docs/protocols/pi-legacy.md 1.4).
      for (const line of [{}, { type: 'nosuch' }, { type: 'get_state', id: 'a' }, { type: 7 }])
        await context.send(line);
      await context.promptIfScripted('text');
    },
  },
  {
    name: 'busy',
    title: 'A prompt while another is at work.',
    needs: { script: ['busy', 'text'], exclusive: true },
    async run(context) {
      await begin(context, 'busy');
      const { log, until } = await context.connect();
      await context.send({ type: 'prompt', message: context.tools.script('text') });
      await requiredBy('pi-legacy/busy-prompts-run', () =>
        until('ends of both runs', () => {
          const received = log.filter(({ by }) => by === 'peer').map(({ json }) => dictionaryOf(json).type);
          const ends =
            received.filter((type) => type === 'agent_end').length + received.filter((type) => type === 'error').length;
          return ends >= 2 ? true : undefined;
        }),
      );
    },
  },
];

/** Whether the first text of a message contains this text. */
export const holds = (message: unknown, text: string): boolean =>
  contentOf(message).some((block) => String(dictionaryOf(block).text ?? '').includes(text));
