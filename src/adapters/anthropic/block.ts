// One streaming content block of an answer: its events, and the block in the form that the API accepts back.
import { z } from 'zod';
import type { Content, Dictionary } from '../../core/model/content.ts';
import { dictionaryIn } from '../../core/model/dictionary.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import type { StreamEventOf } from './wire.ts';

/** A block at one index. */
export interface Block {
  readonly isOpen: boolean;
  /** Set for a call that expects a result from the client. */
  readonly call: { readonly id: string; readonly name: string } | null;
  start(): Event[];
  /** Null for a delta that does not fit the block. */
  delta(delta: StreamEventOf<'content_block_delta'>['delta']): Event[] | null;
  /** The block is complete. */
  stop(): Event[];
  /** No more of the block will come. */
  cut(): Event[];
  /** The block for the next request, or null if it cannot be sent back. `isWhole`: no part of its message was cut. */
  kept(isWhole: boolean): Dictionary | null;
}

type WireBlock = StreamEventOf<'content_block_start'>['content_block'];

const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const Thinking = z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() });
const Redacted = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() });
const ToolUse = z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string() });
const ServerToolUse = z.looseObject({ type: z.literal('server_tool_use'), id: z.string(), name: z.string() });

const Delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('citations_delta'), citation: z.unknown() }),
]);
type Delta = z.infer<typeof Delta>;

/** Whether a block for the API is thinking. */
export function isThought({ type }: Dictionary): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Begins a block. A block without a streaming kind is delivered whole, at its end and with its index. */
export function createBlock(index: number, wire: WireBlock): Block {
  const text = Text.safeParse(wire).data;
  if (text !== undefined) return createText(index, text);
  const thinking = Thinking.safeParse(wire).data;
  if (thinking !== undefined) return createThinking(index, thinking);
  const call = ToolUse.safeParse(wire).data;
  return call === undefined ? createWhole(index, wire) : createCall(index, call);
}

function createText(index: number, wire: z.infer<typeof Text>): Block {
  const citations = Array.isArray(wire.citations) ? [...wire.citations] : [];
  let text = wire.text;
  return streamed(index, { kind: 'text' }, text, {
    read(delta) {
      if (delta.type === 'citations_delta') citations.push(delta.citation);
      else if (delta.type !== 'text_delta') return null;
      else {
        text += delta.text;
        return delta.text;
      }
      return '';
    },
    ending: () => (citations.length === 0 ? {} : { extra: { anthropic: { citations } } }),
    // The API rejects a text without visible characters.
    kept: () => (text.trim() === '' ? null : { type: 'text', text: text, ...(citations.length > 0 && { citations }) }),
  });
}

function createThinking(index: number, wire: z.infer<typeof Thinking>): Block {
  let thinking = wire.thinking;
  let signature = wire.signature ?? '';
  let isStrange = false;
  return streamed(index, { kind: 'thinking' }, thinking, {
    read(delta) {
      if (delta.type === 'signature_delta') signature += delta.signature;
      else if (delta.type !== 'thinking_delta') return null;
      else {
        thinking += delta.thinking;
        return delta.thinking;
      }
      return '';
    },
    strange() {
      isStrange = true;
    },
    ending: () => (signature === '' ? {} : { signature }),
    // The API accepts only an unchanged block.
    kept: (wasStopped) =>
      wasStopped && signature !== '' && !isStrange ? { ...wire, thinking: thinking, signature } : null,
  });
}

function createCall(index: number, wire: z.infer<typeof ToolUse>): Block {
  const { id, name } = wire;
  let json = '';
  return streamed(index, { kind: 'tool-call', id, name }, '', {
    call: { id, name },
    read(delta) {
      if (delta.type !== 'input_json_delta') return null;
      json += delta.partial_json;
      return delta.partial_json;
    },
    ending() {
      const input =
        json === '' ? (z.record(z.string(), z.unknown()).safeParse(wire.input).data ?? {}) : dictionaryIn(json);
      return input === null ? { incomplete: true } : { input };
    },
    // A call would need a result after it and an offered tool, and there is neither.
    kept: () => null,
  });
}

/** The differences between the streaming kinds. */
interface Kind {
  readonly call?: Block['call'];
  /** The text of a delta, or null for a delta of another kind. */
  read(delta: Delta): string | null;
  /** Called for a delta that {@link read} cannot read. */
  strange?(): void;
  ending(): Partial<EventOf<'block-end'>>;
  kept(wasStopped: boolean): Dictionary | null;
}

function streamed(index: number, head: EventOf<'block-start'>['block'], first: string, kind: Kind): Block {
  let state: 'open' | 'stopped' | 'cut' = 'open';
  const tell = (delta: string): Event[] => (delta === '' ? [] : [{ type: 'block-delta', index, delta }]);
  return {
    get isOpen() {
      return state === 'open';
    },
    call: kind.call ?? null,
    start: () => [{ type: 'block-start', index, block: head }, ...tell(first)],
    delta(delta) {
      const known = Delta.safeParse(delta).data;
      const read = known === undefined ? null : kind.read(known);
      if (read === null) kind.strange?.();
      return read === null ? null : tell(read);
    },
    stop() {
      state = 'stopped';
      return [{ type: 'block-end', index, ...kind.ending() }];
    },
    cut() {
      state = 'cut';
      return [{ type: 'block-end', index, ...kind.ending(), incomplete: true }];
    },
    kept: () => kind.kept(state === 'stopped'),
  };
}

const streaming: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_use']);

function createWhole(index: number, wire: WireBlock): Block {
  const fields: Dictionary = { ...wire };
  // A block of a streaming kind gets here only if a field is missing.
  const isSound = !streaming.has(wire.type);
  let json = '';
  let isOpen = true;
  let isStrange = false;

  function add(delta: Delta): void {
    const append = (field: string, more: string) => {
      fields[field] = `${typeof fields[field] === 'string' ? fields[field] : ''}${more}`;
    };
    switch (delta.type) {
      case 'text_delta':
        return append('text', delta.text);
      case 'thinking_delta':
        return append('thinking', delta.thinking);
      case 'signature_delta':
        return append('signature', delta.signature);
      case 'input_json_delta':
        json += delta.partial_json;
        return;
      case 'citations_delta':
        fields.citations = [...(Array.isArray(fields.citations) ? fields.citations : []), delta.citation];
        return;
      default:
        delta satisfies never;
    }
  }

  function end(isCut: boolean): Event[] {
    isOpen = false;
    const input = json === '' ? undefined : dictionaryIn(json);
    if (input !== undefined && input !== null) fields.input = input;
    const block = { kind: 'whole' as const, content: contentOf(fields, isCut || input === null) };
    const incomplete = isCut ? { incomplete: true } : {};
    return [
      { type: 'block-start', index, block },
      { type: 'block-end', index, ...incomplete },
    ];
  }

  return {
    get isOpen() {
      return isOpen;
    },
    call: null,
    start: () => [],
    delta(delta) {
      const known = Delta.safeParse(delta).data;
      if (known !== undefined) add(known);
      else isStrange = true;
      return known === undefined ? null : [];
    },
    stop: () => end(false),
    cut: () => end(true),
    // The call and the result of a server tool belong together: both are kept, or neither.
    kept: (isWhole) => (isSound && !isStrange && (isWhole || isThought(fields)) ? fields : null),
  };
}

function contentOf(fields: Dictionary, isCut: boolean): Content {
  const redacted = Redacted.safeParse(fields).data;
  if (redacted !== undefined) return { type: 'thinking', text: '', redacted: true, signature: redacted.data };
  const call = ServerToolUse.safeParse(fields).data;
  if (call === undefined) return { type: 'opaque', name: String(fields.type), protocol: 'anthropic', payload: fields };
  const { type: _, id, name, input, ...rest } = call;
  const read = z.record(z.string(), z.unknown()).safeParse(input).data ?? {};
  const extra = Object.keys(rest).length === 0 ? {} : { extra: { anthropic: rest } };
  return { type: 'tool-call', id, name, input: read, ...(isCut && { incomplete: true }), ...extra };
}
