// Counts tokens and dollars. Every figure is a function of the text on the wire, so that clients can check sums.
import { addUsage, type Content, noUsage, type Usage } from '../../core/model/content.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import { type AssistantMessage, laneOf } from '../../core/model/transcript.ts';
import { costOf } from './models.ts';

/** Tokens of a text with that many UTF-16 units: one for each four, rounded up. */
export function tokens(length: number): number {
  return Math.ceil(length / 4);
}

/** The texts of a message's content, joined by line feeds. Images and other content count nothing. */
export function textOf(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/**
 * Usage of a message that ends: the figures of its start, and as output the tokens of all its deltas joined (text,
 * thinking and the JSON of arguments alike).
 */
export function figuresOf({
  start,
  blocks,
}: AssistantMessage): Required<Pick<EventOf<'message-end'>, 'usage' | 'cost'>> {
  const length = blocks.reduce((sum, block) => sum + block.text.length, 0);
  const usage = { ...(start.usage ?? noUsage), output: tokens(length) };
  return { usage, cost: costOf(start.model, usage) };
}

/** The figures of one session: the tokens that each lane's next message will read, and the sums so far. */
export interface Meter {
  /** Must see every delivered event. */
  watch(event: Event): void;
  /**
   * Usage at the start of a message. Input: what joined the lane since its last message. Cache read: everything before
   * that.
   */
  opening(parent: string | undefined): Usage;
  /** Sum over all messages, sub-agents included. */
  readonly usage: Usage;
  /** Sum over all messages, US dollars. */
  readonly cost: number;
  /** Tokens that the main thread's next message will read. */
  readonly context: number;
}

/** Creates the meter of a new session. */
export function createMeter(): Meter {
  const lanes = new Map<string, { read: number; unread: number }>();
  let usage = noUsage;
  let cost = 0;

  function lane(name: string) {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const fresh = { read: 0, unread: 0 };
    lanes.set(name, fresh);
    return fresh;
  }

  return {
    watch(event) {
      if (event.type === 'run-end') for (const name of lanes.keys()) if (name !== '') lanes.delete(name);
      if (event.type === 'message-added') lane(laneOf(event)).unread += tokens(textOf(event.content).length);
      if (event.type === 'compaction-end' && event.outcome === 'completed') {
        lanes.set('', { read: event.tokensAfter ?? 0, unread: 0 });
      }
      if (event.type !== 'message-end' || event.usage === undefined) return;
      const { input, cacheRead, output } = event.usage;
      lanes.set(laneOf(event), { read: input + cacheRead + output, unread: 0 });
      usage = addUsage(usage, event.usage);
      cost += event.cost?.total ?? 0;
    },
    opening(parent) {
      const { read, unread } = lane(parent ?? '');
      return { input: unread, output: 0, cacheRead: read, cacheWrite: 0 };
    },
    get usage() {
      return usage;
    },
    get cost() {
      return cost;
    },
    get context() {
      const { read, unread } = lane('');
      return read + unread;
    },
  };
}
