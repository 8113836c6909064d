// Encodes one step of a scenario for the Anthropic Messages API, as SSE events or as one JSON message. No I/O.
import type { Block, Fault, Step } from './answers.ts';

/** Returns ids that are unique for the lifetime of the fake model. */
export type NextId = (prefix: 'msg' | 'toolu') => string;

/** A step or a failing attempt, encoded. */
export interface Stream {
  readonly head: string;
  /** The event that repeats after the head: so many times, or until the client disconnects. */
  readonly tail?: { readonly text: string; readonly times: number };
  /** The events that end the stream. */
  readonly closing?: string;
  /** The connection breaks instead of ending. */
  readonly isCut?: boolean;
}

const start = { text: { text: '' }, thinking: { thinking: '', signature: '' }, tool_use: { input: {} } };

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function deltaOf(block: Block, piece: string): object {
  switch (block.type) {
    case 'text':
      return { type: 'text_delta', text: piece };
    case 'thinking':
      return { type: 'thinking_delta', thinking: piece };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: piece };
    case 'whole':
      throw new Error('nothing of such a block streams');
    default:
      return block satisfies never;
  }
}

function headOf(block: Block, id: NextId): object {
  if (block.type === 'whole') return block.block;
  const identity = block.type === 'tool_use' ? { id: id('toolu'), name: block.name } : {};
  return { type: block.type, ...identity, ...start[block.type] };
}

function blockEvents(block: Block, index: number, id: NextId, closed: boolean): string[] {
  const head = headOf(block, id);
  const deltas = block.deltas.map((piece) => event('content_block_delta', { index, delta: deltaOf(block, piece) }));
  const signature =
    block.type === 'thinking' && closed
      ? [event('content_block_delta', { index, delta: { type: 'signature_delta', signature: block.signature } })]
      : [];
  const stop = closed ? [event('content_block_stop', { index })] : [];
  return [event('content_block_start', { index, content_block: head }), ...deltas, ...signature, ...stop];
}

/** Final token counts of a step: one output token for each delta; part of the input counts as cached. */
export function usageOf(step: Step): Record<string, number> {
  const deltas = step.blocks.reduce((sum, block) => sum + block.deltas.length, 0);
  return {
    input_tokens: step.inputTokens ?? 100,
    output_tokens: deltas + (step.lingers ?? 0) + 1,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 20,
  };
}

function stopOf(step: Step): string {
  return step.stop ?? (step.blocks.at(-1)?.type === 'tool_use' ? 'tool_use' : 'end_turn');
}

function messageHead(model: string, step: Step, id: NextId): object {
  const usage = { ...usageOf(step), output_tokens: 1 };
  const nothingYet = { content: [], stop_reason: null, stop_sequence: null };
  return { id: id('msg'), type: 'message', role: 'assistant', model, ...nothingYet, usage };
}

/** The SSE body of a step. */
export function streamOf(step: Step, model: string, id: NextId): Stream {
  const opening = [event('message_start', { message: messageHead(model, step, id) }), event('ping', {})];
  const last = step.blocks.length - 1;
  const isOpen = step.endless === true || step.lingers !== undefined;
  const blocks = step.blocks.flatMap((block, at) => blockEvents(block, at, id, !(isOpen && at === last)));
  const head = [...opening, ...blocks].join('');
  const text = blocks.at(-1) ?? '';
  if (step.endless) return { head, tail: { text, times: Number.POSITIVE_INFINITY } };
  const delta = { stop_reason: stopOf(step), stop_sequence: null };
  const ending = [event('message_delta', { delta, usage: usageOf(step) }), event('message_stop', {})].join('');
  if (step.lingers === undefined) return { head: `${head}${ending}` };
  const closing = `${event('content_block_stop', { index: last })}${ending}`;
  return { head, tail: { text, times: step.lingers }, closing };
}

/** The body of an error answer, also the data of an `error` event. */
export function errorBody(kind: string): object {
  return { type: 'error', error: { type: kind, message: `The fake model says ${kind}.` } };
}

/** A stream that stops while its last block is open. */
export function brokenStreamOf(fault: Extract<Fault, { after: unknown }>, model: string, id: NextId): Stream {
  const started = streamOf({ blocks: fault.after, endless: true }, model, id);
  if ('stops' in fault) return { head: started.head, isCut: fault.stops === 'cut' };
  return { head: `${started.head}event: error\ndata: ${JSON.stringify(errorBody(fault.error))}\n\n` };
}

/** The step as the one JSON message for a request without `stream`. */
export function messageOf(step: Step, model: string, id: NextId): object {
  const content = step.blocks.map((block) => {
    const whole = block.deltas.join('');
    switch (block.type) {
      case 'text':
        return { type: 'text', text: whole };
      case 'thinking':
        return { type: 'thinking', thinking: whole, signature: block.signature };
      case 'tool_use':
        return { type: 'tool_use', id: id('toolu'), name: block.name, input: JSON.parse(whole) };
      case 'whole':
        return block.block;
      default:
        return block satisfies never;
    }
  });
  return { ...messageHead(model, step, id), content, stop_reason: stopOf(step), usage: usageOf(step) };
}
