// What a Claude client of the gateway is told otherwise than by the agent itself, when that is a Claude agent: the whole
// list. Each entry changes frames until both sides agree; one that changes nothing in any recording has no reason to be.
import { isRecord, type Json } from './claude-replay.ts';

/** Frames of the agent and of the gateway for one recording. */
export interface Pair {
  readonly theirs: readonly Json[];
  readonly ours: readonly Json[];
}

/** One difference. */
export interface Normalisation {
  readonly name: string;
  readonly because: string;
  apply(pair: Pair): Pair;
}

const eventOf = (frame: Json): Json => (isRecord(frame.event) ? frame.event : {});
const deltaOf = (frame: Json): Json => (isRecord(eventOf(frame).delta) ? (eventOf(frame).delta as Json) : {});
const messageOf = (frame: Json): Json => (isRecord(frame.message) ? frame.message : {});
const blocksOf = (frame: Json): Json[] => {
  const { content } = messageOf(frame);
  return Array.isArray(content) ? content.filter(isRecord) : [];
};
const without = (fields: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const both = (change: (frame: Json) => Json) => (pair: Pair) => ({
  theirs: pair.theirs.map(change),
  ours: pair.ours.map(change),
});
const onTheirs = (isLeftOut: (frame: Json, theirs: readonly Json[]) => boolean) => (pair: Pair) => ({
  ...pair,
  theirs: pair.theirs.filter((frame) => !isLeftOut(frame, pair.theirs)),
});
const onOurs = (isAdded: (frame: Json, theirs: readonly Json[]) => boolean) => (pair: Pair) => ({
  ...pair,
  ours: pair.ours.filter((frame) => !isAdded(frame, pair.theirs)),
});

const isBlockEvent = (frame: Json, type: string) => frame.type === 'stream_event' && eventOf(frame).type === type;
const words = ['text', 'thinking', 'partial_json'];
const isEmptyDelta = (delta: Json) => words.some((name) => delta[name] === '');
const blockTypes: ReadonlySet<unknown> = new Set(['text', 'thinking', 'tool_use', 'server_tool_use']);
const deltaTypes: ReadonlySet<unknown> = new Set([
  'text_delta',
  'thinking_delta',
  'input_json_delta',
  'signature_delta',
]);

/** The calls that a `user` frame answers. */
const answered = (frame: Json): unknown[] =>
  frame.type === 'user' ? blocksOf(frame).map((block) => block.tool_use_id) : [];
const placeOf = (frame: Json) => JSON.stringify([frame.api_message_id, eventOf(frame).index]);
const copyKey = (frame: Json) =>
  JSON.stringify([messageOf(frame).id, blocksOf(frame).map(({ type, id }) => [type, id])]);

/** In this order. */
export const normalisations: readonly Normalisation[] = [
  {
    name: 'names of frames',
    because: 'a frame is named by its place in the session, so that a replay is what was live',
    apply: both((frame) => without(frame, 'uuid', 'session_id')),
  },
  {
    name: 'empty deltas',
    because: 'they say nothing',
    apply: onTheirs((frame) => isBlockEvent(frame, 'content_block_delta') && isEmptyDelta(deltaOf(frame))),
  },
  {
    name: 'deltas of other kinds',
    because: 'what they add to a block, citations among it, the copy of the block has',
    apply: onTheirs((frame) => isBlockEvent(frame, 'content_block_delta') && !deltaTypes.has(deltaOf(frame).type)),
  },
  {
    name: 'blocks that nobody knows',
    because: 'they are told when they are whole, so that they begin as what they came to',
    apply(pair) {
      const { theirs } = pair;
      const change = (frame: Json, at: number): Json => {
        const { content_block: block, ...event } = eventOf(frame);
        if (!isBlockEvent(frame, 'content_block_start') || !isRecord(block) || blockTypes.has(block.type)) return frame;
        const copy = theirs.slice(at).find((later) => blocksOf(later).some(({ type }) => type === block.type));
        return { ...frame, event: { ...event, content_block: blocksOf(copy ?? {})[0] ?? block } };
      };
      return { ...pair, theirs: theirs.map(change) };
    },
  },
  {
    name: 'ends of blocks',
    because: 'each block ends, one that was given up as well (docs/protocols/claude.md 4.3)',
    apply: onOurs((frame, theirs) => {
      if (!isBlockEvent(frame, 'content_block_stop')) return false;
      const isSame = (one: Json) => isBlockEvent(one, 'content_block_stop') && placeOf(one) === placeOf(frame);
      return !theirs.some(isSame);
    }),
  },
  {
    name: 'ends of messages',
    because: 'a message whose stream broke has a message_delta as well (docs/protocols/claude.md 4.7, 5.3)',
    apply: onOurs((frame, theirs) => {
      if (!isBlockEvent(frame, 'message_delta')) return false;
      return !theirs.some((one) => isBlockEvent(one, 'message_delta') && one.api_message_id === frame.api_message_id);
    }),
  },
  {
    name: 'reasons to stop',
    because: 'it is tool_use exactly when a call ends the message (docs/protocols/claude.md 4.8)',
    apply(pair) {
      let last: unknown;
      const change = (frame: Json): Json => {
        const { content_block: block, ...event } = eventOf(frame);
        if (isBlockEvent(frame, 'content_block_start') && isRecord(block)) last = block.type;
        if (!isBlockEvent(frame, 'message_delta') || deltaOf(frame).stop_reason !== 'tool_use') return frame;
        const delta = { ...deltaOf(frame), stop_reason: last === 'tool_use' ? 'tool_use' : 'end_turn' };
        return { ...frame, event: { ...event, delta } };
      };
      return { ...pair, theirs: pair.theirs.map(change) };
    },
  },
  {
    name: 'names of messages',
    because: 'a message that is told in two parts, a result between them, has two names',
    apply: both((frame) => {
      const { id } = messageOf(frame);
      if (frame.type !== 'assistant' || typeof id !== 'string') return frame;
      return { ...frame, message: { ...messageOf(frame), id: id.replace(/-part\d+$/u, '') } };
    }),
  },
  {
    name: 'copies of blocks',
    because: 'each block has its copy, one that was given up as well (docs/protocols/claude.md 4.6)',
    apply: onOurs(
      (frame, theirs) =>
        frame.type === 'assistant' &&
        !theirs.some((one) => one.type === 'assistant' && copyKey(one) === copyKey(frame)),
    ),
  },
  {
    name: 'results of calls',
    because: 'each call has its result, one that was given up as well (docs/protocols/claude.md 4.9)',
    apply: onOurs((frame, theirs) => {
      const calls: unknown[] = answered(frame).filter((call) => call !== undefined);
      return calls.length > 0 && !theirs.some((one) => answered(one).some((call) => calls.includes(call)));
    }),
  },
  {
    name: 'success of tools',
    because: 'is_error is always there',
    apply: both((frame) => {
      if (frame.type !== 'user' || answered(frame).every((call) => call === undefined)) return frame;
      const content = blocksOf(frame).map((block) => ({ is_error: false, ...block }));
      return { ...frame, message: { ...messageOf(frame), content } };
    }),
  },
  {
    name: 'echoes of prompts',
    because: 'a client is told its prompt by the gateway, if it wants to be',
    apply: ({ theirs, ours }) => {
      const isOther = (frame: Json) => frame.type !== 'user' || frame.isReplay !== true || frame.isPrompt !== true;
      return { theirs: theirs.filter(isOther), ours: ours.filter(isOther) };
    },
  },
  {
    name: 'beside an answer',
    because: 'what the agent still asks is asked again by the gateway',
    apply: both((frame) => {
      const { response } = frame;
      if (frame.type !== 'control_response' || !isRecord(response)) return frame;
      return { ...frame, response: without(response, 'pending_permission_requests', 'pending_user_dialog_requests') };
    }),
  },
  {
    name: 'names of questions',
    because: 'questions and permissions share the wire, so questions are marked',
    apply: both((frame) => {
      const { request_id: id } = frame;
      return typeof id === 'string' ? { ...frame, request_id: id.replace(/^dialog:/u, '') } : frame;
    }),
  },
  {
    name: 'complaints',
    because: 'what the agent passes over in silence, or dies of, the gateway refuses in words',
    apply: onOurs((frame) => frame.type === 'error'),
  },
];

/** What keeps its order; between these a frame may change its place (strict out: thread.ts). */
export function strandOf(frame: Json): string {
  if (typeof frame.parent_tool_use_id === 'string') return `lane ${frame.parent_tool_use_id}`;
  if (frame.type === 'stream_event' || frame.type === 'assistant' || frame.type === 'result') return 'messages';
  if (frame.type === 'user') return answered(frame).some((call) => call !== undefined) ? 'results of tools' : 'words';
  if (typeof frame.type === 'string' && frame.type.startsWith('control_')) return 'control';
  return frame.subtype === 'init' ? 'init' : 'others';
}
