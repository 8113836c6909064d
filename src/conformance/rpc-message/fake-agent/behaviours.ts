// The behaviours of our fake rpc-message agent: the messages of one query (docs/protocols/rpc-message.md 3, 6).
import type { Dictionary } from '../../../core/model/content.ts';
import type { Behaviour } from '../../check/sets.ts';

/** Behaviours that a prompt can request by name. */
export const behaviours: readonly Behaviour[] = [
  { name: 'text', title: 'Thoughts, then text, in pieces.' },
  { name: 'tool', title: 'A tool and its result, then text.' },
  { name: 'endless', title: 'Text that goes on until it is interrupted.' },
  { name: 'fail', title: 'An error, and a result that says so.' },
  { name: 'unknown', title: 'A block of a kind that the front end does not know.' },
];

/** The actions that a behaviour can use. */
export interface BehaviourPorts {
  readonly session: string;
  send(message: Dictionary): void;
  /** Resolves when the client interrupts or disconnects. */
  interrupted(): Promise<void>;
  mint(word: string): string;
}

const usage = { input_tokens: 3, output_tokens: 1 };

/** Runs one query, up to its `result`. */
export async function runBehaviour(name: string, { session, send, interrupted, mint }: BehaviourPorts): Promise<void> {
  const tell = (message: Dictionary) => send({ ...message, provider: 'claude' });
  const event = (fields: Dictionary) =>
    tell({ type: 'stream_event', uuid: crypto.randomUUID(), session_id: session, event: fields });
  const end = (fields: Dictionary = {}) =>
    tell({
      type: 'result',
      subtype: 'success',
      duration_ms: 5,
      duration_api_ms: 4,
      is_error: false,
      num_turns: 1,
      session_id: session,
      usage,
      ...fields,
    });

  function begin(): string {
    const id = mint('msg');
    event({ type: 'message_start', message: { id, model: 'conformance-1', content: [] } });
    return id;
  }
  function block(index: number, blank: Dictionary, deltas: readonly Dictionary[]): void {
    event({ type: 'content_block_start', index, content_block: blank });
    for (const delta of deltas) event({ type: 'content_block_delta', index, delta });
    event({ type: 'content_block_stop', index });
  }
  function stop(id: string, content: readonly Dictionary[], reason: string): void {
    event({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 9 } });
    event({ type: 'message_stop' });
    tell({ type: 'assistant', id, message: { content, model: 'conformance-1' } });
  }
  function text(words: string, first: readonly Dictionary[] = []): void {
    const id = begin();
    for (const [index, one] of first.entries()) block(index, one, []);
    const deltas = (words.match(/\S+\s*/gu) ?? []).map((piece) => ({ type: 'text_delta', text: piece }));
    block(first.length, { type: 'text', text: '' }, deltas);
    stop(id, [...first, { type: 'text', text: words }], 'end_turn');
  }
  function tool(): void {
    const id = begin();
    const input = { command: 'echo hello' };
    const call = { type: 'tool_use', id: mint('toolu'), toolName: 'Bash', name: 'Bash', toolType: 'CLAUDE_BASH' };
    const blank = { ...call, input: {}, status: 'in_progress' };
    block(0, blank, [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]);
    stop(id, [{ ...call, input, status: 'in_progress' }], 'tool_use');
    const result = { type: 'tool_result', tool_use_id: call.id, content: 'hello', is_error: false };
    tell({ type: 'user', message: { role: 'user', content: [result] } });
  }

  switch (name) {
    case 'endless':
      begin();
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'and on' } });
      await interrupted();
      event({ type: 'content_block_stop', index: 0 });
      event({ type: 'message_delta', delta: {}, usage: { output_tokens: 2 } });
      event({ type: 'message_stop' });
      return end({ subtype: 'error_during_execution', is_error: true });
    case 'fail':
      tell({ type: 'error', message: 'the model has failed' });
      return end({ subtype: 'error_during_execution', is_error: true });
    case 'tool':
      tool();
      text('hello from conformance');
      return end();
    case 'unknown':
      text('look', [{ type: 'unknown', originalType: 'hologram', data: { shape: 'cube' } }]);
      return end();
    default:
      text('hello from conformance', [{ type: 'thinking', thinking: 'let me see' }]);
      return end();
  }
}
