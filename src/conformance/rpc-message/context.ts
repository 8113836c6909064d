// The check context of the rpc-message dialect: a client on one connection, in the envelope of the RpcMessage project.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { type Connection, NotApplicable, type Tools } from '../check/check.ts';
import { createMessageWaiter } from '../check/message-waiter.ts';
import { requiredBy } from '../check/rule.ts';

/** Our client on one connection. */
export interface TestClient {
  /** Sends a frame that is no request. */
  send(frame: object): void;
  /**
   * Sends a request; resolves with the answer, or with the `complete` of a query. `check`: the check that requires the
   * answer.
   */
  call(method: string, params?: unknown, check?: string): Promise<Dictionary>;
  /** Sends the query for a script word and waits for its end. */
  query(word: string, check?: string): Promise<void>;
  /** Sends the query; resolves when the answer has begun. `over` waits for its end. */
  begin(word: string): Promise<{ over(check: string): Promise<Dictionary> }>;
}

/** The tools of one scenario. */
export interface CheckContext {
  readonly tools: Tools;
  /** Connects and returns the client with the result of `connect`. */
  connect(): Promise<TestClient & { readonly connected: Dictionary }>;
}

/** Builds the context for one scenario. */
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
  const waitForMessage = createMessageWaiter(connection);

  function send(method: string, params: unknown): { readonly id: string; readonly from: number } {
    const id = `${method}-${tools.nonce}-${++minted}`;
    const from = connection.log.length;
    connection.send(JSON.stringify({ id, method, ...(params === undefined ? {} : { params }) }));
    return { id, from };
  }
  async function end(id: string, from: number, check: string, isQuery = true): Promise<Dictionary> {
    // All readers of one event stream get the same frames, so these carry no query's envelope.
    const isBare = isQuery && tools.transport === 'sse';
    const isEnd = (json: Dictionary) =>
      json.id === id ? json.type !== 'stream' : isBare && json.id === undefined && json.type === 'result';
    const { json: ended } = await requiredBy(check, () => waitForMessage(`end of ${id}`, isEnd, from));
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
      await requiredBy('rpc-message/request-answered', () => waitForMessage('beginning of the answer', isAtWork, from));
      return { over: (check) => end(id, from, check) };
    },
  };
}
