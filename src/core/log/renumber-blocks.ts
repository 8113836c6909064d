// Renumbers the blocks of a message, because some agents number every block 0. Each block gets an index of its own.
import type { EventOf } from '../model/event.ts';
import { type AssistantMessage, type Block, laneOf, type Transcript } from '../model/transcript.ts';

type BlockEvent = EventOf<'block-start' | 'block-delta' | 'block-end'>;

/** The block indexes of all open messages. */
export interface BlockIndexes {
  /** Returns the event with the canonical index. Must see every block event in order, before the event is logged. */
  place<Placed extends BlockEvent>(event: Placed): Placed;
  /** Whether any index of the agent in this message differs from the canonical one. */
  moves(message: AssistantMessage): boolean;
}

/**
 * Translates the agent's indexes into canonical ones. A block whose index is taken gets the next free one, and its
 * later events follow.
 */
export function createBlockIndexes(transcript: Transcript): BlockIndexes {
  const places = new WeakMap<AssistantMessage, Places>();

  function place<Placed extends BlockEvent>(event: Placed): Placed {
    const message = transcript.open.get(laneOf(event));
    if (message === undefined) return event;
    const known = places.get(message);
    // Fast path: deltas of messages without a moved block.
    if (known === undefined && event.type !== 'block-start') return event;
    const index = ourIndex(message.blocks, known, event);
    if (index === event.index) return event;
    // A block-end opens no block, so it claims no index.
    if (event.type !== 'block-end') {
      const { moved, claimed } = known ?? { moved: new Map(), claimed: new Set() };
      places.set(message, { moved: moved.set(event.index, index), claimed: claimed.add(index) });
    }
    return { ...event, index };
  }

  return { place, moves: (message) => places.has(message) };
}

/** The moved indexes of one message. */
interface Places {
  /** The agent's index -> the canonical index, if they differ. */
  readonly moved: Map<number, number>;
  /** Canonical indexes that have ever stood for a different index of the agent. */
  readonly claimed: Set<number>;
}

function ourIndex(blocks: readonly Block[], known: Places | undefined, event: BlockEvent): number {
  const isClaimed = known?.claimed.has(event.index) === true;
  const index = known?.moved.get(event.index) ?? (isClaimed ? nextFree(blocks) : event.index);
  const isOver = blocks.some((block) => block.index === index && block.end !== undefined);
  return event.type === 'block-start' && isOver ? nextFree(blocks) : index;
}

function nextFree(blocks: readonly Block[]): number {
  return 1 + Math.max(...blocks.map(({ index }) => index));
}
