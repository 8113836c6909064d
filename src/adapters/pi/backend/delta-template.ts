// Learns a template from a line that yielded one delta (decision 0011, core/fast-path/templates.ts): the bytes
// before the delta and the bytes after it. For all dialects.

import { closingQuote, findQuoted, isAt, literalOf } from '../../../core/fast-path/literal.ts';
import {
  createTemplateRecogniser,
  type Rest,
  type Streaming,
  type Template,
  type TemplateRecogniser,
} from '../../../core/fast-path/templates.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';

type Delta = EventOf<'block-delta'>;

const utf8 = new TextEncoder();
const opening = utf8.encode('"delta":"');
/** The text that may follow a delta, if not the end of the line (since 0.84): snapshots that no code reads. */
const partialFirst = utf8.encode('","partial":{');
const followers = [partialFirst, utf8.encode('"},"message":{')];
/** With snapshots, the message so far comes twice: as `partial` in the update and as `message` after it. */
const spliceBytes = utf8.encode('},"message":');

/** The number of last bytes that must equal those of the learned line: a truncated snapshot ends differently. */
const endingBytes = 24;

/** How pi's lines are wrapped by whoever passes them on. */
export interface Wrapping {
  /** The text behind pi's line. */
  readonly end: string;
  /** The line of pi in a frame; anything else if there is none. */
  unwrap(frame: unknown): unknown;
}

const unwrapped: Wrapping = { end: '', unwrap: (frame) => frame };

/** Learns from parsed lines and recognises lines of the same form. */
export function createLineRecogniser(streaming: Streaming, wrapping: Wrapping = unwrapped): TemplateRecogniser {
  const bare = utf8.encode(`"}}${wrapping.end}`);
  return createTemplateRecogniser(streaming, ({ bytes }, event) => templateOf(bytes, event, wrapping, bare));
}

/** The template of the line, or null if the first bytes do not identify lines of the same form. `bare`: its end. */
function templateOf(line: Uint8Array, event: Delta, wrapping: Wrapping, bare: Uint8Array): Template | null {
  for (let at = findQuoted(line, opening, 0); at !== -1; at = findQuoted(line, opening, at + 1)) {
    const from = at + opening.length;
    if (!opensDelta(line.subarray(0, from), event.index, wrapping)) continue;
    const head = literalOf(line.subarray(0, from));
    const behind = followerAt(line, closingQuote(line, from, event.delta), bare);
    if (head === null || behind === null) return null;
    // The extra fields of a snapshot line may differ in the next line.
    if (behind !== bare && event.extra !== undefined) return null;
    return { head, behind, trail: null, rest: behind === bare ? null : restOf(line, behind, wrapping), event };
  }
  return null;
}

/** The snapshots after the follower. Only their last bytes are compared. */
function restOf(line: Uint8Array, follower: Uint8Array, { end }: Wrapping): Rest {
  // A copy, not `slice`: the line may be a Buffer, whose slices are views.
  const ending = new Uint8Array(line.subarray(-endingBytes));
  const splice = { bytes: spliceBytes, after: 1 + end.length };
  return { ending, splice: follower === partialFirst ? splice : null };
}

/** Whether these bytes, once closed, form an update of that block with the delta last. */
function opensDelta(head: Uint8Array, index: number, { end, unwrap }: Wrapping): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head);
    const line = unwrap(JSON.parse(`${text}"}}${end}`));
    const update = isDictionary(line) && line.type === 'message_update' ? line.assistantMessageEvent : null;
    if (!isDictionary(update) || typeof update.type !== 'string') return false;
    return update.delta === '' && update.contentIndex === index;
  } catch {
    return false;
  }
}

function followerAt(line: Uint8Array, quote: number, bare: Uint8Array): Uint8Array | null {
  if (quote === -1) return null;
  if (isAt(line, quote, bare) && quote + bare.length === line.length) return bare;
  return followers.find((follower) => isAt(line, quote, follower)) ?? null;
}
