// What our Claude frontend promises beyond the rules for everybody (docs/protocols/claude.md 4).
import { isDeepStrictEqual } from 'node:util';
import { each, type Finding } from '../../../src/conformance/check/rule.ts';
import { fields, misfit } from '../../../src/conformance/check/shape.ts';
import { blocksOf, deltaKeys } from '../../../src/conformance/claude/view/blocks.ts';
import type { LaneName, StreamedMessage } from '../../../src/conformance/claude/view/stream.ts';
import { laneOf, type Message, readView, type View } from '../../../src/conformance/claude/view/view.ts';
import { dictionaryIn, dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { ownRules } from './own-rule.ts';

/** Types of the connection, which may come between any two messages. */
const ofConnection = /^(?:control_(?:request|response|cancel_request)|keep_alive|error)$/u;
/** Subtypes that must not interrupt a message; agents of this protocol may send others anywhere. */
const betweenMessages: ReadonlySet<unknown> = new Set(['status', 'compact_boundary', 'api_retry', 'notice']);
const stopReasons = ['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'pause_turn'];

const isInit = ({ type, json }: Message) => type === 'system' && json.subtype === 'init';
const events = ({ fromAgent }: View, type: string) =>
  fromAgent
    .filter((message) => message.type === 'stream_event')
    .map(({ frame, json }) => ({ frame, event: dictionaryOf(json.event) }))
    .filter(({ event }) => event.type === type);

function* turnByTurn({ fromAgent, isComplete }: View): Generator<Finding> {
  let isOpen = false;
  for (const message of fromAgent) {
    const { frame, type } = message;
    if (ofConnection.test(type)) continue;
    const wrong = isInit(message) === isOpen ? (isOpen ? 'init while a turn is open' : `${type} outside a turn`) : null;
    yield { frame, wrong };
    isOpen = (isOpen || isInit(message) || type === 'stream_event') && type !== 'result';
  }
  if (isOpen && isComplete) yield { frame: fromAgent.at(-1)?.frame ?? 0, wrong: 'the last turn has no result' };
}

/** The message that is open on a lane. */
function openAt({ stream, turns }: View, lane: LaneName, at: number): StreamedMessage | undefined {
  const last = stream.messages.findLast((one) => one.lane === lane && one.frame < at);
  const isOver = turns.some(({ result }) => result !== null && result.frame > (last?.frame ?? 0) && result.frame < at);
  return last === undefined || isOver || (last.stop ?? at) < at ? undefined : last;
}

function* alone(view: View): Generator<Finding> {
  for (const { frame, type, json } of view.fromAgent) {
    if (type !== 'user' && !(type === 'system' && betweenMessages.has(json.subtype))) continue;
    yield { frame, wrong: openAt(view, laneOf(json), frame) === undefined ? null : `${type} inside a message` };
  }
}

/**
 * Messages of the model <synthetic> are the agent's own, and a request whose stream broke may be made again without one.
 * A client that comes late is told the past whole.
 */
function* streamed(view: View): Generator<Finding> {
  const main = view.stream.messages.filter(({ lane }) => lane === null);
  for (const { frame, type, json } of view.fromAgent) {
    const { id, model } = dictionaryOf(json.message);
    if (type !== 'assistant' || laneOf(json) !== null || model === '<synthetic>') continue;
    const before = main.filter((one) => one.frame < frame);
    const isFine = before.length === 0 || before.some((one) => one.id === id) || before.at(-1)?.isCut === true;
    yield { frame, wrong: isFine ? null : 'an assistant message that did not stream' };
  }
}

/** An agent may use the id of a call again when the call is answered, so the last call counts. */
function* answers({ fromAgent }: View): Generator<Finding> {
  const calls = new Map<unknown, { readonly lane: LaneName; isAnswered: boolean }>();
  for (const message of fromAgent) {
    const { frame, type, json } = message;
    const lane = laneOf(json);
    if (isInit(message)) calls.clear();
    const head = dictionaryOf(dictionaryOf(json.event).content_block);
    for (const block of type === 'assistant' || type === 'user' ? blocksOf(json) : [head]) {
      if (block.type === 'tool_use' && calls.get(block.id)?.isAnswered !== false)
        calls.set(block.id, { lane, isAnswered: false });
      if (block.type !== 'tool_result') continue;
      const call = calls.get(block.tool_use_id);
      const isFine = call?.isAnswered === false && call.lane === lane;
      yield { frame, wrong: isFine ? null : `${String(block.tool_use_id)} is not called there, or answered already` };
      if (call !== undefined) call.isAnswered = true;
    }
  }
}

function* copied({ fromAgent, stream }: View): Generator<Finding> {
  for (const { head, pieces, copies } of stream.messages.flatMap(({ blocks }) => blocks)) {
    if (head.type !== 'tool_use') continue;
    const input = dictionaryIn(pieces.get('partial_json') || '{}');
    for (const frame of copies) {
      const json = fromAgent.find((one) => one.frame === frame)?.json ?? {};
      const call = blocksOf(json).find(({ id }) => id === head.id);
      const isSame = input === null || isDeepStrictEqual(call?.input, input);
      yield { frame, wrong: isSame ? null : 'the input differs from what streamed' };
    }
  }
}

export const claudeOwn = ownRules('claude', readView, {
  turn: ['A turn goes from its init to its result, and nothing comes outside of turns.', turnByTurn],
  alone: ['No user message interrupts a message of its lane, and no status one of the main thread.', alone],
  streamed: ['Where messages stream, each assistant message of the main thread repeats one that streamed.', streamed],
  answers: ['A result answers a call of its turn and lane, once.', answers],
  copied: ['The assistant message of a call has the input that streamed.', copied],
  'start-open': [
    'message_start has neither a stop reason nor a stop sequence yet.',
    (view) =>
      each(events(view, 'message_start'), ({ event }) =>
        misfit(event.message, fields({ type: 'string', stop_reason: 'null', stop_sequence: 'null' }), 'message'),
      ),
  ],
  'thinking-signed': [
    'A thought opens with an empty signature.',
    (view) =>
      each(
        events(view, 'content_block_start').filter(
          ({ event }) => dictionaryOf(event.content_block).type === 'thinking',
        ),
        ({ event }) => (dictionaryOf(event.content_block).signature === '' ? null : 'it has no empty signature'),
      ),
  ],
  'known-deltas': [
    'Deltas are of the five kinds.',
    (view) =>
      each(events(view, 'content_block_delta'), ({ event }) => {
        const { type } = dictionaryOf(event.delta);
        return deltaKeys.has(String(type)) ? null : `a ${String(type)}`;
      }),
  ],
  'known-stop-reasons': [
    'A stop reason is a word of the API, or null for a message that was cut.',
    (view) =>
      each(events(view, 'message_delta'), ({ event }) => {
        const { stop_reason: reason } = dictionaryOf(event.delta);
        return reason === null || stopReasons.includes(String(reason)) ? null : `stop_reason ${String(reason)}`;
      }),
  ],
});
