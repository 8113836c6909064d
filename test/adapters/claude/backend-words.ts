// Frames of a Claude agent, as short as they can be.

type Json = Record<string, unknown>;

const lane = (parent?: string) => ({ parent_tool_use_id: parent ?? null });
const stream = (event: Json, parent?: string) => ({ type: 'stream_event', event, ...lane(parent) });
const api = (id: string | undefined, content: readonly Json[] = [], more: Json = {}) => ({
  ...(id === undefined ? {} : { id }),
  role: 'assistant',
  model: 'm-1',
  content,
  ...more,
});

export const wire = {
  init: (more: Json = {}) => ({ type: 'system', subtype: 'init', session_id: 's', ...more }),
  system: (subtype: string, more: Json = {}) => ({ type: 'system', subtype, ...more }),
  start: (id: string, more: Json = {}, parent?: string) =>
    stream({ type: 'message_start', message: api(id, [], more) }, parent),
  begin: (index: number, block: Json) => stream({ type: 'content_block_start', index, content_block: block }),
  text: (index: number, text: string) =>
    stream({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }),
  json: (index: number, partial_json: string) =>
    stream({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
  delta: (index: number, delta: Json) => stream({ type: 'content_block_delta', index, delta }),
  end: (index: number) => stream({ type: 'content_block_stop', index }),
  reason: (stop_reason: string | null, usage: Json = {}) =>
    stream({ type: 'message_delta', delta: { stop_reason }, usage }),
  stop: stream({ type: 'message_stop' }),
  copy: (id: string | undefined, content: readonly Json[], more: Json = {}, parent?: string) => ({
    type: 'assistant',
    message: api(id, content),
    ...lane(parent),
    ...more,
  }),
  result: (more: Json = {}) => ({ type: 'result', subtype: 'success', is_error: false, result: 'done', ...more }),
  user: (content: unknown, more: Json = {}, parent?: string) => ({
    type: 'user',
    message: { role: 'user', content },
    ...lane(parent),
    ...more,
  }),
  answer: (call: string, content: unknown = 'ok', more: Json = {}) => ({
    type: 'tool_result',
    tool_use_id: call,
    content,
    ...more,
  }),
  call: (id: string, input: Json = {}, name = 'Look') => ({ type: 'tool_use', id, name, input }),
  asks: (request_id: string, request: Json) => ({ type: 'control_request', request_id, request }),
  permission: (id: string, more: Json = {}) => ({
    type: 'control_request',
    request_id: id,
    request: { subtype: 'can_use_tool', tool_name: 'Look', input: { a: 1 }, tool_use_id: 't1', ...more },
  }),
  granted: (request_id: string, response?: unknown) => ({
    type: 'control_response',
    response: { subtype: 'success', request_id, response },
  }),
  refused: (request_id: string, error: string, error_code?: string) => ({
    type: 'control_response',
    response: { subtype: 'error', request_id, error, error_code },
  }),
} as const;

/** A whole streamed message of one text. */
export function said(id: string, words: string, reason: string | null = 'end_turn'): object[] {
  return [
    wire.start(id),
    wire.begin(0, { type: 'text', text: '' }),
    wire.text(0, words),
    wire.copy(id, [{ type: 'text', text: words }]),
    wire.end(0),
    wire.reason(reason),
    wire.stop,
  ];
}

/** A whole streamed message of one call. */
export function calling(id: string, call: string, input: Json = {}): object[] {
  return [
    wire.start(id),
    wire.begin(0, { ...wire.call(call), input: {} }),
    wire.json(0, JSON.stringify(input)),
    wire.copy(id, [wire.call(call, input)]),
    wire.end(0),
    wire.reason('tool_use'),
    wire.stop,
  ];
}
