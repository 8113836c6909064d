// What the scenarios of the rpc-message dialect play on: a talk on one connection, in the envelope of the project of RpcMessage. Knows
// no rule.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { type Connection, NotApplicable, type Tools } from '../check/check.ts';
import { createMessageWaiter } from '../check/message-waiter.ts';
import { requiredBy } from '../check/rule.ts';

/** A talk with the agent. */
export interface TestClient {
  /** Sends what is no request. */
  send(frame: object): void;
  /** Sends a request; resolves with its answer, or its `complete`, which that check asks for. */
  call(method: string, params?: unknown, check?: string): Promise<Dictionary>;
  /** Sends the query of that word and hears it out. */
  query(word: string, check?: string): Promise<void>;
  /** Sends it; resolves when something of the answer has come, with a way to hear it out. */
  begin(word: string): Promise<{ over(check: string): Promise<Dictionary> }>;
}

/** The stage of one scenario. */
export interface CheckContext {
  readonly tools: Tools;
  /** A connection that was connected, with the result of that. */
  connect(): Promise<TestClient & { readonly connected: Dictionary }>;
}

/** Makes the stage of one scenario. */
export function createContext(tools: Tools): CheckContext {
  return {
    tools,
    async connect() {
      const client = createTestClient(await tools.connect(), tools);
      const answer = await client.call('connect', {}, 'rpc-message/connect-result');
      return { ...client, connected: dictionaryOf(answer.result) };
    },
  };
}

function createTestClient(connection: Connection, tools: Tools): TestClient {
  let minted = 0;
  const hear = createMessageWaiter(connection);

  function send(method: string, params: unknown): { readonly id: string; readonly from: number } {
    const id = `${method}-${tools.nonce}-${++minted}`;
    const from = connection.log.length;
    connection.send(JSON.stringify({ id, method, ...(params === undefined ? {} : { params }) }));
    return { id, from };
  }
  async function end(id: string, from: number, check: string, isQuery = true): Promise<Dictionary> {
    // All who read one stream read the same frames: nobody's envelope is on them.
    const isBare = isQuery && tools.transport === 'sse';
    const isEnd = (json: Dictionary) =>
      json.id === id ? json.type !== 'stream' : isBare && json.id === undefined && json.type === 'result';
    const { json: ended } = await requiredBy(check, () => hear(`end of ${id}`, isEnd, from));
    if (ended.id !== id) throw new NotApplicable('over server-sent events frames go bare, and no query has an end');
    return ended;
  }

  return {
    send: (frame) => connection.send(JSON.stringify(frame)),
    call(method, params, check = 'rpc-message/request-answered') {
      const { id, from } = send(method, params);
      return end(id, from, check, method.startsWith('query'));
    },
    async query(word, check = 'rpc-message/request-answered') {
      const { id, from } = send('query', { message: tools.script(word) });
      await end(id, from, check);
    },
    async begin(word) {
      const { id, from } = send('query', { message: tools.script(word) });
      const isAtWork = (json: Dictionary) => {
        const { event } = json.id === id ? dictionaryOf(json.data) : tools.transport === 'sse' ? json : {};
        return dictionaryOf(event).type === 'content_block_start';
      };
      await requiredBy('rpc-message/request-answered', () => hear('beginning of the answer', isAtWork, from));
      return { over: (check) => end(id, from, check) };
    },
  };
}
