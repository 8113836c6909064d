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
/** The text that may follow a delta: the end of the line (since 0.84), or snapshots that no code reads. */
const bare = utf8.encode('"}}');
const partialFirst = utf8.encode('","partial":{');
const followers = [partialFirst, utf8.encode('"},"message":{')];
/** With snapshots, the message so far comes twice: as `partial` in the update and as `message` after it. */
const splice = { bytes: utf8.encode('},"message":'), after: 1 };

/** The number of last bytes that must equal those of the learned line: a truncated snapshot ends differently. */
const endingBytes = 24;

/** Learns from parsed lines and recognises lines of the same form. */
export function createLineRecogniser(streaming: Streaming): TemplateRecogniser {
  return createTemplateRecogniser(streaming, ({ bytes }, event) => templateOf(bytes, event));
}

/** The template of the line, or null if the first bytes do not identify lines of the same form. */
function templateOf(line: Uint8Array, event: Delta): Template | null {
  for (let at = findQuoted(line, opening, 0); at !== -1; at = findQuoted(line, opening, at + 1)) {
    const from = at + opening.length;
    if (!opensDelta(line.subarray(0, from), event.index)) continue;
    const head = literalOf(line.subarray(0, from));
    const behind = followerAt(line, closingQuote(line, from, event.delta));
    if (head === null || behind === null) return null;
    // The extra fields of a snapshot line may differ in the next line.
    if (behind !== bare && event.extra !== undefined) return null;
    return { head, behind, trail: null, rest: behind === bare ? null : restOf(line, behind), event };
  }
  return null;
}

/** The snapshots after the follower. Only their last bytes are compared. */
function restOf(line: Uint8Array, follower: Uint8Array): Rest {
  // A copy, not `slice`: the line may be a Buffer, whose slices are views.
  const ending = new Uint8Array(line.subarray(-endingBytes));
  return { ending, splice: follower === partialFirst ? splice : null };
}

/** Whether these bytes, once closed, form an update of that block with the delta last. */
function opensDelta(head: Uint8Array, index: number): boolean {
  try {
    const line: unknown = JSON.parse(`${new TextDecoder('utf-8', { fatal: true }).decode(head)}"}}`);
    const update = isDictionary(line) && line.type === 'message_update' ? line.assistantMessageEvent : null;
    if (!isDictionary(update) || typeof update.type !== 'string') return false;
    return update.delta === '' && update.contentIndex === index;
  } catch {
    return false;
  }
}

function followerAt(line: Uint8Array, quote: number): Uint8Array | null {
  if (quote === -1) return null;
  if (isAt(line, quote, bare) && quote + bare.length === line.length) return bare;
  return followers.find((follower) => isAt(line, quote, follower)) ?? null;
}
