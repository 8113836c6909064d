// Scenarios for agents that speak the native Claude format.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import type { Scenario } from '../check/rule.ts';
import { type CheckContext, promptFrame, type TestClient } from './context.ts';

/** One pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };

const inputOf = (asked: { readonly json: Dictionary }): Dictionary =>
  dictionaryOf(dictionaryOf(asked.json.request).input);

/** The same arguments, with one more word in one of the texts. */
function changed(input: Dictionary, word: string): Dictionary {
  const texts = Object.keys(input).filter((key) => typeof input[key] === 'string');
  // Of a shell command only the printed text may change.
  const key = texts.includes('command') ? 'command' : texts.at(-1);
  if (key === undefined) return { ...input, note: word };
  return { ...input, [key]: key === 'command' ? `echo ${word}` : word };
}

/** A turn with a permission request, answered by `respond`. */
async function ask(client: TestClient, respond: (input: Dictionary) => object): Promise<void> {
  const from = client.now;
  client.prompt('approval');
  const asked = await client.question(from);
  client.answer(asked, respond(inputOf(asked)));
  await client.result(from);
}

/** A prompt, something sent during its turn, and a plain turn afterwards. */
const turns =
  (...words: readonly string[]): Scenario<CheckContext>['run'] =>
  ({ withClient }) =>
    withClient(async (it) => {
      for (const word of words) await it.turn(word);
    });

export const scenarios: readonly Scenario<CheckContext>[] = [
  { name: 'text', title: 'two prompts that are answered with text', run: turns('text', 'text') },
  { name: 'think', title: 'a prompt that is thought about', needs: { script: ['think'] }, run: turns('think') },
  { name: 'tools', title: 'a prompt that uses tools', needs: { script: ['tools'] }, run: turns('tool', 'tools') },
  { name: 'toolfail', title: 'a prompt whose tool fails', needs: { script: ['toolfail'] }, run: turns('toolfail') },
  {
    name: 'unicode',
    title: 'characters that are easily broken',
    needs: { script: ['unicode'] },
    run: turns('unicode'),
  },
  {
    name: 'fail',
    title: 'a model that fails, and a prompt behind it',
    needs: { script: ['fail'] },
    run: ({ withClient }) =>
      withClient(async (it) => {
        await it.turn('fail');
        await it.turn('text', 'claude/next-turn');
      }),
  },
  { name: 'retry', title: 'a model that fails and is tried again', needs: { script: ['retry'] }, run: turns('retry') },
  { name: 'subagent', title: 'a sub-agent', needs: { script: ['subagent'] }, run: turns('subagent') },
  {
    name: 'compaction',
    title: 'a compaction, and a prompt behind it',
    needs: { script: ['compaction'] },
    run: turns('text', 'compaction', 'text'),
  },
  {
    name: 'image',
    title: 'a prompt with an image',
    needs: { script: ['image'] },
    run: ({ withClient }) =>
      withClient(async (it) => {
        const from = it.now;
        it.prompt('image', [image]);
        await it.result(from, 'claude/prompt-image');
      }),
  },
  {
    name: 'settings',
    title: 'everything that may be asked beside the conversation, and a prompt behind it',
    // The agent keeps the changed mode and model, so no other scenario can use the same agent.
    needs: { exclusive: true },
    run: ({ withClient }) =>
      withClient(async (it) => {
        const { models } = dictionaryOf((await it.greeting()).response);
        const offered = Array.isArray(models) ? dictionaryOf(models.at(-1)).value : undefined;
        await it.ask({ subtype: 'interrupt' });
        if (typeof offered === 'string') await it.ask({ subtype: 'set_model', model: offered });
        await it.ask({ subtype: 'set_permission_mode', mode: 'no_such_mode' });
        await it.ask({ subtype: 'set_permission_mode', mode: 'acceptEdits' });
        await it.ask({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: 1024 });
        await it.ask({ subtype: 'mcp_status' });
        await it.ask({ subtype: 'no_such_request' });
        await it.turn('text');
      }),
  },
  {
    name: 'allow',
    title: 'leave for a tool that is given',
    needs: { script: ['approval'] },
    run: ({ withClient }) => withClient((it) => ask(it, (updatedInput) => ({ behavior: 'allow', updatedInput }))),
  },
  {
    name: 'deny',
    title: 'leave for a tool that is denied',
    needs: { script: ['approval'] },
    run: ({ withClient }) =>
      withClient((it) => ask(it, () => ({ behavior: 'deny', message: 'Not today, thank you.' }))),
  },
  {
    name: 'change',
    title: 'leave for a tool that is given for other arguments',
    needs: { script: ['approval'] },
    run: ({ withClient, tools }) =>
      withClient((it) =>
        ask(it, (input) => ({ behavior: 'allow', updatedInput: changed(input, `changed-${tools.nonce}`) })),
      ),
  },
  {
    name: 'question',
    title: 'a question of the agent that is answered',
    needs: { script: ['select'] },
    run: ({ withClient }) =>
      withClient(async (it) => {
        const from = it.now;
        it.prompt('select');
        const asked = await it.question(from);
        const input = inputOf(asked);
        it.answer(asked, { behavior: 'allow', updatedInput: { ...input, answers: answersTo(input) } });
        await it.result(from);
      }),
  },
  {
    name: 'interrupt',
    title: 'a prompt that is interrupted, and a prompt behind it',
    needs: { script: ['endless'] },
    run: ({ withClient }) =>
      withClient(async (it) => {
        const from = it.now;
        it.prompt('endless');
        await it.waitFor('beginning of the answer', isAtWork, from);
        await it.ask({ subtype: 'interrupt' });
        await it.result(from, 'claude/interrupt-ends');
        await it.turn('text', 'claude/next-turn');
      }),
  },
  {
    name: 'withdraw',
    title: 'an interrupt while leave is asked for, and a prompt behind it',
    needs: { script: ['approval'] },
    run: ({ withClient }) =>
      withClient(async (it) => {
        const from = it.now;
        it.prompt('approval');
        await it.question(from);
        await it.ask({ subtype: 'interrupt' });
        await it.result(from, 'claude/interrupt-ends');
        await it.turn('text', 'claude/next-turn');
      }),
  },
  {
    name: 'odd',
    title: 'what an agent need not know, and prompts in other forms',
    run: ({ withClient, tools }) =>
      withClient(async (it) => {
        await it.greeting();
        it.send({ type: 'keep_alive' });
        await it.ask({ subtype: 'mcp_status' }, 'claude/keep-alive');
        it.send({ type: 'no_such_type', of: tools.nonce });
        await it.ask({ subtype: 'mcp_status' }, 'claude/unknown-type');
        it.sendText('');
        await it.ask({ subtype: 'mcp_status' }, 'claude/blank-line');
        const from = it.now;
        it.send(promptFrame(tools.script('text')));
        const { at } = await it.result(from, 'claude/prompt-string');
        it.sendText(`${JSON.stringify(promptFrame([{ type: 'text', text: tools.script('text') }]))}\r`);
        await it.result(at + 1, 'claude/prompt-crlf');
      }),
  },
];

/** The answer has begun; its next delta may take long. */
function isAtWork({ type, event }: Dictionary): boolean {
  if (type === 'assistant') return true;
  return type === 'stream_event' && dictionaryOf(event).type !== 'message_start';
}

/** Selects the first option of every question. */
function answersTo({ questions }: Dictionary): Dictionary {
  const asked = Array.isArray(questions) ? questions.map(dictionaryOf) : [];
  return Object.fromEntries(
    asked.map(({ question, options }) => {
      const [first] = Array.isArray(options) ? options : [];
      return [String(question), dictionaryOf(first).label ?? ''];
    }),
  );
}
