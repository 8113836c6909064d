// Gives each block of a message an index of its own: some agents count every block as 0. Knows no protocol.
import type { EventOf } from '../model/event.ts';
import { type AssistantMessage, type Block, laneOf, type Transcript } from '../model/transcript.ts';

type BlockEvent = EventOf<'block-start' | 'block-delta' | 'block-end'>;

/** The indexes of blocks, message by message. */
export interface BlockIndexes {
  /** The event with our index. It must hear the events of blocks in order, each before it is logged. */
  place<Placed extends BlockEvent>(event: Placed): Placed;
  /** Whether the agent's indexes in this message are not all ours. */
  moves(message: AssistantMessage): boolean;
}

/**
 * Translates the agent's indexes into ours: a block whose index is taken gets the next free one, and what is said of it
 * follows.
 */
export function createBlockIndexes(transcript: Transcript): BlockIndexes {
  const places = new WeakMap<AssistantMessage, Places>();

  function place<Placed extends BlockEvent>(event: Placed): Placed {
    const message = transcript.open.get(laneOf(event));
    if (message === undefined) return event;
    const known = places.get(message);
    // Deltas of messages in which nothing was moved.
    if (known === undefined && event.type !== 'block-start') return event;
    const index = ourIndex(message.blocks, known, event);
    if (index === event.index) return event;
    // An ending opens nothing, so it claims no index.
    if (event.type !== 'block-end') {
      const { moved, claimed } = known ?? { moved: new Map(), claimed: new Set() };
      places.set(message, { moved: moved.set(event.index, index), claimed: claimed.add(index) });
    }
    return { ...event, index };
  }

  return { place, moves: (message) => places.has(message) };
}

/** What was moved in one message. */
interface Places {
  /** The agent's index -> ours, where they differ now. */
  readonly moved: Map<number, number>;
  /** All our indexes that ever stood for another one of the agent's. */
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
