// How the demo agent speaks: messages, blocks, deltas and turns, on the main thread or in a sub-agent's lane. Invariant
// of the steps: on entry and on exit, either a message is open or the turn is fresh.
import type { Stop } from '../../core/model/content.ts';
import type { BlockHead, EventOf } from '../../core/model/event.ts';
import { type Play, say, sayAndWait } from './play.ts';
import { type PlayState, queueChanged, takeWaiting, userMessage } from './play-state.ts';
import { figuresOf, textOf } from './token-meter.ts';

/** How many delays a text of medium length takes. Longer texts have more deltas in each batch. */
const delaysPerText = 200;

/** The lane as a field of an event: `parent` for a sub-agent, no field for the main thread. */
export function lane(parent: string | undefined): { parent?: string } {
  return parent === undefined ? {} : { parent };
}

function openMessage(stage: PlayState, parent?: string) {
  return stage.transcript.open.get(parent ?? '');
}

/** Starts a block, and a message if none is open. Returns the block's index. */
export function* startBlock(stage: PlayState, block: BlockHead, parent?: string): Play<number> {
  if (openMessage(stage, parent) === undefined) {
    const { id: model, provider } = stage.settings.model;
    const usage = stage.meter.opening(parent);
    const id = stage.env.id('message');
    yield say({ type: 'message-start', ...lane(parent), id, model, provider, usage });
  }
  const index = openMessage(stage, parent)?.blocks.length ?? 0;
  yield say({ type: 'block-start', ...lane(parent), index, block });
  return index;
}

/** Streams one whole block, which only an abort interrupts. */
export function* sayBlock(
  stage: PlayState,
  block: BlockHead,
  pieces: readonly string[],
  ending: Pick<EventOf<'block-end'>, 'input' | 'signature'> = {},
  parent?: string,
): Play {
  const index = yield* startBlock(stage, block, parent);
  for (const batch of batches(pieces, stage)) yield sayAndWait(stage.pace.ms, ...deltas(batch, index, parent));
  yield say({ type: 'block-end', ...lane(parent), index, ...ending });
}

/** Streams text. Steering that comes meanwhile interrupts between two batches, and the rest follows in a new block. */
export function* sayPieces(stage: PlayState, pieces: readonly string[]): Play {
  let index = yield* startBlock(stage, { kind: 'text' });
  let left = pieces.length;
  for (const batch of batches(pieces, stage)) {
    yield sayAndWait(stage.pace.ms, ...deltas(batch, index));
    left -= batch.length;
    if (left === 0 || stage.inbox.steering.length === 0) continue;
    yield say({ type: 'block-end', index });
    yield* takeSteering(stage);
    index = yield* startBlock(stage, { kind: 'text' });
  }
  yield say({ type: 'block-end', index });
}

/** Streams a text word by word. */
export function* sayText(stage: PlayState, text: string): Play {
  yield* sayPieces(stage, words(text));
}

/** Streams a text word by word in a sub-agent's lane. */
export function* sayInLane(stage: PlayState, text: string, parent: string): Play {
  yield* sayBlock(stage, { kind: 'text' }, words(text), {}, parent);
}

/** Ends the open message, if any. */
export function* endMessage(stage: PlayState, reason: Stop['reason'], parent?: string): Play {
  const message = openMessage(stage, parent);
  if (message === undefined) return;
  yield say({ type: 'message-end', ...lane(parent), stop: { reason }, ...figuresOf(message) });
}

/** Ends the open message and its turn, so that the turn is fresh. */
export function* freshTurn(stage: PlayState): Play {
  if (openMessage(stage) !== undefined) yield* nextTurn(stage);
}

/** Ends this turn, with its message if open, and starts the next one. */
export function* nextTurn(stage: PlayState): Play {
  yield* endMessage(stage, 'end');
  yield say({ type: 'turn-end' }, { type: 'turn-start' });
}

/** Adds waiting steering messages to the run, one by one or all at once, and answers them. */
export function* takeSteering(stage: PlayState): Play {
  const { inbox, settings } = stage;
  while (inbox.steering.length > 0) {
    const taken = takeWaiting(inbox.steering, settings.steeringMode);
    yield* freshTurn(stage);
    yield say(queueChanged(inbox), ...taken.map((content) => userMessage(stage, content, 'steer')));
    // Not sayText: a second steering message must not interrupt the answer to the first.
    yield* sayBlock(stage, { kind: 'text' }, words(`You steered me: ${taken.map(textOf).join(' / ')}`));
  }
}

/** Splits a text before each word, and inside very long words. The joined pieces equal the text. */
export function words(text: string): string[] {
  return text.match(/\s*\S{1,24}|\s+$/gu) ?? [];
}

/** Splits a text into pieces of `size` UTF-16 units. */
export function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

function* batches(pieces: readonly string[], { pace }: PlayState): Generator<readonly string[]> {
  const size = Math.min(pace.largestBatch, Math.max(1, Math.ceil(pieces.length / delaysPerText)));
  for (let at = 0; at < pieces.length; at += size) yield pieces.slice(at, at + size);
}

function deltas(pieces: readonly string[], index: number, parent?: string): EventOf<'block-delta'>[] {
  return pieces.map((delta) => ({ type: 'block-delta', ...lane(parent), index, delta }));
}
