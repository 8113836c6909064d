// Checks of questions to the user: docs/protocols/pi-server.md 18 (rows: 23.11).
import type { Dictionary } from '../../../core/model/content.ts';
import { NotApplicable, type Settings } from '../../check/check.ts';
import { answeredAt, expect } from '../check-client.ts';
import type { CheckContext, ClientWithSession, PiServerRows } from '../context.ts';
import { textOf } from '../view/frames.ts';

/** A question timeout short enough that a check can wait for it. */
const shortQuestions: Settings = { questionMs: 700 };

type Method = 'select' | 'confirm' | 'input' | 'editor';
const methods: readonly Method[] = ['select', 'confirm', 'input', 'editor'];

/** A question that an agent has asked, and the client that got it. */
interface Question extends ClientWithSession {
  /** Id of the prompt that led to the question. */
  readonly prompt: string;
  readonly request: Dictionary;
  /** Index in the log: everything from here on came after the question. */
  readonly from: number;
}

/** Prompts so that the agent asks; in a new session unless one is given. */
async function asked(
  context: CheckContext,
  word: string,
  method: Method,
  where?: ClientWithSession,
): Promise<Question> {
  const place = where ?? (await context.clientWithSession({ watched: true }));
  const begin = place.client.now;
  const prompt = place.client.start(context.prompt(place.session, word));
  const isIt = (event: Dictionary) => event.type === 'extension_ui_request' && event.method === method;
  const { event, at } = await place.client.untilEvent(place.session, `question of kind ${method}`, isIt, begin);
  return { ...place, prompt, request: event, from: at + 1 };
}

const answerTo = ({ session, request }: Question, response: unknown) => ({
  type: 'extension_ui_response',
  sessionId: session,
  requestId: request.requestId,
  response,
});

/** The texts of the agent after the answer: its messages, and its notices to the user. */
function toldBy({ client, session, from }: Question): string {
  const events = client.events(session, from).map(({ event }) => {
    if (event.type === 'message_end') return textOf(event.message);
    return event.type === 'extension_ui_request' && event.method === 'notify' ? String(event.message) : '';
  });
  return events.join('\n');
}

/** An answer for this method, and a word that must come back in the agent's text. */
function answerOf(method: Method, request: Dictionary): { readonly response: object; readonly word: string | null } {
  const word = `words-of-${method}`;
  switch (method) {
    case 'select': {
      const { options } = request;
      const option = Array.isArray(options) ? String(options.at(-1)) : '';
      return { response: { method, value: option }, word: option };
    }
    case 'confirm':
      return { response: { method, confirmed: true }, word: null };
    case 'input':
    case 'editor':
      return { response: { method, value: word }, word };
    default:
      return method satisfies never;
  }
}

/** Answers, waits for the end of the prompt, and returns what the agent said then. */
async function answered(question: Question, response: object): Promise<string> {
  const { client, prompt } = question;
  await client.succeeds(answerTo(question, response));
  await client.response(prompt);
  await client.settled();
  return toldBy(question);
}

/**
 * Shows that the answer reaches the agent. The agent must repeat the word of the answer. An answer without a word is
 * yes or no, and the agent must say different things after a yes and after a no.
 */
async function answerReaches(context: CheckContext, word: string, method: Method): Promise<void> {
  const question = await asked(context, word, method);
  const { response, word: echo } = answerOf(method, question.request);
  const outcome = await answered(question, response);
  if (echo !== null) return expect(outcome.includes(echo), `the agent must have got '${echo}', and told:`, outcome);
  const other = await answered(await asked(context, word, method, question), { method, confirmed: false });
  expect(outcome !== other, 'yes and no must not be the same to the agent, which told:', outcome);
}

function insideRow(method: Method): [string, PiServerRows[string]] {
  return [
    `18-97:${method}`,
    {
      section: '18',
      sentence: `A question of kind ${method} that is put in a prompt can be answered.`,
      covers: [`dialog:${method}`, 'session:extension_ui_request', 'command:extension_ui_response'],
      input: `prompt whose agent asks with ${method}, answered`,
      expected: 'response success, the agent gets the value, the prompt ends',
      needs: { script: [method] },
      run: (context) => answerReaches(context, method, method),
    },
  ];
}

function outsideRow(method: Method): [string, PiServerRows[string]] {
  return [
    `18-96:${method}`,
    {
      section: '18',
      sentence: `A question of kind ${method} that is put outside a command can be answered.`,
      covers: [`dialog:${method}`, 'session:extension_ui_request', 'command:extension_ui_response'],
      input: `an agent asks with ${method} when its prompt is over, answered`,
      expected: 'response success, the agent gets the value',
      needs: { script: [`later ${method}`] },
      async run(context) {
        const question = await asked(context, `later ${method}`, method);
        const { client, session, prompt, request } = question;
        await context.prepare(() => client.response(prompt));
        const { response, word } = answerOf(method, request);
        await client.succeeds(answerTo(question, response));
        const isSettledEvent = (event: Dictionary) =>
          event.method === 'notify' && (word === null || JSON.stringify(event.message).includes(word));
        await client.untilEvent(session, 'notice of the answer', isSettledEvent, question.from);
      },
    },
  ];
}

/** Rows 96 to 101. */
export const dialogRows: PiServerRows = {
  ...Object.fromEntries(methods.map(outsideRow)),
  ...Object.fromEntries(methods.map(insideRow)),
  '18.2-98': {
    section: '18.2',
    sentence: 'A question can be dismissed.',
    covers: ['dialog:cancelled'],
    input: 'extension_ui_response with method cancelled',
    expected: 'response success, the agent gets no value, the prompt ends',
    needs: { script: ['select'] },
    async run(context) {
      const question = await asked(context, 'select', 'select');
      const outcome = await answered(question, { method: 'cancelled' });
      const { options } = question.request;
      const found = Array.isArray(options) ? options.find((option) => outcome.includes(String(option))) : undefined;
      expect(found === undefined, 'the agent must have got no value, and told:', outcome);
    },
  },
  '18.2-99': {
    section: '18.2',
    isMeasured: true,
    level: 'MAY',
    sentence: 'An answer is for one open question of its own session.',
    input: 'unknown requestId; another session; a second answer',
    expected: 'failures "No pending UI request with id …", "Session ID mismatch for request …", "No pending …"',
    needs: { script: ['select'] },
    async run(context) {
      const question = await asked(context, 'select', 'select');
      const { client, request } = question;
      const other = await context.session(client);
      const { response } = answerOf('select', request);
      const answer = answerTo(question, response);
      const none = /^No pending UI request with id /u;
      await client.fails({ ...answer, requestId: context.mint('none') }, none);
      await client.fails({ ...answer, sessionId: other }, /^Session ID mismatch for request /u);
      await client.succeeds(answer);
      await client.fails(answer, none);
    },
  },
  '18.2-100': {
    section: '18.2',
    sentence: 'An answer of an unknown kind is no answer.',
    input: 'response.method nobody',
    expected: 'validation failure, no lifecycle; the question stays open',
    needs: { script: ['select'] },
    async run(context) {
      const question = await asked(context, 'select', 'select');
      const { client, request } = question;
      const id = context.mint('answer');
      await client.fails({ id, ...answerTo(question, { method: 'nobody' }) }, /response\.method/u);
      await client.settled();
      client.expectPhases(id);
      await client.succeeds(answerTo(question, answerOf('select', request).response));
    },
  },
  '18.3-101': {
    section: '18.3',
    sentence: 'A question that nobody answers ends by itself.',
    input: 'a question, no answer, then an answer behind its time',
    expected: 'the prompt ends; the late answer fails',
    needs: { settings: shortQuestions, script: ['select'] },
    async run(context) {
      const question = await asked(context, 'select', 'select');
      const { client, prompt, request } = question;
      expect(answeredAt(client, prompt) < 0, 'the prompt must wait for the answer');
      await client.response(prompt);
      const late = answerTo(question, answerOf('select', request).response);
      await client.fails(late, /^No pending UI request with id /u);
    },
  },
  '18.1-101b': {
    section: '18.1',
    sentence: 'A question has an id, a kind, and what its kind needs.',
    input: 'prompts whose agent asks with select, confirm, input, editor',
    expected: 'requestId; title; options of select, message of confirm',
    needs: { script: ['select', 'confirm'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const seen: unknown[] = [];
      for (const method of methods) {
        if (!isKnown(context, method)) continue;
        const question = await asked(context, method, method, place);
        const { requestId, title, options, message } = question.request;
        const isComplete = typeof requestId === 'string' && requestId !== '' && typeof title === 'string';
        expect(isComplete, 'it must have requestId and title:', question.request);
        expect(method !== 'select' || (Array.isArray(options) && options.length > 0), 'options:', question.request);
        expect(method !== 'confirm' || typeof message === 'string', 'message:', question.request);
        expect(!seen.includes(requestId), 'requestId must be unique:', requestId);
        seen.push(requestId);
        await answered(question, { method: 'cancelled' });
      }
    },
  },
};

function isKnown({ tools }: CheckContext, word: string): boolean {
  try {
    return tools.script(word) !== '';
  } catch (thrown) {
    if (thrown instanceof NotApplicable) return false;
    throw thrown;
  }
}
