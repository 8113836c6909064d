// A fake agent for front ends of rpc-message under test: each connection is one session, and queries run one at a time
// (docs/protocols/rpc-message.md 8). behaviours.ts has the content of the queries.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { type Connection, PeerWrong } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { runBehaviour } from './behaviours.ts';

/** Serves one client until it disconnects. */
export async function serveRpcMessage(
  connection: Connection,
  tools: ServeTools,
): Promise<{ readonly isComplete: boolean }> {
  const session = tools.mint('session');
  let lane = Promise.resolve();
  let activeQueries = 0;

  const say = (frame: Dictionary) => {
    if (connection.ended === null) connection.send(JSON.stringify(frame));
  };
  const reply = (id: unknown, result: unknown) => say({ id, result, error: null });
  const refuse = (id: unknown, message: string) => say({ id: id ?? null, result: null, error: { code: -1, message } });

  async function patiently(look: () => true | undefined): Promise<void> {
    await connection.until('what our agent waits for', look).catch((thrown: unknown) => {
      if (!(thrown instanceof PeerWrong)) throw thrown;
    });
  }

  async function query(id: unknown, words: string): Promise<void> {
    const from = connection.log.length;
    const isInterrupt = (json: unknown) => isDictionary(json) && json.method === 'interrupt';
    const isInterrupted = () => connection.log.slice(from).some(({ by, json }) => by === 'peer' && isInterrupt(json));
    await runBehaviour(tools.behaviourFor(words), {
      session,
      send: (message) => say({ id, type: 'stream', data: message }),
      async interrupted() {
        await patiently(() => (isInterrupted() ? true : undefined));
        // Let the log's reader handle the message first, so that the completeness of the conversation is known before
        // the next query begins.
        await tools.pause(0);
      },
      mint: tools.mint,
    });
    say({ id, type: 'complete' });
  }

  function begin(id: unknown, words: string): void {
    activeQueries += 1;
    lane = lane
      .then(() => query(id, words))
      .finally(() => {
        activeQueries -= 1;
      });
  }

  function take({ id, method, params }: Dictionary): void {
    switch (method) {
      case 'connect': {
        const capabilities = { canInterrupt: true, canSwitchModel: true, canSwitchPermissionMode: true };
        return reply(id, { sessionId: session, provider: 'claude', status: 'connected', capabilities });
      }
      case 'query':
        return begin(id, String(dictionaryOf(params).message));
      case 'queryWithContent':
        return begin(id, wordsOf(dictionaryOf(params).content));
      case 'interrupt':
      case 'disconnect':
        return reply(id, { status: method === 'interrupt' ? 'interrupted' : 'disconnected' });
      case 'setModel':
        return reply(id, { status: 'model_set', model: params });
      case 'setPermissionMode':
        return reply(id, { mode: dictionaryOf(params).mode, success: true });
      case 'getHistory':
        return reply(id, { messages: [] });
      default:
        return refuse(id, `Unknown method: ${String(method)}`);
    }
  }

  let read = 0;
  for (;;) {
    for (let received = connection.log[read]; received !== undefined; received = connection.log[read]) {
      read += 1;
      if (received.by !== 'peer') continue;
      if (isDictionary(received.json)) take(received.json);
      else refuse(null, 'no JSON object');
    }
    if (connection.ended !== null) break;
    await patiently(() => (connection.log.length > read ? true : undefined));
  }
  const isComplete = activeQueries === 0;
  await lane;
  return { isComplete };
}

/** The text of a content. */
function wordsOf(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((block) => String(dictionaryOf(block).text ?? '')).join(' ');
}
