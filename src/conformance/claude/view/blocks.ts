// What is known of content blocks: what they are, the deltas that they take, and whether a copy repeats what streamed (docs/protocols/rpc-message.md 1.3; docs/protocols/claude.md 4.5, 4.6). Pure.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';

/** One content block, as it streamed. */
export interface StreamedBlock {
  readonly frame: number;
  readonly index: unknown;
  readonly head: Dictionary;
  /** What its deltas held, joined, by their key. */
  readonly pieces: Map<string, string>;
  readonly copies: number[];
  stop: number | null;
}

/** Where each delta has its piece. */
export const deltaKeys: ReadonlyMap<string, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
  ['signature_delta', 'signature'],
  ['citations_delta', 'citation'],
]);

const kinds: ReadonlyMap<unknown, ReadonlySet<string>> = new Map<unknown, ReadonlySet<string>>([
  ['text', new Set(['text_delta', 'citations_delta'])],
  ['thinking', new Set(['thinking_delta', 'signature_delta'])],
  ['tool_use', new Set(['input_json_delta'])],
  ['server_tool_use', new Set(['input_json_delta'])],
  ['redacted_thinking', new Set<string>()],
]);

/** The deltas that a block of that kind takes; undefined for kinds that nobody knows. */
export function kindsOf(type: unknown): ReadonlySet<string> | undefined {
  return kinds.get(type);
}

/** The blocks of a `user` or `assistant` message that are objects. */
export function blocksOf(json: Dictionary): Dictionary[] {
  const { content } = dictionaryOf(json.message);
  return Array.isArray(content) ? content.filter(isDictionary) : [];
}

/** Where a copy departs from its block, or null. Input may be normalised (docs/protocols/claude.md 4.6), and is not compared. */
export function copyFault({ head, pieces }: StreamedBlock, copy: Dictionary): string | null {
  if (copy.type !== head.type) return `a ${String(copy.type)} block where ${String(head.type)} streamed`;
  for (const key of ['text', 'thinking']) {
    if (head.type === key && copy[key] !== (pieces.get(key) ?? '')) return `${key} differs from what streamed`;
  }
  const signature = pieces.get('signature');
  if (signature !== undefined && copy.signature !== signature) return 'signature differs from what streamed';
  if (head.type !== 'tool_use') return null;
  return copy.id === head.id ? null : `the call ${String(copy.id)} where ${String(head.id)} streamed`;
}
