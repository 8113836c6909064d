// Derives frame ids from the frame's place in the log, and maps frames to the two dialects.

import { z } from 'zod';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { WireFrame } from '../wire/client.ts';

/**
 * `claude` is the native format of the SDK. `rpc-message` is the format of the RpcMessage front end, which accepts only
 * five types and no nulls (docs/protocols/rpc-message.md 3.2, 9.1).
 */
export const Dialect = z.enum(['claude', 'rpc-message']);
export type Dialect = z.infer<typeof Dialect>;

/** Makes frame ids: event by event, and frame by frame (`place`) within an event. */
export interface Ids {
  /** Moves on to an event, which the next ids belong to. `isReplay`: the frames are sent again, to a late client. */
  at(seq: number, isReplay: boolean): void;
  next(): string;
  /** The id of an event's first frame in two parts, for the hot path: the first part seldom changes. */
  nextHead(): string;
  nextTail(): string;
}

/** The three hex digits of each number below 4096. */
const threeDigits = Array.from({ length: 4096 }, (_, value) => value.toString(16).padStart(3, '0'));

/** The lowest twelve bits, as hex digits. */
function lowDigits(value: number): string {
  return threeDigits[value % 4096] ?? '';
}

/**
 * UUIDs (version 8) made of (epoch, seq, place), so that a replay has the ids of the live stream (docs/faults.md 2.3).
 */
export function createIds(epoch: string): Ids {
  const epochDigits = epoch.padEnd(12, '0').slice(0, 12);
  const head = `${epochDigits.slice(0, 8)}-${epochDigits.slice(8)}-8`;
  let seq = 0;
  let place = 0;
  let variant = '8';
  /** The id of a first frame without its last three digits, which are the only ones that change from event to event. */
  let first = { high: -1, variant, text: '' };

  function highDigits(high: number): string {
    return high.toString(16).padStart(9, '0');
  }

  return {
    at(nextSeq, isReplay) {
      const nextVariant = isReplay ? '9' : '8';
      if (nextSeq !== seq || nextVariant !== variant) place = 0;
      seq = nextSeq;
      variant = nextVariant;
    },
    next() {
      const high = Math.floor(seq / 4096);
      const digits = `${lowDigits(place)}-${variant}${lowDigits(Math.floor(place / 4096))}-`;
      place += 1;
      return `${head}${digits}${highDigits(high)}${lowDigits(seq)}`;
    },
    nextHead() {
      const high = Math.floor(seq / 4096);
      if (first.high !== high || first.variant !== variant) {
        first = { high, variant, text: `${head}000-${variant}000-${highDigits(high)}` };
      }
      return first.text;
    },
    nextTail() {
      place = 1;
      return lowDigits(seq);
    },
  };
}

const rpcTypes = new Set(['user', 'assistant', 'result', 'stream_event', 'error']);
const rpcDeltas = new Set(['text_delta', 'thinking_delta', 'input_json_delta']);

/** The frame in that dialect; null if the dialect has no such frame. */
export function inDialect(dialect: Dialect, frame: WireFrame): WireFrame | null {
  return dialect === 'claude' ? frame : asRpcMessage(frame);
}

function asRpcMessage(frame: WireFrame): WireFrame | null {
  if (!rpcTypes.has(frame.type)) return null;
  const { event, message, ...rest } = frame;
  if (isDictionary(event)) {
    if (isDictionary(event.delta) && typeof event.delta.type === 'string' && !rpcDeltas.has(event.delta.type))
      return null;
    const block = isDictionary(event.content_block)
      ? { content_block: asRpcBlock(event.content_block, 'in_progress') }
      : {};
    return withoutNulls({ ...rest, event: { ...event, ...block }, provider: 'claude' });
  }
  if (!isDictionary(message)) return withoutNulls({ ...frame, provider: 'claude' });
  const status = 'completed';
  const { content: original } = message;
  // A string is one text. This dialect has only lists (docs/protocols/rpc-message.md 6.3).
  const blocks =
    typeof original === 'string' ? [{ type: 'text', text: original }] : Array.isArray(original) ? original : [];
  const content = blocks.map((block) => asRpcBlock(block, status));
  // The RpcMessage front end's store recognises assistant frames by a top-level id (docs/protocols/rpc-message.md 9.2).
  const id = frame.type === 'assistant' ? { id: message.id } : {};
  return withoutNulls({ ...rest, ...id, message: { ...message, content }, provider: 'claude' });
}

const knownBlocks = new Set(['text', 'thinking', 'tool_use', 'tool_result', 'image', 'unknown']);

/**
 * Writes both spellings of a tool call. Blocks of other protocols get the `unknown` form, so that later blocks keep
 * their index.
 */
function asRpcBlock(block: unknown, status: string): unknown {
  if (!isDictionary(block) || typeof block.type !== 'string') return block;
  if (!knownBlocks.has(block.type)) return { type: 'unknown', originalType: block.type, data: block };
  if (block.type !== 'tool_use') return block;
  const { name } = block;
  return { ...block, toolName: name, toolType: toolType(name), status };
}

/** Claude Code's own tools. Their names make the tool types of RpcMessage (docs/protocols/rpc-message.md 6.2). */
const claudeTools = new Set(
  'BASH READ EDIT MULTIEDIT WRITE GLOB GREP LS TASK AGENT WEBFETCH WEBSEARCH TODOWRITE NOTEBOOKREAD NOTEBOOKEDIT EXITPLANMODE ASKUSERQUESTION BASHOUTPUT KILLSHELL SKILL SLASHCOMMAND'.split(
    ' ',
  ),
);

function toolType(name: unknown): string {
  if (typeof name !== 'string' || name === '') return 'UNKNOWN';
  if (name.startsWith('mcp__')) return 'MCP';
  return claudeTools.has(name.toUpperCase()) ? `CLAUDE_${name.toUpperCase()}` : 'UNKNOWN';
}

/** Null means absent in this dialect, except in the data that a tool takes or gives. */
function withoutNulls(value: WireFrame): WireFrame {
  return strip(value) as WireFrame;
}

const dataKeys = new Set(['input', 'data', 'content_data', 'tool_input', 'tool_use_result', 'modelUsage']);

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (!isDictionary(value)) return value;
  const entries = Object.entries(value).filter(([key, member]) => dataKeys.has(key) || member !== null);
  return Object.fromEntries(entries.map(([key, member]) => [key, dataKeys.has(key) ? member : strip(member)]));
}
