// What the scenarios of native Claude speakers play on: a talk on one connection. Knows no rule.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { type Connection, NotApplicable, type Tools } from '../check/check.ts';
import { createMessageWaiter, type ReceivedMessage } from '../check/message-waiter.ts';
import { requiredBy } from '../check/rule.ts';

/** A talk with the agent. */
export interface TestClient {
  readonly connection: Connection;
  /** Where the next message will stand. */
  readonly now: number;
  send(frame: object): void;
  /** What stands there as it is, without a message around it. */
  sendText(text: string): void;
  /** Sends a control_request; resolves with the `response` of the answer, which that check asks for. */
  ask(request: { readonly subtype: string } & Dictionary, check?: string): Promise<Dictionary>;
  /** The answer of the greeting, which every talk begins with. */
  greeting(): Promise<Dictionary>;
  /** Sends the prompt of that word, with more blocks behind its text. */
  prompt(word: string, more?: readonly object[]): void;
  /** The first message from there on that is it. */
  waitFor(label: string, isIt: (json: Dictionary) => boolean, from: number): Promise<ReceivedMessage>;
  /** The next result from there on, which that check asks for. */
  result(from: number, check?: string): Promise<ReceivedMessage>;
  /** Both: a whole turn. Whatever leave is asked for on the way is given. */
  turn(word: string, check?: string): Promise<void>;
  /** What the agent asks next. Not applicable where the turn is over and nobody was asked. */
  question(from: number): Promise<ReceivedMessage>;
  /** Answers what it asked. */
  answer(asked: ReceivedMessage, response: object): void;
}

/** The stage of one scenario. */
export interface CheckContext {
  readonly tools: Tools;
  /** Plays a talk to its end: when everything that was asked is answered. */
  withClient(play: (client: TestClient) => Promise<void>): Promise<void>;
}

/** A prompt as the SDK sends it. */
export function promptFrame(content: string | readonly object[]): object {
  return { type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null };
}

const isResult = ({ type }: Dictionary): boolean => type === 'result';
const isQuestion = ({ type, request }: Dictionary): boolean =>
  type === 'control_request' && dictionaryOf(request).subtype === 'can_use_tool';

/** Makes the stage of one scenario. */
export function createContext(tools: Tools): CheckContext {
  return {
    tools,
    async withClient(play) {
      const client = createTestClient(await tools.connect(), tools);
      const greeting = client.greeting();
      // It may be late, and nothing waits for it but the end.
      greeting.catch(() => {});
      await play(client);
      await greeting;
    },
  };
}

function createTestClient(connection: Connection, tools: Tools): TestClient {
  let minted = 0;
  let greeted: Promise<Dictionary> | undefined;
  const hear = createMessageWaiter(connection);

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
    const { json } = await requiredBy(check, () => hear(`answer to ${request.subtype}`, isAnswer, from));
    return dictionaryOf(json.response);
  }

  const prompt: TestClient['prompt'] = (word, more = []) =>
    send(promptFrame([{ type: 'text', text: tools.script(word) }, ...more]));
  const result: TestClient['result'] = (from, check = 'claude/result-each-turn') =>
    requiredBy(check, () => hear('result', isResult, from));

  /** What the agent asks, or its result. */
  const next = (from: number, check = 'claude/result-each-turn') =>
    requiredBy(check, () => hear('question or result', (json) => isQuestion(json) || isResult(json), from));
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
    waitFor: hear,
    result,
    async turn(word, check) {
      let from = connection.log.length;
      prompt(word);
      for (;;) {
        const heard = await next(from, check);
        if (isResult(heard.json)) return;
        const { input } = dictionaryOf(heard.json.request);
        answer(heard, { behavior: 'allow', updatedInput: dictionaryOf(input) });
        from = heard.at + 1;
      }
    },
    async question(from) {
      const heard = await next(from);
      if (isResult(heard.json)) throw new NotApplicable('the agent did not ask');
      return heard;
    },
    answer,
  };
}
