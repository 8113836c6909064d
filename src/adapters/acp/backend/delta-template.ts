// Learns a template from a chunk that yielded one delta (decision 0011, core/fast-path/templates.ts): all bytes around the
// text. The order of the fields differs from agent to agent.
import { closingQuote, findQuoted, literalOf } from '../../../core/fast-path/literal.ts';
import {
  createTemplateRecogniser,
  type Streaming,
  type Template,
  type TemplateRecogniser,
} from '../../../core/fast-path/templates.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';

const opening = new TextEncoder().encode('"text":"');
const QUOTE = 0x22;

/** Learns from parsed chunks and recognises chunks of the same form. */
export function createChunkRecogniser(streaming: Streaming): TemplateRecogniser {
  return createTemplateRecogniser(streaming, ({ bytes }, event) => templateOf(bytes, event));
}

/** The template of the frame, or null if the bytes around the text do not identify frames of the same form. */
function templateOf(frame: Uint8Array, event: EventOf<'block-delta'>): Template | null {
  for (let at = findQuoted(frame, opening, 0); at !== -1; at = findQuoted(frame, opening, at + 1)) {
    const from = at + opening.length;
    const quote = closingQuote(frame, from, event.delta);
    if (frame[quote] !== QUOTE) continue;
    const before = frame.subarray(0, from);
    // A copy, not `slice`: the frame may be a Buffer, whose slices are views.
    const behind = new Uint8Array(frame.subarray(quote));
    const head = literalOf(before);
    if (head === null || !isAroundText(before, behind)) continue;
    return { head, behind, trail: null, rest: null, event };
  }
  return null;
}

/** Whether these bytes with nothing between them form a chunk whose text is empty. */
function isAroundText(before: Uint8Array, behind: Uint8Array): boolean {
  try {
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    const frame: unknown = JSON.parse(utf8.decode(before) + utf8.decode(behind));
    const { update } = dictionaryOf(dictionaryOf(frame).params);
    return dictionaryOf(dictionaryOf(update).content).text === '';
  } catch {
    return false;
  }
}
