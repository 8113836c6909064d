// A stand-in for the Messages API behind its adapter: it answers each request with the words that it was asked with.
// Speaks the frames between the adapter's machine and its library.

/** What is said to it and what it says, as frames. `gone` is called when nobody listens any more. */
export function createApi(say, gone) {
  const tell = (frame) => say(JSON.stringify(frame));
  return {
    say(bytes) {
      const order = JSON.parse(bytes);
      if (order.type === 'request') for (const frame of answerTo(order)) tell(frame);
      else tell({ type: 'request_end', request: order.request, how: 'aborted' });
    },
    half: gone,
  };
}

function answerTo({ request, body }) {
  const asked = JSON.stringify(body.messages?.at(-1)?.content ?? null);
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3 };
  const start = { id: `msg_${request}`, type: 'message', role: 'assistant', model: body.model, content: [], usage };
  if (/\bhang\b|\bslow\b/u.test(asked)) return [{ type: 'message_start', message: start }];
  if (/\bfail\b/u.test(asked)) {
    const failure = { message: 'invalid request', status: 400, mayRetry: false };
    return [{ type: 'request_end', request, how: 'failed', failure }];
  }
  const block = (index, content_block, ...deltas) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  return [
    { type: 'message_start', message: start },
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'I repeat it.' },
      { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
    ),
    ...block(
      1,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'You said: ' },
      { type: 'text_delta', text: asked },
    ),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
    { type: 'request_end', request, how: 'finished' },
  ];
}
