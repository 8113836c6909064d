// What a Claude Code writes, made up in the wire form of 2.1.329 (docs/protocols/claude.md 4): a frame a line, each with
// an id of its own. Deterministic, so that two sides see the same bytes. Knows nothing of the gateway.
import { random } from './workloads.ts';

/** What a block streams. */
export type Kind = 'text' | 'thinking' | 'input';

/** One block of an answer. */
export interface Part {
  readonly kind: Kind;
  readonly deltas: readonly string[];
}

const session = '5b1c0f6e-7a44-4d0e-9c35-2f8a1d6e0b97';
const model = 'patch-large';
const usage = {
  input_tokens: 2140,
  cache_creation_input_tokens: 340,
  cache_read_input_tokens: 18_211,
  output_tokens: 1,
};

/** The field of a delta, and its type. */
const deltas = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  input: ['input_json_delta', 'partial_json'],
} as const satisfies Record<Kind, readonly [string, string]>;

/** Writes the frames of one process. */
export interface ClaudeWriter {
  /** The lines before the first message of a run. */
  opening(): string[];
  /** One message: `number` makes its id. The lines of a delta are what {@link ClaudeWriter.delta} gives. */
  message(number: number, parts: readonly Part[]): string[];
  /** The lines from the beginning of a message to its first delta, and those from its last delta on. */
  around(number: number, part: Part): { before: string[]; behind: string[] };
  /** The lines of one delta: thinking comes with an estimate in front of it. */
  delta(number: number, index: number, kind: Kind, text: string): string[];
  /** The result of the tool that was called in that block. */
  toolResult(number: number, index: number): string;
  /** The result of the run. */
  closing(text: string): string[];
}

/** A writer whose frame ids follow from the seed. */
export function claudeWriter(seed = 1): ClaudeWriter {
  const next = random(seed);
  const digits = () =>
    Math.floor(next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const uuid = () => {
    const [first, second, third] = [digits(), digits(), digits()];
    return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-8${third.slice(0, 3)}-${third.slice(4)}${digits()}`;
  };
  const idOf = (number: number) => `msg_made_up_${String(number).padStart(4, '0')}`;
  let estimate = 0;

  const streamed = (number: number, event: object, more: object = {}) =>
    JSON.stringify({
      type: 'stream_event',
      event,
      session_id: session,
      parent_tool_use_id: null,
      uuid: uuid(),
      ...more,
      api_message_id: idOf(number),
    });
  const system = (subtype: string, fields: object) =>
    JSON.stringify({ type: 'system', subtype, ...fields, session_id: session, uuid: uuid() });
  const shown = (kind: Kind) => (kind === 'thinking' ? { thinking_display: 'updates' } : {});

  function delta(number: number, index: number, kind: Kind, text: string): string[] {
    const [type, field] = deltas[kind];
    const event = { type: 'content_block_delta', index, delta: { type, [field]: text } };
    const line = streamed(number, event, shown(kind));
    if (kind !== 'thinking') return [line];
    estimate += 2;
    return [system('thinking_tokens', { estimated_tokens: estimate, estimated_tokens_delta: 2 }), line];
  }

  const opened = (number: number, index: number, kind: Kind) => {
    const blocks = {
      text: { type: 'text', text: '' },
      thinking: { type: 'thinking', thinking: '', signature: '' },
      input: { type: 'tool_use', id: `toolu_${number}_${index}`, name: 'Write', input: {} },
    };
    return streamed(number, { type: 'content_block_start', index, content_block: blocks[kind] }, shown(kind));
  };

  /** The whole block as a frame, then its stop. */
  function closed(number: number, index: number, { kind, deltas: said }: Part): string[] {
    const text = said.join('');
    const blocks = {
      text: () => ({ type: 'text', text }),
      thinking: () => ({ type: 'thinking', thinking: text, signature: 'bWFkZSB1cA==' }),
      input: () => ({ type: 'tool_use', id: `toolu_${number}_${index}`, name: 'Write', input: JSON.parse(text) }),
    };
    const message = {
      id: idOf(number),
      type: 'message',
      role: 'assistant',
      model,
      content: [blocks[kind]()],
      stop_reason: null,
      stop_sequence: null,
      usage,
      context_management: null,
    };
    const frame = { type: 'assistant', message, parent_tool_use_id: null, session_id: session, uuid: uuid() };
    const signature = { type: 'signature_delta', signature: 'bWFkZSB1cA==' };
    return [
      ...(kind === 'thinking' ? [streamed(number, { type: 'content_block_delta', index, delta: signature })] : []),
      JSON.stringify({ ...frame, timestamp: '2026-11-22T08:00:00.000Z', request_id: 'req_made_up' }),
      streamed(number, { type: 'content_block_stop', index }),
    ];
  }

  function begun(number: number): string[] {
    const message = {
      id: idOf(number),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return [
      system('status', { status: 'requesting' }),
      streamed(number, { type: 'message_start', message }, { ttft_ms: 310 }),
    ];
  }

  function ended(number: number, parts: readonly Part[]): string[] {
    const stop_reason = parts.at(-1)?.kind === 'input' ? 'tool_use' : 'end_turn';
    return [
      streamed(number, {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 42 },
      }),
      streamed(number, { type: 'message_stop' }),
    ];
  }

  return {
    delta,
    opening: () => [
      system('init', {
        cwd: '/srv/made-up',
        tools: ['Bash', 'Read', 'Write'],
        mcp_servers: [],
        model,
        permissionMode: 'default',
        slash_commands: ['compact'],
        apiKeySource: 'none',
        claude_code_version: '2.1.329',
        output_style: 'default',
      }),
    ],
    message(number, parts) {
      const blocks = parts.flatMap((part, index) => [
        opened(number, index, part.kind),
        ...part.deltas.flatMap((text) => delta(number, index, part.kind, text)),
        ...closed(number, index, part),
      ]);
      return [...begun(number), ...blocks, ...ended(number, parts)];
    },
    around: (number, part) => ({
      before: [...begun(number), opened(number, 0, part.kind)],
      behind: [...closed(number, 0, part), ...ended(number, [part])],
    }),
    toolResult(number, index) {
      const content = [
        { tool_use_id: `toolu_${number}_${index}`, type: 'tool_result', content: 'ok', is_error: false },
      ];
      const frame = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
      return JSON.stringify({ ...frame, session_id: session, uuid: uuid() });
    },
    closing: (text) => [
      JSON.stringify({
        type: 'result',
        subtype: 'success',
        is_error: false,
        duration_ms: 5000,
        duration_api_ms: 4900,
        num_turns: 1,
        result: text,
        stop_reason: 'end_turn',
        session_id: session,
        total_cost_usd: 0.0132,
        usage: { ...usage, output_tokens: 42 },
        modelUsage: {},
        permission_denials: [],
        terminal_reason: 'completed',
        uuid: uuid(),
        result_index: 0,
        queued_turn_count: 0,
      }),
    ],
  };
}
