// Learns a template from a `stream_event` line with one delta (decision 0011, core/fast-path/templates.ts): the whole
// line except the text of the delta and the frame's own id.
import { z } from 'zod';
import type { Frame } from '../../../core/contract/channel.ts';
import { closingQuote, findQuoted, literalOf } from '../../../core/fast-path/literal.ts';
import {
  createTemplateRecogniser,
  type Streaming,
  type Template,
  type TemplateRecogniser,
  type Trail,
} from '../../../core/fast-path/templates.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { asideTemplateOf } from './aside-template.ts';

/** The deltas of the hot path, each with its text in a field of its own (docs/protocols/claude.md 4.5). */
const Delta = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text_delta'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.looseObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);
const DeltaFrame = z.looseObject({
  type: z.literal('stream_event'),
  event: z.looseObject({ type: z.literal('content_block_delta'), index: z.number(), delta: Delta }),
  uuid: z.string().nullish(),
});

/** The parts of a line that differ from line to line. */
interface Holes {
  readonly index: number;
  /** The name of the field with the text: `text`, `thinking` or `partial_json`. */
  readonly field: string;
  readonly text: string;
  /** Empty if the frame has no id. */
  readonly id: string;
}

const utf8 = new TextEncoder();
/** The bytes after the text of the delta. The rest of the line is the trail. */
const behind = utf8.encode('"');
const decoder = new TextDecoder('utf-8', { fatal: true });
/** A text that no delta has. */
const probe = 'patchbay-probe';

/** Learns from parsed lines, and recognises similar lines. */
export function createLineRecogniser(streaming: Streaming): TemplateRecogniser {
  return createTemplateRecogniser(streaming, templateOf, asideTemplateOf);
}

/** The template of the line; null if similar lines cannot be recognised by the bytes around their delta. */
function templateOf(line: Frame, event: EventOf<'block-delta'>): Template | null {
  const holes = holesIn(line.json);
  if (holes === null || holes.index !== event.index || holes.text !== event.delta) return null;
  // The extra fields must be the same in the next line.
  if (holes.id !== '' && JSON.stringify(event.extra ?? {}).includes(holes.id)) return null;
  const { bytes } = line;
  const opening = utf8.encode(`"${holes.field}":"`);
  for (let at = findQuoted(bytes, opening, 0); at !== -1; at = findQuoted(bytes, opening, at + 1)) {
    const from = at + opening.length;
    const quote = closingQuote(bytes, from, holes.text);
    if (quote === -1 || !isSound(bytes.subarray(0, from), bytes.subarray(quote), holes)) continue;
    const head = literalOf(bytes.subarray(0, from));
    const trail = trailOf(bytes.subarray(quote + behind.length), holes.id);
    return head === null || trail === null ? null : { head, behind, trail, rest: null, event };
  }
  return null;
}

function holesIn(json: unknown): Holes | null {
  const read = DeltaFrame.safeParse(json);
  if (!read.success) return null;
  const { event, uuid } = read.data;
  const { index, delta } = event;
  const id = uuid ?? '';
  switch (delta.type) {
    case 'text_delta':
      return { index, field: 'text', text: delta.text, id };
    case 'thinking_delta':
      return { index, field: 'thinking', text: delta.thinking, id };
    case 'input_json_delta':
      return { index, field: 'partial_json', text: delta.partial_json, id };
    default:
      return delta satisfies never;
  }
}

/** The rest of the line with a hole for the id; null if the id stands before the delta. */
function trailOf(rest: Uint8Array, id: string): Trail | null {
  const at = id === '' ? rest.length : findQuoted(rest, utf8.encode(`"uuid":"${id}"`), 0);
  if (at === -1) return null;
  const holeAt = id === '' ? at : at + '"uuid":"'.length;
  const before = literalOf(rest.subarray(0, holeAt));
  const after = literalOf(rest.subarray(holeAt + id.length));
  return before === null || after === null ? null : { before, hole: id.length, after };
}

/** Checks that another text in the hole is read back as that text: the field may occur twice in the line. */
function isSound(head: Uint8Array, behind: Uint8Array, { index, field }: Holes): boolean {
  try {
    const read = holesIn(JSON.parse(decoder.decode(head) + probe + decoder.decode(behind)));
    return read?.index === index && read.field === field && read.text === probe;
  } catch {
    return false;
  }
}
