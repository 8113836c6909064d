// The tool calls of a trace and their results (docs/protocols/rpc-message.md 4.3; docs/protocols/claude.md 4.9).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { LaneName, StreamTold } from './stream.ts';

/** A tool call. */
export interface Call {
  readonly id: string;
  readonly frame: number;
  readonly lane: LaneName;
  readonly name: unknown;
  readonly results: ToolResult[];
  /** Frame of a repeated call that came before the result; null without one. */
  again: number | null;
}

/** A `tool_result` block. */
export interface ToolResult {
  readonly frame: number;
  readonly lane: LaneName;
  readonly block: Dictionary;
  readonly call: Call | undefined;
  /** The trace must hold its call: the call cannot be older than the recording. */
  readonly isOwed: boolean;
}

/** All calls and results of a trace. */
export interface Calls {
  readonly calls: readonly Call[];
  readonly results: readonly ToolResult[];
}

/**
 * Collects calls and results from the agent's messages, in either dialect. `begun`: the frame from which the trace is
 * complete.
 */
export function readCalls(messages: readonly StreamTold[], begun: number): Calls {
  const calls: Call[] = [];
  const results: ToolResult[] = [];
  const byId = new Map<string, Call>();

  function call(block: Dictionary, frame: number, lane: LaneName, isCopy: boolean): void {
    if (block.type !== 'tool_use' || typeof block.id !== 'string') return;
    const known = byId.get(block.id);
    if (isCopy && known !== undefined) return;
    if (known?.results.length === 0) known.again = frame;
    const made: Call = { id: block.id, frame, lane, name: block.name ?? block.toolName, results: [], again: null };
    calls.push(made);
    byId.set(block.id, made);
  }

  for (const { frame, type, json } of messages) {
    const parent = json.parent_tool_use_id;
    const lane = typeof parent === 'string' ? parent : null;
    const content = dictionaryOf(json.message).content;
    const blocks = Array.isArray(content) ? content.map(dictionaryOf) : [];
    if (type === 'stream_event') {
      const event = dictionaryOf(json.event);
      if (event.type === 'content_block_start') call(dictionaryOf(event.content_block), frame, lane, false);
    } else if (type === 'assistant') {
      for (const block of blocks) call(block, frame, lane, true);
    } else if (type === 'user') {
      for (const block of blocks) {
        if (block.type !== 'tool_result') continue;
        const made = typeof block.tool_use_id === 'string' ? byId.get(block.tool_use_id) : undefined;
        const isOwed = frame >= begun && (lane === null || byId.has(lane));
        const result = { frame, lane, block, call: made, isOwed };
        results.push(result);
        made?.results.push(result);
      }
    }
  }
  return { calls, results };
}
