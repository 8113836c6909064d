// The content of one block of an assistant message, in each of its forms. decode/message.ts handles the order of
// blocks.
import type { Dictionary } from '../../../../core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../core/model/dictionary.ts';
import type { BlockHead } from '../../../../core/model/event.ts';
import { leaked, wordOf } from '../../decode-values.ts';
import type { Block } from '../../wire/values.ts';

/** The streaming kinds: the first half of an update's type. */
export type Kind = 'text' | 'thinking' | 'toolcall';

/** The streaming kind of a block, or null for a kind that does not stream. */
export function kindOf(block: Block): Kind | null {
  if (block.type === 'text' || block.type === 'thinking') return block.type;
  return block.type === 'toolCall' ? 'toolcall' : null;
}

/** The head of a block, or null for a tool call without id and name. */
export function headOf(kind: Kind, block: Dictionary): BlockHead | null {
  return kind === 'toolcall' ? toolHead(block.id, block.name) : { kind };
}

/** The head of a tool call. */
export function toolHead(id: unknown, name: unknown): BlockHead | null {
  return typeof id === 'string' && typeof name === 'string' ? { kind: 'tool-call', id, name } : null;
}

/** The whole content of the block. The whole content is authoritative, the deltas are only a preview. */
export function wholeOf(kind: Kind, final: Block): { text: string } | { input: Dictionary } {
  if (kind === 'toolcall') return { input: dictionaryOf(final.arguments) };
  return { text: wordOf(kind === 'text' ? final.text : final.thinking) ?? '' };
}

/** The text to stream for a block that never streamed. */
export function previewOf(kind: Kind, final: Block): string {
  const content = wholeOf(kind, final);
  if ('text' in content) return content.text;
  return Object.keys(content.input).length === 0 ? '' : JSON.stringify(content.input);
}

/** All fields of a block except its content: signatures, flags, errors. */
export function factsOf(block: Block): Dictionary {
  return without(block, 'type', 'text', 'thinking', 'id', 'name', 'arguments', ...leaked);
}

/** The block at this index in a message so far, or an empty object. */
export function blockOf(snapshot: unknown, index: number): Dictionary {
  const content = isDictionary(snapshot) && Array.isArray(snapshot.content) ? snapshot.content : [];
  return dictionaryOf(content[index]);
}

/** Whether a text is one complete JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
