// The check context of the native Claude dialect: a client with helpers to prompt, ask and answer.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { type Connection, NotApplicable, type Tools } from '../check/check.ts';
import { createMessageWaiter, type ReceivedMessage } from '../check/message-waiter.ts';
import { requiredBy } from '../check/rule.ts';

/** Our client on one connection. */
export interface TestClient {
  readonly connection: Connection;
  /** Index of the next message in the log. */
  readonly now: number;
  send(frame: object): void;
  /** Sends the text as it is, without a message around it. */
  sendText(text: string): void;
  /**
   * Sends a control_request; resolves with the `response` of the answer. `check`: the check that requires the answer.
   */
  ask(request: { readonly subtype: string } & Dictionary, check?: string): Promise<Dictionary>;
  /** The answer to `initialize`, with which every conversation begins. */
  greeting(): Promise<Dictionary>;
  /** Sends the prompt for a script word; `more` blocks follow its text. */
  prompt(word: string, more?: readonly object[]): void;
  /** The first matching message at or after index `from`. */
  waitFor(label: string, isIt: (json: Dictionary) => boolean, from: number): Promise<ReceivedMessage>;
  /** The first result at or after `from`. `check`: the check that requires the result. */
  result(from: number, check?: string): Promise<ReceivedMessage>;
  /** Sends a prompt and waits for the result. Grants every permission request. */
  turn(word: string, check?: string): Promise<void>;
  /** The agent's next question. Not applicable when the turn ends without a question. */
  question(from: number): Promise<ReceivedMessage>;
  /** Answers a question of the agent. */
  answer(asked: ReceivedMessage, response: object): void;
}

/** The tools of one scenario. */
export interface CheckContext {
  readonly tools: Tools;
  /** Connects, runs `play`, and waits until the greeting is answered. */
  withClient(play: (client: TestClient) => Promise<void>): Promise<void>;
}

/** A prompt as the SDK sends it. */
export function promptFrame(content: string | readonly object[]): object {
  return { type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null };
}

const isResult = ({ type }: Dictionary): boolean => type === 'result';
const isQuestion = ({ type, request }: Dictionary): boolean =>
  type === 'control_request' && dictionaryOf(request).subtype === 'can_use_tool';

/** Builds the context for one scenario. */
export function createContext(tools: Tools): CheckContext {
  return {
    tools,
    async withClient(play) {
      const client = createTestClient(await tools.connect(), tools);
      const greeting = client.greeting();
      // The answer may be late; only the end waits for it.
      greeting.catch(() => {});
      await play(client);
      await greeting;
    },
  };
}

function createTestClient(connection: Connection, tools: Tools): TestClient {
  let minted = 0;
  let greeted: Promise<Dictionary> | undefined;
  const waitForMessage = createMessageWaiter(connection);

  const send = (frame: object) => connection.send(JSON.stringify(frame));

  async function ask(
    request: { readonly subtype: string } & Dictionary,
    check = 'claude/request-answered',
  ): Promise<Dictionary> {
    const id = `${request.subtype}-${tools.nonce}-${++minted}`;
    const from = connection.log.length;
    send({ type: 'control_request', request_id: id, request });
    const isAnswer = ({ type, response }: Dictionary) =>
      type === 'control_response' && dictionaryOf(response).request_id === id;
    const { json } = await requiredBy(check, () => waitForMessage(`answer to ${request.subtype}`, isAnswer, from));
    return dictionaryOf(json.response);
  }

  const prompt: TestClient['prompt'] = (word, more = []) =>
    send(promptFrame([{ type: 'text', text: tools.script(word) }, ...more]));
  const result: TestClient['result'] = (from, check = 'claude/result-each-turn') =>
    requiredBy(check, () => waitForMessage('result', isResult, from));

  /** The agent's next question or result. */
  const next = (from: number, check = 'claude/result-each-turn') =>
    requiredBy(check, () => waitForMessage('question or result', (json) => isQuestion(json) || isResult(json), from));
  const answer: TestClient['answer'] = ({ json }, response) =>
    send({ type: 'control_response', response: { subtype: 'success', request_id: json.request_id, response } });

  return {
    connection,
    get now() {
      return connection.log.length;
    },
    send,
    sendText: (text) => connection.send(text),
    ask,
    greeting() {
      greeted ??= ask({ subtype: 'initialize' });
      return greeted;
    },
    prompt,
    waitFor: waitForMessage,
    result,
    async turn(word, check) {
      let from = connection.log.length;
      prompt(word);
      for (;;) {
        const received = await next(from, check);
        if (isResult(received.json)) return;
        const { input } = dictionaryOf(received.json.request);
        answer(received, { behavior: 'allow', updatedInput: dictionaryOf(input) });
        from = received.at + 1;
      }
    },
    async question(from) {
      const received = await next(from);
      if (isResult(received.json)) throw new NotApplicable('the agent did not ask');
      return received;
    },
    answer,
  };
}
