// Content blocks: their types, the deltas that each type takes, and the comparison of a streamed block with its copy
// (docs/protocols/rpc-message.md 1.3; docs/protocols/claude.md 4.5, 4.6).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';

/** A content block as it streamed. */
export interface StreamedBlock {
  readonly frame: number;
  readonly index: unknown;
  readonly head: Dictionary;
  /** The joined deltas, by the key of their text. */
  readonly pieces: Map<string, string>;
  readonly copies: number[];
  stop: number | null;
}

/** The field that holds the text of each delta type. */
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

/** The delta types of a block type; undefined for unknown block types. */
export function kindsOf(type: unknown): ReadonlySet<string> | undefined {
  return kinds.get(type);
}

/** The blocks of a `user` or `assistant` message that are objects. */
export function blocksOf(json: Dictionary): Dictionary[] {
  const { content } = dictionaryOf(json.message);
  return Array.isArray(content) ? content.filter(isDictionary) : [];
}

/**
 * The difference between a copy and its block, or null. Tool input may be normalised (docs/protocols/claude.md 4.6) and
 * is not compared.
 */
export function copyFault({ head, pieces }: StreamedBlock, copy: Dictionary): string | null {
  if (copy.type !== head.type) return `a ${String(copy.type)} block where ${String(head.type)} streamed`;
  for (const key of ['text', 'thinking']) {
    if (head.type === key && copy[key] !== (pieces.get(key) ?? '')) return `${key} differs from what streamed`;
  }
  const signature = pieces.get('signature');
  if (signature !== undefined && copy.signature !== signature) return 'signature differs from what streamed';
  if (head.type !== 'tool_use') return null;
  const isSame = copy.id === head.id && (head.name === undefined || copy.name === head.name);
  const named = ({ id, name }: Dictionary) => `${String(name)} (${String(id)})`;
  return isSame ? null : `the call of ${named(copy)} where that of ${named(head)} streamed`;
}
