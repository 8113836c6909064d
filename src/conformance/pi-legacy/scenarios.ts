// What is played with an agent of pi-legacy, for the rules to read. Each has an agent of its own: what is said before would be
// part of the conversation.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { owed, type Scenario } from '../rule.ts';
import { contentOf } from './blocks.ts';
import type { Stage } from './stage.ts';

/** A picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { id: 'a1', type: 'image', fileName: 'dot.png', mimeType: 'image/png', size: 70, content: pixel };
const words = 'hello from the document';
const document = {
  ...{ id: 'a2', type: 'document', fileName: 'note.txt', mimeType: 'text/plain', size: words.length },
  ...{ content: Buffer.from(words).toString('base64'), extractedText: words },
};
/** What must come back as it was sent. */
const odd = 'caf\u00e9 \u{1F600} "quoted" \\ tab\t';

const isAnswer = ({ type, message }: Dictionary) =>
  type === 'message_start' && dictionaryOf(message).role === 'assistant';

/** Prompts, and waits until the model answers. */
async function begin(stage: Stage, word: string): Promise<void> {
  await stage.connect();
  const from = stage.now;
  await stage.send({ type: 'prompt', message: stage.tools.script(word) });
  await stage.prepare(() => stage.until('answer of the model that begins', isAnswer, from));
}

/** The scenarios of the agent side. */
export const scenarios: readonly Scenario<Stage>[] = [
  {
    name: 'talk',
    title: 'Two prompts, one after the other, the first with words that must be escaped.',
    needs: { script: ['text'], alone: true },
    async play(stage) {
      await stage.prompt(`${stage.tools.script('text')} ${odd}`);
      await stage.tries('text');
      await stage.tries('unicode');
    },
  },
  {
    name: 'thinking',
    title: 'A prompt for which the model thinks.',
    needs: { script: ['think'], alone: true },
    async play(stage) {
      await stage.tries('think');
    },
  },
  {
    name: 'tools',
    title: 'Prompts for which the model calls tools: one, several, and some that fail.',
    needs: { script: ['tool'], alone: true },
    async play(stage) {
      await stage.tries('tool');
      await stage.tries('tools');
      await stage.tries('toolfail');
    },
  },
  {
    name: 'attachments',
    title: 'A prompt with a picture and a document.',
    needs: { script: ['text'], alone: true },
    async play(stage) {
      await stage.prompt(stage.tools.script('text'), { attachments: [image, document] });
    },
  },
  {
    name: 'abort',
    title: 'An endless answer is aborted; then an abort while nothing goes on, and a prompt.',
    needs: { script: ['endless', 'text'], alone: true },
    async play(stage) {
      await begin(stage, 'endless');
      const from = stage.now;
      await stage.send({ type: 'abort' });
      await owed('pi-legacy/abort-ends-run', () =>
        stage.until('agent_end after the abort', ({ type }) => type === 'agent_end', from),
      );
      await stage.send({ type: 'abort' });
      await stage.tries('text');
    },
  },
  {
    name: 'compact',
    title: 'A few prompts, a compaction, and one more prompt.',
    needs: { script: ['text'], alone: true },
    async play(stage) {
      await stage.tries('text');
      await stage.tries('text');
      const from = stage.now;
      await stage.send({ type: 'compact', customInstructions: 'Keep the names.' });
      await owed('pi-legacy/compact-answered', () =>
        stage.until('compaction or error', ({ type }) => type === 'compaction' || type === 'error', from),
      );
      await stage.tries('text');
    },
  },
  {
    name: 'auto compaction',
    title: 'A prompt after which the agent compacts by itself.',
    needs: { script: ['compaction', 'text'], alone: true },
    async play(stage) {
      await stage.tries('text');
      const from = stage.now;
      await stage.tries('compaction');
      await stage.prepare(() => stage.until('compaction', ({ type }) => type === 'compaction', from));
    },
  },
  {
    name: 'fail',
    title: 'A prompt for which the model fails, and one for which it answers.',
    needs: { script: ['fail', 'text'], alone: true },
    async play(stage) {
      await stage.tries('fail');
      await stage.tries('text');
    },
  },
  {
    name: 'bad input',
    title: 'Lines that are no JSON, a blank one, `null`, and then a prompt.',
    needs: { script: ['text'], alone: true },
    async play(stage) {
      const bad = [
        ['bad-line-error', 'not json'],
        ['bad-line-error', '{"type":"prompt"'],
        ['blank-line-error', ''],
        ['null-line-error', 'null'],
      ] as const;
      for (const [check, text] of bad) {
        // Where frames are posted there is no empty one.
        if (text === '' && stage.tools.transport === 'sse') continue;
        await stage.connect();
        const from = stage.now;
        await stage.say(text);
        const isError = ({ type }: Dictionary) => type === 'error';
        await owed(`pi-legacy/${check}`, () => stage.until(`error for ${JSON.stringify(text)}`, isError, from));
      }
      await stage.tries('text');
    },
  },
  {
    name: 'strange input',
    title: 'Commands that the protocol does not have, and then a prompt.',
    needs: { script: ['text'], alone: true },
    async play(stage) {
      // A real 0.13.2 says nothing to them (docs/protocols/pi-legacy.md 1.4).
      for (const line of [{}, { type: 'nosuch' }, { type: 'get_state', id: 'a' }, { type: 7 }]) await stage.send(line);
      await stage.tries('text');
    },
  },
  {
    name: 'busy',
    title: 'A prompt while another is at work.',
    needs: { script: ['busy', 'text'], alone: true },
    async play(stage) {
      await begin(stage, 'busy');
      const { log, until } = await stage.connect();
      await stage.send({ type: 'prompt', message: stage.tools.script('text') });
      await owed('pi-legacy/busy-prompts-run', () =>
        until('ends of both runs', () => {
          const heard = log.filter(({ by }) => by === 'peer').map(({ json }) => dictionaryOf(json).type);
          const ends =
            heard.filter((type) => type === 'agent_end').length + heard.filter((type) => type === 'error').length;
          return ends >= 2 ? true : undefined;
        }),
      );
    },
  },
];

/** Whether those words are in the first text of a message. */
export const holds = (message: unknown, text: string): boolean =>
  contentOf(message).some((block) => String(dictionaryOf(block).text ?? '').includes(text));
