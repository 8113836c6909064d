// A fake Claude Code that serves the client under test, over stdio or a WebSocket, one turn at a time
// (docs/protocols/claude.md 3, 4). behaviours.ts has the content of the turns.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryIn, dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { type Connection, PeerWrong } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { runBehaviour } from './behaviours.ts';

/** Serves one client until it disconnects. */
export async function serveClaude(
  connection: Connection,
  tools: ServeTools,
): Promise<{ readonly isComplete: boolean }> {
  const session = crypto.randomUUID();
  let initialize: Dictionary = {};
  let lane = Promise.resolve();
  let activeTurns = 0;

  const say = (frame: Dictionary) => {
    if (connection.ended === null) connection.send(JSON.stringify(frame));
  };

  /** Messages of the client from index `from` on. */
  const saidSince = (from: number): readonly Dictionary[] =>
    connection.log.slice(from).flatMap(({ by, text }) => (by === 'peer' ? messagesIn(text) : []));

  async function patiently(look: () => true | undefined): Promise<void> {
    await connection.until('what our agent waits for', look).catch((thrown: unknown) => {
      if (!(thrown instanceof PeerWrong)) throw thrown;
    });
    // Let the log's reader handle the message first, so that the completeness of the conversation is known before the
    // next turn begins.
    await tools.pause(0);
  }

  const isInterrupt = ({ type, request }: Dictionary) =>
    type === 'control_request' && dictionaryOf(request).subtype === 'interrupt';

  async function ask(request: Dictionary): Promise<Dictionary | null> {
    const requestId = tools.mint('ask');
    const from = connection.log.length;
    say({ type: 'control_request', request_id: requestId, request });
    const answer = () =>
      saidSince(from)
        .filter(({ type }) => type === 'control_response')
        .map(({ response }) => dictionaryOf(response))
        .find((response) => response.request_id === requestId);
    const isOver = () => answer() !== undefined || saidSince(from).some(isInterrupt);
    await patiently(() => (isOver() ? true : undefined));
    const { subtype, response } = answer() ?? {};
    return subtype === 'success' ? dictionaryOf(response) : null;
  }

  function answerTo(request: Dictionary): Dictionary | null {
    switch (request.subtype) {
      case 'initialize':
        initialize = request;
        return {
          commands: [],
          agents: [],
          output_style: 'default',
          available_output_styles: ['default'],
          models: [{ value: 'conformance-1', displayName: 'Conformance', description: '' }],
          account: {},
        };
      case 'interrupt':
        return { still_queued: [] };
      case 'set_model':
        return { model: request.model };
      case 'set_permission_mode':
        return { mode: request.mode };
      case 'set_max_thinking_tokens':
        return {};
      case 'mcp_status':
        return { mcpServers: [] };
      default:
        return null;
    }
  }

  function take(message: Dictionary): void {
    if (message.type === 'control_request') {
      const request = dictionaryOf(message.request);
      const response = answerTo(request);
      const head = { request_id: message.request_id };
      const error = `Unsupported control request subtype: ${String(request.subtype)}`;
      const refusal = { ...head, subtype: 'error', error, error_code: 'unsupported_request' };
      return say({
        type: 'control_response',
        response: response === null ? refusal : { ...head, subtype: 'success', response },
      });
    }
    if (message.type !== 'user') return;
    activeTurns += 1;
    lane = lane
      .then(() => turn(wordsOf(message)))
      .finally(() => {
        activeTurns -= 1;
      });
  }

  async function turn(prompt: string): Promise<void> {
    const from = connection.log.length;
    const name = tools.behaviourFor(prompt);
    await runBehaviour(name, {
      session,
      initialize,
      send: say,
      ask,
      async askAndWithdraw(request) {
        const requestId = tools.mint('ask');
        say({ type: 'control_request', request_id: requestId, request });
        say({ type: 'control_cancel_request', request_id: requestId });
        await tools.pause(20);
      },
      interrupted: () => patiently(() => (saidSince(from).some(isInterrupt) ? true : undefined)),
      mint: tools.mint,
    });
  }

  let read = 0;
  for (;;) {
    for (let received = connection.log[read]; received !== undefined; received = connection.log[read]) {
      read += 1;
      if (received.by === 'peer') for (const message of messagesIn(received.text)) take(message);
    }
    if (connection.ended !== null) break;
    const waiting = connection.until('word of the client', () => (connection.log.length > read ? true : undefined));
    await waiting.catch((thrown: unknown) => {
      if (!(thrown instanceof PeerWrong)) throw thrown;
    });
  }
  const isComplete = activeTurns === 0;
  await lane;
  return { isComplete };
}

/** The messages of one frame; a WebSocket frame may hold several lines (docs/protocols/claude.md 9.1). */
export function messagesIn(text: string): readonly Dictionary[] {
  return text.split('\n').flatMap((line) => {
    const message = dictionaryIn(line);
    return message === null ? [] : [message];
  });
}

/** The text of a prompt. */
function wordsOf({ message }: Dictionary): string {
  const { content } = dictionaryOf(message);
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((block) => (isDictionary(block) && typeof block.text === 'string' ? block.text : '')).join(' ');
}
