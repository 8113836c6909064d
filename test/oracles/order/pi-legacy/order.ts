// The order checker for what a client of pi 0.13.2 receives: only the lines of docs/protocols/pi-legacy.md 2.1, in the
// order of docs/protocols/pi-legacy.md 2.2, each repetition equal to its original. Written from those two sections
// alone.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

const count = z.number();
const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const Image = z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() });
const Thinking = z.looseObject({ type: z.literal('thinking'), thinking: z.string() });
const Call = z.looseObject({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
const Assistant = z.looseObject({
  role: z.literal('assistant'),
  content: z.array(z.discriminatedUnion('type', [Text, Thinking, Call])),
  api: z.string(),
  provider: z.string(),
  model: z.string(),
  usage: z.looseObject({
    input: count,
    output: count,
    cacheRead: count,
    cacheWrite: count,
    cost: z.looseObject({ input: count, output: count, cacheRead: count, cacheWrite: count, total: count }),
  }),
  stopReason: z.enum(['stop', 'length', 'toolUse', 'error', 'aborted']),
  errorMessage: z.string().optional(),
  timestamp: count,
});
type Assistant = z.infer<typeof Assistant>;
const said = z.array(z.discriminatedUnion('type', [Text, Image]));
const User = z.looseObject({ role: z.literal('user'), content: z.union([z.string(), said]), timestamp: count });
const Result = z.looseObject({
  role: z.literal('toolResult'),
  toolCallId: z.string(),
  toolName: z.string(),
  content: said,
  isError: z.boolean(),
  timestamp: count,
});
const Message = z.discriminatedUnion('role', [Assistant, User, Result]);
type Message = z.infer<typeof Message>;

const contentIndex = z.number().int().nonnegative();
const update = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), contentIndex, ...shape, partial: Assistant });
const Update = z.discriminatedUnion('type', [
  update('text_start', {}),
  update('text_delta', { delta: z.string() }),
  update('text_end', { content: z.string() }),
  update('thinking_start', {}),
  update('thinking_delta', { delta: z.string() }),
  update('thinking_end', { content: z.string() }),
  update('toolcall_start', {}),
  update('toolcall_delta', { delta: z.string() }),
  update('toolcall_end', { toolCall: Call }),
]);
type Update = z.infer<typeof Update>;

const line = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });
const tool = { toolCallId: z.string(), toolName: z.string() };
/** All lines of the protocol. */
const Line = z.discriminatedUnion('type', [
  line('agent_start', {}),
  line('agent_end', { messages: z.array(Message) }),
  line('turn_start', {}),
  line('turn_end', { message: Assistant, toolResults: z.array(Result) }),
  line('message_start', { message: Message }),
  line('message_update', { assistantMessageEvent: Update, message: Assistant }),
  line('message_end', { message: Message }),
  line('tool_execution_start', { ...tool, args: z.record(z.string(), z.unknown()) }),
  line('tool_execution_end', {
    ...tool,
    result: z.union([z.string(), z.looseObject({ content: said })]),
    isError: z.boolean(),
  }),
  line('compaction', {
    timestamp: z.string().optional(),
    summary: z.string(),
    firstKeptEntryIndex: count.optional(),
    tokensBefore: count,
    auto: z.literal(true).optional(),
  }),
  line('error', { error: z.string().min(1) }),
]);
type Line = z.infer<typeof Line>;

/** The streamed text of the open block. */
interface Open {
  readonly index: number;
  readonly kind: string;
  text: string;
}

/** The violations in the lines of a whole session, one sentence each. */
export function checkLegacyLines(lines: readonly unknown[]): string[] {
  const faults: string[] = [];
  let agent: Message[] | null = null;
  let turn: { message: Assistant | null; results: Message[]; calls: Set<string> } | null = null;
  let message: Message | null = null;
  let block: Open | null = null;
  let blocks: string[] = [];
  const running = new Set<string>();
  /** Calls that the provider runs. */
  const foreign = new Set<string>();
  const owed: { call: string; content: unknown }[] = [];

  for (const [at, json] of lines.entries()) {
    const fault = (text: string) => void faults.push(`line ${at}: ${text}`);
    const read = Line.safeParse(json);
    if (read.success) take(read.data, fault);
    else fault(`${JSON.stringify(json).slice(0, 120)}: ${z.prettifyError(read.error)}`);
  }
  if (agent !== null) faults.push('the last run has no end');
  return faults;

  type Fault = (text: string) => void;

  function take(line: Line, fault: Fault): void {
    switch (line.type) {
      case 'agent_start':
        if (agent !== null) fault('agent_start in a run');
        agent = [];
        return;
      case 'turn_start':
        if (agent === null || turn !== null) fault('turn_start outside a run or in a turn');
        turn = { message: null, results: [], calls: new Set() };
        return;
      case 'message_start':
        return begin(line.message, fault);
      case 'message_update':
        return extend(line.assistantMessageEvent, line.message, fault);
      case 'message_end':
        return end(line.message, fault);
      case 'tool_execution_start':
        if (message !== null) fault('a tool starts in a message');
        if (turn?.calls.delete(line.toolCallId) !== true) fault(`no message called ${line.toolCallId}`);
        running.add(line.toolCallId);
        return;
      case 'tool_execution_end': {
        if (!running.delete(line.toolCallId)) fault(`${line.toolCallId} does not run`);
        if ((typeof line.result === 'string') !== line.isError) fault('a result is a string if it is an error');
        const { result } = line;
        owed.push({ call: line.toolCallId, content: typeof result === 'string' ? result : result.content });
        return;
      }
      case 'turn_end':
        if (turn === null || message !== null || running.size > 0) fault('turn_end with something open');
        // A turn without an answer of the model ends in a message that was not sent before.
        if (turn?.message != null && !isDeepStrictEqual(line.message, turn.message))
          fault('turn_end repeats another message');
        if (!isDeepStrictEqual(line.toolResults, turn?.results)) fault('turn_end repeats other results');
        if (owed.length > 0) fault('a result was not told as a message');
        owed.length = 0;
        turn = null;
        return;
      case 'agent_end':
        if (agent === null || turn !== null) fault('agent_end outside a run or in a turn');
        if (!isDeepStrictEqual(line.messages, agent)) fault('agent_end repeats other messages');
        agent = null;
        return;
      case 'compaction':
      case 'error':
        return;
      default:
        line satisfies never;
    }
  }

  function begin(begun: Message, fault: Fault): void {
    if (turn === null || message !== null) fault('message_start outside a turn or in a message');
    message = begun;
    blocks = [];
    block = null;
    if (begun.role === 'assistant' && begun.content.length > 0) fault('an answer begins with content');
  }

  function extend(event: Update, whole: Assistant, fault: Fault): void {
    if (message?.role !== 'assistant') fault('message_update outside an answer');
    if (!isDeepStrictEqual(event.partial.content, whole.content)) fault('partial and message differ');
    const { contentIndex: index } = event;
    const [kind = '', step = ''] = event.type.split('_');
    if (step === 'start') {
      addWhole(event.partial.content.slice(0, index));
      if (block !== null || index !== blocks.length) fault(`${event.type} of block ${index}`);
      block = { index, kind, text: '' };
    }
    if (block === null || block.index !== index || block.kind !== kind) return fault(`${event.type} of a closed block`);
    if ('delta' in event) block.text += event.delta;
    const shown = growth(event.partial.content[index]);
    // pi prints late, so its snapshots may be ahead of the deltas, but never behind.
    if (kind !== 'toolcall' && shown?.startsWith(block.text) !== true) fault(`the snapshot lacks ${block.text}`);
    if (step !== 'end') return;
    if ('content' in event && event.content !== block.text) fault('the end of a block is not what streamed');
    // pi decides how to parse incomplete arguments.
    const args = event.type === 'toolcall_end' ? argumentsIn(block.text) : undefined;
    if (event.type === 'toolcall_end' && args !== undefined && !isDeepStrictEqual(args, event.toolCall.arguments)) {
      fault('the arguments of a call are not what streamed');
    }
    blocks.push(block.text);
    block = null;
  }

  /** pi prints nothing while hidden thinking or a call of the provider streams. */
  function addWhole(content: Assistant['content']): void {
    for (const part of content.slice(blocks.length)) {
      if (!isWhole(part)) return;
      blocks.push(growth(part) ?? '');
      if (part.type === 'toolCall') foreign.add(part.id);
    }
  }

  function end(ended: Message, fault: Fault): void {
    if (message === null || message.role !== ended.role) fault('message_end without its start');
    if (ended.role !== 'assistant' && !isDeepStrictEqual(message, ended)) fault('a whole message changed');
    if (ended.role === 'assistant') endAnswer(ended, fault);
    if (ended.role === 'toolResult') {
      const due = owed.findIndex(({ call }) => call === ended.toolCallId);
      const [result] = due < 0 ? [] : owed.splice(due, 1);
      const content = ended.isError
        ? ended.content.map((part) => ('text' in part ? part.text : '')).join('')
        : ended.content;
      if (!isDeepStrictEqual(result?.content, content)) fault(`the message of ${ended.toolCallId} says something else`);
      turn?.results.push(ended);
    }
    agent?.push(ended);
    message = null;
  }

  function endAnswer(ended: Assistant, fault: Fault): void {
    const cut = ended.stopReason === 'error' || ended.stopReason === 'aborted';
    if (block !== null && !cut) fault('a message ends in a block');
    if (block !== null) blocks.push(block.text);
    block = null;
    addWhole(ended.content);
    if (blocks.length !== ended.content.length)
      fault(`${blocks.length} blocks streamed, ${ended.content.length} at the end`);
    for (const [index, text] of blocks.entries()) {
      const final = growth(ended.content[index]);
      if (final !== null && final !== text) fault(`block ${index} streamed ${text} and is ${final}`);
    }
    if (turn === null) return;
    turn.message = ended;
    if (!cut)
      for (const part of ended.content) if (part.type === 'toolCall' && !foreign.has(part.id)) turn.calls.add(part.id);
  }
}

/** The growing text of a block; null for a tool call. */
function growth(part: Assistant['content'][number] | undefined): string | null {
  if (part?.type === 'text') return part.text;
  return part?.type === 'thinking' ? part.thinking : null;
}

/** Whether a block may appear without having streamed. */
function isWhole(part: Assistant['content'][number]): boolean {
  return part.type === 'toolCall' || (part.type === 'thinking' && part.redacted === true);
}

/** Parses a JSON text; undefined for an incomplete one. */
function argumentsIn(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}
