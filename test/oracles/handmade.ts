// A correct stream of native Claude frames, made by hand: what the judges are tried on before they judge anybody.

/** A frame that a test may break. */
export type Frame = { type: string; [key: string]: unknown };

const session = 'session-1';
const counts = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 };

/** The frames with a uuid each and the session's id. */
export function numbered(frames: readonly Frame[]): Frame[] {
  return frames.map((frame, at) => ({ ...frame, session_id: session, uuid: `uuid-${at}` }));
}

export const init: Frame = {
  type: 'system',
  subtype: 'init',
  cwd: '/project',
  tools: [],
  mcp_servers: [],
  model: 'fake-1',
  permissionMode: 'default',
  slash_commands: [],
  apiKeySource: 'none',
  output_style: 'default',
};

const resultBase = {
  ...{ num_turns: 1, duration_ms: 5, duration_api_ms: 4, total_cost_usd: 0.001, usage: counts },
  ...{ permission_denials: [], modelUsage: { 'fake-1': { inputTokens: 100, outputTokens: 1, costUSD: 0.001 } } },
};
export const success: Frame = {
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'Done.', stop_reason: 'end_turn' },
  ...resultBase,
};
export const failure: Frame = {
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  errors: ['interrupted'],
  ...resultBase,
};

export function stream(event: object, parent: string | null = null): Frame {
  return { type: 'stream_event', event, parent_tool_use_id: parent };
}

export function toolResult(id: string, parent: string | null = null): Frame {
  const content = [{ type: 'tool_result', tool_use_id: id, content: 'fine', is_error: false }];
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: parent };
}

export function assistant(id: string, content: object, parent: string | null = null): Frame {
  const of = { type: 'message', stop_reason: null, stop_sequence: null };
  const message = { ...of, id, role: 'assistant', model: 'fake-1', content: [content], usage: counts };
  return { type: 'assistant', message, parent_tool_use_id: parent };
}

interface Part {
  readonly open: object;
  readonly deltas: readonly object[];
  readonly whole: object;
}

export const text = (...pieces: string[]): Part => ({
  open: { type: 'text', text: '' },
  deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
  whole: { type: 'text', text: pieces.join('') },
});
export const thinking = (piece: string): Part => ({
  open: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    { type: 'thinking_delta', thinking: piece },
    { type: 'signature_delta', signature: 'c2ln' },
  ],
  whole: { type: 'thinking', thinking: piece, signature: 'c2ln' },
});
export const tool = (id: string): Part => ({
  open: { type: 'tool_use', id, name: 'bash', input: {} },
  deltas: ['{"comm', 'and":"ls"}'].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  whole: { type: 'tool_use', id, name: 'bash', input: { command: 'ls' } },
});

/** A whole message with its assistant frames. `lane` is the tool call of a sub-agent. */
export function message(id: string, parts: readonly Part[], stop: string | null, lane: string | null = null): Frame[] {
  const head = { id, type: 'message', role: 'assistant', model: 'fake-1', content: [], usage: counts };
  const start = { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null } };
  const delta = { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: counts };
  const blocks = parts.flatMap((part, index) => [
    stream({ type: 'content_block_start', index, content_block: part.open }, lane),
    ...part.deltas.map((delta) => stream({ type: 'content_block_delta', index, delta }, lane)),
    assistant(id, part.whole, lane),
    stream({ type: 'content_block_stop', index }, lane),
  ]);
  return [stream(start, lane), ...blocks, stream(delta, lane), stream({ type: 'message_stop' }, lane)];
}

const reply = { type: 'control_response', response: { subtype: 'success', request_id: 'i1', response: {} } };

/** Three turns: two tools, one of them a sub-agent; a plain answer; and one that is interrupted in a tool call. */
export const correct: readonly Frame[] = numbered([
  init,
  { type: 'system', subtype: 'status', status: 'requesting' },
  ...message('msg-1', [thinking('Hm.'), text('I ', 'look.'), tool('toolu-1'), tool('toolu-2')], 'tool_use'),
  ...message('msg-2', [text('I am ', 'the sub-agent.'), tool('toolu-3')], 'tool_use', 'toolu-2'),
  toolResult('toolu-3', 'toolu-2'),
  assistant('msg-3', { type: 'text', text: 'Whole, without a stream.' }, 'toolu-2'),
  toolResult('toolu-2'),
  toolResult('toolu-1'),
  ...message('msg-4', [text('Done.')], 'end_turn'),
  { ...success, num_turns: 3 },
  init,
  ...message('msg-5', [text('Plain.')], 'end_turn'),
  { ...success, result: 'Plain.' },
  reply,
  init,
  // Interrupted while the arguments of a call streamed: no assistant frame for what never became whole.
  ...message('msg-6', [text('Half a '), tool('toolu-6')], null).filter(
    (frame) => frame.type !== 'assistant' || !JSON.stringify(frame).includes('tool_use"'),
  ),
  failure,
]);

/** The index of the nth frame whose JSON holds all of `parts`. */
export function find(frames: readonly Frame[], ...parts: string[]): number {
  const at = frames.findIndex((frame) => parts.every((part) => JSON.stringify(frame).includes(part)));
  if (at < 0) throw new Error(`no frame with ${parts.join(' and ')}`);
  return at;
}

/** A copy of the correct stream for a test to break. */
export function copy(): Frame[] {
  return structuredClone([...correct]);
}
