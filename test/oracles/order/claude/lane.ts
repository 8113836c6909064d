// One lane of a turn: the messages of one parent_tool_use_id, event by event.
import { addPiece, contentProblem, headProblem, type OpenBlock, type Piece } from './block.ts';
import type { Report } from './rules.ts';
import { type AssistantFrame, type Block, type StreamEvent, stopReasons } from './shapes.ts';

/** What a lane reports about its tool calls. */
export interface ToolBook {
  announce(id: string, at: number): void;
  /** The call was truncated and cannot have run: a result is optional. */
  excuse(id: string): void;
  /** At the next message or the end, every call of the lane must have its result. */
  settle(at: number): void;
}

/** The order checker of one lane. */
export interface Lane {
  event(event: StreamEvent, at: number): void;
  assistant(frame: AssistantFrame, at: number): void;
  /** A message is open. */
  readonly busy: boolean;
  /** The turn ends; `failed`: with an error. */
  end(at: number, failed: boolean): void;
}

interface OpenMessage {
  /** Null when its start was missing. */
  readonly id: string | null;
  readonly open: Map<number, OpenBlock>;
  /** Blocks that have ended, in order, with the frame of their end. */
  readonly stopped: { readonly block: OpenBlock; readonly at: number }[];
  next: number;
  delta: { readonly stop: string | null } | null;
}

const idOf = (block: Block): string => String(block.id);
const endsInTool = (message: OpenMessage): boolean => message.stopped.at(-1)?.block.head.type === 'tool_use';

/** Creates the checker of one lane. `whole`: assistant frames may come without a stream. */
export function createLane(report: Report, tools: ToolBook, messageIds: Set<string>, whole: boolean): Lane {
  let message: OpenMessage | null = null;
  /** The stop reason of the last complete message; undefined before the first. */
  let lastStop: string | null | undefined;

  function begin(id: string | null): OpenMessage {
    message = { id, open: new Map(), stopped: [], next: 0, delta: null };
    return message;
  }

  function messageStart(id: string, at: number): void {
    if (message !== null) report('message-unclosed', at, 'message_start while a message is open');
    if (messageIds.has(id)) report('message-id', at, `a second message ${id}`);
    messageIds.add(id);
    tools.settle(at);
    begin(id);
  }

  function blockStart(open: OpenMessage, index: number, head: Block, at: number): void {
    if (open.delta !== null) report('message-delta', at, `block ${index} starts after message_delta`);
    if (index !== open.next) report('block-index', at, `block ${index} starts where ${open.next} was due`);
    if (open.open.size > 0) report('block-overlap', at, `block ${index} starts while another is open`);
    const problem = headProblem(head);
    if (problem !== null) report('block-head', at, problem);
    if (head.type === 'tool_use') tools.announce(idOf(head), at);
    open.open.set(index, { head, streamed: new Map(), assistants: [] });
    open.next = index + 1;
  }

  function blockDelta(block: OpenBlock, piece: Piece, at: number): void {
    if (!addPiece(block, piece)) report('delta-kind', at, `${piece.type} in a ${block.head.type} block`);
    else if (block.assistants.length > 0)
      report('assistant-place', at, 'a delta after the assistant frame of its block');
  }

  function blockStop(open: OpenMessage, index: number, block: OpenBlock, at: number): void {
    open.open.delete(index);
    open.stopped.push({ block, at });
    for (const content of block.assistants) {
      const problem = contentProblem(block, content);
      if (problem !== null) report('assistant-content', at, problem);
    }
  }

  function stopLeftovers(open: OpenMessage, at: number): void {
    for (const [index, block] of open.open) {
      report('block-unclosed', at, `block ${index} is still open`);
      blockStop(open, index, block, at);
    }
  }

  function messageDelta(open: OpenMessage, stop: string | null, at: number): void {
    stopLeftovers(open, at);
    if (open.delta !== null) report('message-delta', at, 'a second message_delta');
    open.delta = { stop };
    if (stop === null) return;
    if (!stopReasons.has(stop)) report('stop-reason', at, `unknown stop_reason ${stop}`);
    const saysTool = stop === 'tool_use';
    const saysEnd = stop === 'end_turn' || stop === 'stop_sequence';
    if (saysTool && !endsInTool(open)) report('stop-reason', at, 'tool_use, but the last block is no tool call');
    if (saysEnd && endsInTool(open)) report('stop-reason', at, `${stop} after a tool call`);
  }

  /** A truncated message may lack the assistant frame of its last block, which never became complete. */
  function checkAssistants(open: OpenMessage): void {
    for (const { block, at } of open.stopped) {
      if (block.assistants.length > 0) continue;
      const cut = open.delta?.stop === null && block === open.stopped.at(-1)?.block;
      if (!cut) report('assistant-place', at, `a ${block.head.type} block without assistant frame`);
      else if (block.head.type === 'tool_use') tools.excuse(idOf(block.head));
    }
  }

  function messageStop(open: OpenMessage, at: number): void {
    stopLeftovers(open, at);
    if (open.delta === null) report('message-delta', at, 'message_stop without message_delta');
    checkAssistants(open);
    lastStop = open.delta?.stop;
    message = null;
  }

  function inBlock(open: OpenMessage, index: number, at: number, use: (block: OpenBlock) => void): void {
    const block = open.open.get(index);
    if (block === undefined) report('no-block', at, `block ${index} is not open`);
    else use(block);
  }

  function event(event: StreamEvent, at: number): void {
    if (event.type === 'message_start') {
      messageStart(event.message.id, at);
      return;
    }
    if (message === null) {
      report(event.type === 'message_delta' ? 'message-delta' : 'no-message', at, `${event.type} outside a message`);
      if (event.type !== 'content_block_start') return;
    }
    const open = message ?? begin(null);
    switch (event.type) {
      case 'content_block_start':
        blockStart(open, event.index, event.content_block, at);
        break;
      case 'content_block_delta':
        inBlock(open, event.index, at, (block) => blockDelta(block, event.delta, at));
        break;
      case 'content_block_stop':
        inBlock(open, event.index, at, (block) => blockStop(open, event.index, block, at));
        break;
      case 'message_delta':
        messageDelta(open, event.delta.stop_reason, at);
        break;
      case 'message_stop':
        messageStop(open, at);
        break;
      default:
        event satisfies never;
    }
  }

  /**
   * Claude Code's own messages, mostly errors, never stream. An answer whose stream broke is requested again without a
   * stream (docs/protocols/claude.md 5.3, 5.4).
   */
  function mayBeWhole({ message: { id, model } }: AssistantFrame): boolean {
    if (message !== null || messageIds.has(id)) return false;
    const isAgain = lastStop === null;
    if (isAgain) lastStop = undefined;
    return isAgain || model === '<synthetic>';
  }

  function assistant(frame: AssistantFrame, at: number): void {
    const block = [...(message?.open.values() ?? [])].at(-1);
    if (block === undefined || message === null) {
      if (!whole && !mayBeWhole(frame)) report('assistant-place', at, 'an assistant frame outside a block');
      else
        for (const content of frame.message.content) if (content.type === 'tool_use') tools.announce(idOf(content), at);
      return;
    }
    if (block.assistants.length > 0) report('assistant-place', at, 'a second assistant frame for one block');
    block.assistants.push(frame.message.content);
    if (message.id !== null && frame.message.id !== message.id) {
      report('assistant-id', at, `${frame.message.id} in message ${message.id}`);
    }
  }

  function end(at: number, failed: boolean): void {
    if (message !== null) {
      report('message-unclosed', at, 'the turn ends inside a message');
      for (const { block } of message.stopped) if (block.head.type === 'tool_use') tools.excuse(idOf(block.head));
    } else if (lastStop === null && !failed) report('stop-reason', at, 'a cut message ends a turn that succeeded');
    tools.settle(at);
  }

  return {
    event,
    assistant,
    end,
    get busy() {
      return message !== null;
    },
  };
}
