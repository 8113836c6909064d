// Learns a template from the line that comes before each delta of thinking: an estimate of its tokens
// (docs/protocols/claude.md 5.2). Only the estimates and the frame's own id differ from line to line.
import type { AsideHole, AsideTemplate } from '../../../core/fast-path/asides.ts';
import { literalOf } from '../../../core/fast-path/literal.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';

const utf8 = new TextEncoder();

/** The fields that may differ. */
const numbers: ReadonlySet<string> = new Set(['estimated_tokens', 'estimated_tokens_delta']);
const idField = 'uuid';

/** The template of lines that lead to such events; null if the event is another one. */
export function asideTemplateOf(event: EventOf<'unknown'>): AsideTemplate | null {
  const payload = dictionaryOf(event.payload);
  if (payload.type !== 'system' || payload.subtype !== 'thinking_tokens') return null;
  const holes: Omit<AsideHole, 'after'>[] = [];
  /** The text before the first hole and behind each hole. */
  const texts: string[] = [];
  let text = '{';
  for (const [field, value] of Object.entries(payload)) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(field)}:`;
    const hole = holeOf(field, value);
    if (hole === null) {
      text += JSON.stringify(value);
      continue;
    }
    holes.push(hole);
    texts.push(text);
    text = '';
  }
  const [head, ...afters] = [...texts, `${text}}`].map((part) => literalOf(utf8.encode(part)));
  if (head === undefined || head === null || holes.length === 0) return null;
  const whole = holes.flatMap((hole, place) => {
    const after = afters[place] ?? null;
    return after === null ? [] : [{ ...hole, after }];
  });
  return whole.length < holes.length ? null : { protocol: event.protocol, payload, head, holes: whole };
}

function holeOf(field: string, value: unknown): Omit<AsideHole, 'after'> | null {
  if (typeof value === 'number' && numbers.has(field)) return { field, value: 'number' };
  if (typeof value === 'string' && field === idField) return { field, value: JSON.stringify(value).length };
  return null;
}
