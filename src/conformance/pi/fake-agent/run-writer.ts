// Writes the lines of a run in the order, and with the repetitions, of the real pi (docs/protocols/pi.md 6 to 9). Both
// generations share this code; they differ in the results of failed tools.
import type { Dictionary } from '../../../core/model/content.ts';

/** A block of an answer, with the pieces in which it streams. */
export type StreamedBlock =
  | { readonly kind: 'text' | 'thinking'; readonly pieces: readonly string[] }
  | { readonly kind: 'toolcall'; readonly id: string; readonly name: string; readonly input: Dictionary };

/** One tool execution. */
export interface ToolRun {
  readonly id: string;
  readonly name: string;
  readonly input: Dictionary;
  readonly output: string;
  readonly isError?: boolean;
}

/** How an answer ends; default `stop`. */
export interface Ending {
  readonly stopReason?: 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';
  readonly errorMessage?: string;
}

/** An answer that is streaming. */
export interface OpenAnswer {
  block(streamed: StreamedBlock): void;
  /** Opens a block; `more` extends it. */
  open(kind: 'text' | 'thinking'): void;
  more(delta: string): void;
  /** Ends the message. An open block ends without an event of its own, as in the real one when it is aborted. */
  end(ending?: Ending): void;
}

/** The session, and functions that write its lines. */
export interface RunWriter {
  /** All messages so far. */
  readonly messages: readonly Dictionary[];
  clear(): void;
  beginRun(): void;
  beginTurn(): void;
  user(content: readonly Dictionary[], more?: Dictionary): void;
  beginAnswer(): OpenAnswer;
  answer(blocks: readonly StreamedBlock[], ending?: Ending): void;
  tool(run: ToolRun): void;
  endTurn(): void;
  endRun(): void;
}

/** The model that the fake agent claims to be. */
export const model = {
  id: 'patchbay-judge',
  name: 'Patchbay Judge',
  api: 'anthropic-messages',
  provider: 'patchbay',
  baseUrl: 'http://127.0.0.1:9',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 200_000,
  maxTokens: 16_384,
};

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost };
const someUsage = {
  ...{ input: 100, output: 12, cacheRead: 0, cacheWrite: 0, totalTokens: 112 },
  cost: { input: 0.0003, output: 0.00018, cacheRead: 0, cacheWrite: 0, total: 0.00048 },
};

/** A growing block: its index in the content, and its text so far. */
interface Growing {
  readonly index: number;
  readonly kind: 'text' | 'thinking';
  text: string;
}

/** Creates the writer of an empty session. `now`: ms since 1970. */
export function createRunWriter(
  say: (line: Dictionary) => void,
  { isLegacy, now }: { readonly isLegacy: boolean; now(): number },
): RunWriter {
  let messages: Dictionary[] = [];
  let run: Dictionary[] = [];
  let last: Dictionary = {};
  let results: Dictionary[] = [];

  function keep(message: Dictionary): void {
    messages.push(message);
    run.push(message);
  }

  /** Writes a message that does not stream. */
  function whole(message: Dictionary): void {
    say({ type: 'message_start', message });
    say({ type: 'message_end', message });
    keep(message);
  }

  function beginAnswer(): OpenAnswer {
    const content: Dictionary[] = [];
    const { api, provider, id } = model;
    const head = { role: 'assistant', content, api, provider, model: id };
    const timestamp = now();
    const partial = { ...head, usage: noUsage, stopReason: 'stop', timestamp };
    let open: Growing | null = null;
    say({ type: 'message_start', message: partial });

    const update = (event: Dictionary) =>
      say({ type: 'message_update', assistantMessageEvent: { ...event, partial }, message: partial });
    function begin(kind: 'text' | 'thinking'): Growing {
      const block: Growing = { index: content.length, kind, text: '' };
      content.push(shown(block));
      update({ type: `${kind}_start`, contentIndex: block.index });
      return block;
    }
    function grow(block: Growing, delta: string): void {
      block.text += delta;
      content[block.index] = shown(block);
      update({ type: `${block.kind}_delta`, contentIndex: block.index, delta });
    }
    function call({ id, name, input }: Extract<StreamedBlock, { kind: 'toolcall' }>): void {
      const contentIndex = content.length;
      const json = JSON.stringify(input);
      const half = Math.ceil(json.length / 2);
      content.push({ type: 'toolCall', id, name, arguments: {} });
      update({ type: 'toolcall_start', contentIndex });
      update({ type: 'toolcall_delta', contentIndex, delta: json.slice(0, half) });
      update({ type: 'toolcall_delta', contentIndex, delta: json.slice(half) });
      const toolCall = { type: 'toolCall', id, name, arguments: input };
      content[contentIndex] = toolCall;
      update({ type: 'toolcall_end', contentIndex, toolCall });
    }

    return {
      block(streamed) {
        if (streamed.kind === 'toolcall') return call(streamed);
        const block = begin(streamed.kind);
        for (const piece of streamed.pieces) grow(block, piece);
        update({ type: `${streamed.kind}_end`, contentIndex: block.index, content: block.text });
      },
      open(kind) {
        open = begin(kind);
      },
      more(delta) {
        if (open !== null) grow(open, delta);
      },
      end({ stopReason = 'stop', errorMessage } = {}) {
        const why = errorMessage === undefined ? {} : { errorMessage };
        last = { ...head, usage: someUsage, stopReason, timestamp, ...why };
        say({ type: 'message_end', message: last });
        keep(last);
      },
    };
  }

  return {
    get messages() {
      return messages;
    },
    clear() {
      messages = [];
    },
    beginRun() {
      run = [];
      say({ type: 'agent_start' });
    },
    beginTurn() {
      results = [];
      say({ type: 'turn_start' });
    },
    user: (content, more = {}) => whole({ role: 'user', content, ...more, timestamp: now() }),
    beginAnswer,
    answer(blocks, ending) {
      const answer = beginAnswer();
      for (const block of blocks) answer.block(block);
      answer.end(ending);
    },
    tool({ id: toolCallId, name: toolName, input: args, output, isError = false }) {
      const content = [{ type: 'text', text: output }];
      const result = isLegacy && isError ? output : { content, details: {} };
      say({ type: 'tool_execution_start', toolCallId, toolName, args });
      if (!isLegacy) {
        const partialResult = { content: [{ type: 'text', text: output.slice(0, 4) }], details: {} };
        say({ type: 'tool_execution_update', toolCallId, toolName, args, partialResult });
      }
      say({ type: 'tool_execution_end', toolCallId, toolName, result, isError });
      const message = { role: 'toolResult', toolCallId, toolName, content, details: {}, isError, timestamp: now() };
      whole(message);
      results.push(message);
    },
    endTurn: () => say({ type: 'turn_end', message: last, toolResults: results }),
    endRun: () => say({ type: 'agent_end', messages: run }),
  };
}

function shown({ kind, text }: Growing): Dictionary {
  return kind === 'text' ? { type: kind, text } : { type: kind, thinking: text, thinkingSignature: '' };
}
