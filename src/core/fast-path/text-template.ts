// Learns a template from a frame that holds its delta in a member `text` (decision 0011, templates.ts): all bytes around the
// text. The order of the fields differs from agent to agent.
import type { EventOf } from '../model/event.ts';
import { closingQuote, findQuoted, literalOf } from './literal.ts';
import { createTemplateRecogniser, type Streaming, type Template, type TemplateRecogniser } from './templates.ts';

const opening = new TextEncoder().encode('"text":"');
const QUOTE = 0x22;

/** The text that a parsed frame says, where a frame of its form has one. Never throws. */
export type TextIn = (frame: unknown) => unknown;

/** Learns from parsed frames and recognises frames of the same form. */
export function createTextRecogniser(streaming: Streaming, textIn: TextIn): TemplateRecogniser {
  return createTemplateRecogniser(streaming, ({ bytes }, event) => templateOf(bytes, event, textIn));
}

/** The template of the frame, or null if the bytes around the text do not identify frames of the same form. */
function templateOf(frame: Uint8Array, event: EventOf<'block-delta'>, textIn: TextIn): Template | null {
  for (let at = findQuoted(frame, opening, 0); at !== -1; at = findQuoted(frame, opening, at + 1)) {
    const from = at + opening.length;
    const quote = closingQuote(frame, from, event.delta);
    if (frame[quote] !== QUOTE) continue;
    const before = frame.subarray(0, from);
    // A copy, not `slice`: the frame may be a Buffer, whose slices are views.
    const behind = new Uint8Array(frame.subarray(quote));
    const head = literalOf(before);
    if (head === null || !isAroundText(before, behind, textIn)) continue;
    return { head, behind, trail: null, rest: null, event };
  }
  return null;
}

/** Whether these bytes with nothing between them form a frame whose text is empty. */
function isAroundText(before: Uint8Array, behind: Uint8Array, textIn: TextIn): boolean {
  try {
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    const frame: unknown = JSON.parse(utf8.decode(before) + utf8.decode(behind));
    return textIn(frame) === '';
  } catch {
    return false;
  }
}
