// One content block of a message, from its start to its copy in an `assistant` frame (docs/protocols/claude.md 4.5,
// 4.6). A block without a canonical stream (hidden thinking, tools of the provider, blocks of newer versions) waits
// until it is whole.
import type { Content, Dictionary } from '../../../../core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../core/model/dictionary.ts';
import type { BlockHead, EventOf } from '../../../../core/model/event.ts';
import type { AgentBlock } from '../../wire/agent.ts';
import { claudeExtraParts, nameOf, signatureOf, wholeContent } from './values.ts';

/** A block that has begun. */
export interface OpenBlock {
  readonly index: number;
  /** The block as it began. */
  readonly begun: AgentBlock;
  /** Null: the block is delivered when it is whole. */
  readonly head: BlockHead | null;
  /** The arguments of a call that waits until it is whole. */
  json: string;
  signature: string;
  readonly citations: unknown[];
  ended: boolean;
  /** The copy of the block has arrived. */
  copied: boolean;
}

/** A block in an `assistant` frame. */
export interface Copy {
  readonly block: AgentBlock;
  /** The other fields of the frame, and the fields of its message that differ from the message's start. */
  readonly frame: Dictionary;
  readonly message: Dictionary;
}

/** Begins a block. */
export function openBlock(index: number, begun: AgentBlock): OpenBlock {
  return {
    index,
    begun,
    head: headOf(begun),
    json: '',
    signature: '',
    citations: [],
    ended: false,
    copied: false,
  };
}

/** The canonical stream of a block; null if it has none. */
function headOf(block: AgentBlock): BlockHead | null {
  switch (block.type) {
    case 'text':
      return { kind: 'text' };
    case 'thinking':
      return { kind: 'thinking' };
    case 'tool_use': {
      const name = nameOf(block);
      return typeof block.id === 'string' && name !== undefined ? { kind: 'tool-call', id: block.id, name } : null;
    }
    default:
      return null;
  }
}

/** Whether this may be the copy of that block. */
export function isCopyOf(copy: AgentBlock, { begun, copied }: OpenBlock): boolean {
  return !copied && copy.type === begun.type && (copy.id === undefined || copy.id === begun.id);
}

const deltas: ReadonlyMap<string, BlockHead['kind']> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'tool-call'],
]);

/** A piece of a block, as it is on the wire. */
export type WireDelta = Dictionary & { readonly type: string };

/**
 * The text of a delta of that block. Empty for a delta without a canonical meaning, null for a delta of another kind of
 * block.
 */
export function extend(block: OpenBlock, delta: WireDelta): string | null {
  const { type, text, thinking, partial_json: json, signature, citation } = delta;
  if (type === 'signature_delta') block.signature += typeof signature === 'string' ? signature : '';
  if (type === 'citations_delta') block.citations.push(citation);
  const kind = deltas.get(type);
  if (kind === undefined) return '';
  if (block.head === null) {
    if (kind === 'tool-call') block.json += typeof json === 'string' ? json : '';
    return '';
  }
  if (block.head.kind !== kind) return null;
  const value = kind === 'text' ? text : kind === 'thinking' ? thinking : json;
  return typeof value === 'string' ? value : '';
}

/** The unread fields of a delta. */
export function otherFieldsOfDelta({ type, ...delta }: WireDelta): Dictionary {
  const kind = deltas.get(type);
  const own = kind === 'text' ? 'text' : kind === 'thinking' ? 'thinking' : 'partial_json';
  return without(delta, own);
}

/** The text that a whole block would have streamed. */
export function wholeDelta({ head, begun }: OpenBlock): string {
  const { text, thinking, input } = begun;
  if (head?.kind === 'tool-call')
    return isDictionary(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
  const words = head?.kind === 'thinking' ? thinking : head?.kind === 'text' ? text : '';
  return typeof words === 'string' ? words : '';
}

/** The block of a delta whose start was missed. */
export function impliedBlock(type: string): AgentBlock {
  if (type === 'thinking_delta' || type === 'signature_delta') return { type: 'thinking', thinking: '' };
  return { type: 'text', text: '' };
}

/**
 * The events that end a block. `copy`: the block as the `assistant` frame repeats it. `cut`: the block is not whole.
 */
export function endBlock(
  block: OpenBlock,
  copy: Copy | null,
  cut: boolean,
  parent: string | undefined,
): (EventOf<'block-start'> | EventOf<'block-end'>)[] {
  const { index, head } = block;
  const final = copy?.block ?? finalOf(block);
  const parts = { frame: copy?.frame, message: copy?.message };
  const base = { type: 'block-end', parent, index, ...(cut ? { incomplete: true } : {}) } as const;
  if (head === null) {
    const content = contentOf(final);
    const start = { type: 'block-start', parent, index, block: { kind: 'whole', content } } as const;
    return [start, { ...base, ...claudeExtraParts(parts) }];
  }
  const extra = claudeExtraParts({ ...parts, block: otherFieldsOf(final, copy === null ? block : null) });
  switch (head.kind) {
    case 'text':
      return [{ ...base, ...textOf(copy?.block.text), ...extra }];
    case 'thinking': {
      const signature = signatureOf(final) ?? (block.signature === '' ? undefined : block.signature);
      return [
        { ...base, ...textOf(copy?.block.thinking), ...(signature === undefined ? {} : { signature }), ...extra },
      ];
    }
    case 'tool-call':
      // Without the copy of the block in an `assistant` frame, the streamed arguments hold.
      return [{ ...base, ...(copy === null ? {} : { input: dictionaryOf(copy.block.input) }), ...extra }];
    case 'whole':
      return [base];
    default:
      return head satisfies never;
  }
}

function textOf(text: unknown): { text?: string } {
  return typeof text === 'string' ? { text } : {};
}

/** A block without a copy: its start, with the streamed arguments. */
function finalOf({ begun, json }: OpenBlock): AgentBlock {
  if (json === '') return begun;
  try {
    const input: unknown = JSON.parse(json);
    return isDictionary(input) ? { ...begun, input } : begun;
  } catch {
    return begun;
  }
}

function contentOf(block: AgentBlock): Content {
  // Includes calls that nobody here answers: calls that the provider runs, and calls without a name.
  return wholeContent(block);
}

const ownFields = [
  'type',
  'text',
  'thinking',
  'signature',
  'id',
  'name',
  'input',
  'toolName',
  'toolType',
  'status',
] as const;

function otherFieldsOf(final: AgentBlock, streamed: OpenBlock | null): Dictionary {
  const facts = without(final, ...ownFields);
  return streamed === null || streamed.citations.length === 0 ? facts : { ...facts, citations: streamed.citations };
}
