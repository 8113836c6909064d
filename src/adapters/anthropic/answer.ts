// One streaming message of the model: its blocks by index, its stop reason and its usage.
import type { Cost, Dictionary, Failure, Stop, Usage } from '../../core/model/content.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import { type Block, createBlock, isThought } from './block.ts';
import { isAtListPrice, mergeUsage, usageOf } from './usage.ts';
import type { StreamEventOf } from './wire.ts';

/** The events that follow from one stream event about a block, or its fault. */
export interface BlockResult {
  readonly events: readonly Event[];
  /** The fault of the stream event. */
  readonly violation?: string;
}

/** A message in progress. */
export interface Answer {
  readonly stop: Stop;
  /** Tool calls that expect a result from the client. */
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  start(): Event[];
  block(
    event:
      | StreamEventOf<'content_block_start'>
      | StreamEventOf<'content_block_delta'>
      | StreamEventOf<'content_block_stop'>,
  ): BlockResult;
  /** Reads a `message_delta`: the stop reason and the final usage. */
  delta(event: StreamEventOf<'message_delta'>): void;
  /** Ends the complete message. */
  end(): Event[];
  /** Ends an incomplete message. */
  cut(reason: 'aborted' | 'error', failure: Failure): Event[];
  /** The blocks for the next request, without those that cannot be sent back. */
  kept(): readonly Dictionary[];
}

const stops: ReadonlyMap<string, Stop['reason']> = new Map<string, Stop['reason']>([
  ['end_turn', 'end'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool-use'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
]);

/**
 * Begins a message. `costOf` computes the cost by the answering model, and is called only if the list price applies.
 */
export function createAnswer(
  { message }: StreamEventOf<'message_start'>,
  costOf: (model: string, usage: Usage) => Cost | undefined,
): Answer {
  const blocks = new Map<number, Block>();
  let counts = message.usage ?? {};
  let stop: Stop = { reason: 'unknown' };
  let extra: Dictionary = {};
  let isWhole = false;

  const resultOf = (events: readonly Event[], violation?: string): BlockResult => ({ events, violation });
  const open = () => [...blocks.values()].filter((block) => block.isOpen);

  /** A message that was cut reports the usage so far. */
  function figures(): Pick<EventOf<'message-end'>, 'usage' | 'cost'> {
    const usage = usageOf(counts);
    return { usage, cost: isAtListPrice(counts) ? costOf(message.model, usage) : undefined };
  }

  return {
    get stop() {
      return stop;
    },
    get calls() {
      return [...blocks.values()].flatMap(({ call }) => (call === null ? [] : [call]));
    },
    start() {
      const { id, model } = message;
      return [{ type: 'message-start', id, model, provider: 'anthropic', usage: usageOf(counts) }];
    },
    block(event) {
      const block = blocks.get(event.index);
      switch (event.type) {
        case 'content_block_start': {
          const earlier = block?.isOpen === true ? block.cut() : [];
          const next = createBlock(event.index, event.content_block);
          blocks.set(event.index, next);
          const violation = block === undefined ? undefined : `a second block of index ${event.index}`;
          return resultOf([...earlier, ...next.start()], violation);
        }
        case 'content_block_delta': {
          if (block?.isOpen !== true) return resultOf([], `a delta of block ${event.index}, which is not open`);
          const events = block.delta(event.delta);
          return resultOf(events ?? [{ type: 'unknown', protocol: 'anthropic', payload: event }]);
        }
        case 'content_block_stop':
          return block?.isOpen === true
            ? resultOf(block.stop())
            : resultOf([], `the end of block ${event.index}, which is not open`);
        default:
          return event satisfies never;
      }
    },
    delta({ delta, usage }) {
      const { stop_reason: raw, ...rest } = delta;
      if (typeof raw === 'string') stop = { reason: stops.get(raw) ?? 'unknown', raw };
      const known = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
      extra = { ...extra, ...Object.fromEntries(known) };
      if (usage != null) counts = mergeUsage(counts, usage);
    },
    end() {
      isWhole = true;
      const rest = Object.keys(extra).length === 0 ? {} : { extra: { anthropic: extra } };
      return [...open().flatMap((block) => block.stop()), { type: 'message-end', stop, ...figures(), ...rest }];
    },
    cut(reason, failure) {
      const ends = open().flatMap((block) => block.cut());
      return [...ends, { type: 'message-end', stop: { reason }, ...figures(), failure }];
    },
    kept() {
      const inOrder = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block.kept(isWhole));
      const kept = inOrder.filter((block) => block !== null);
      // The API rejects a message that ends in thinking.
      return kept.slice(0, kept.findLastIndex((block) => !isThought(block)) + 1);
    },
  };
}
