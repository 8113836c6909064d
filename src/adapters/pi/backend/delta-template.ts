// What a line that gave one delta teaches of lines like it (decision 0011, core/fast-path/templates.ts): for all dialects, the
// bytes up to the delta and what follows it. Knows no message and no run.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { closingQuote, findQuoted, isAt, literalOf } from '../../../core/fast-path/literal.ts';
import {
  createTemplateRecogniser,
  type Rest,
  type Streaming,
  type Template,
  type TemplateRecogniser,
} from '../../../core/fast-path/templates.ts';

type Delta = EventOf<'block-delta'>;

const utf8 = new TextEncoder();
const opening = utf8.encode('"delta":"');
/** What may stand behind a delta: the end of the line (since 0.84), or snapshots that nobody reads. */
const bare = utf8.encode('"}}');
const partialFirst = utf8.encode('","partial":{');
const followers = [partialFirst, utf8.encode('"},"message":{')];
/** Then the message so far comes twice: as `partial` in the update and as `message` behind it. */
const splice = { bytes: utf8.encode('},"message":'), after: 1 };

/** So many of the last bytes of a line must be those of the line that taught: a snapshot that was cut ends otherwise. */
const endingBytes = 24;

/** Learns from lines that were parsed, recognises lines that look like them. */
export function createLineRecogniser(streaming: Streaming): TemplateRecogniser {
  return createTemplateRecogniser(streaming, ({ bytes }, event) => templateOf(bytes, event));
}

/** What the line teaches; null when lines like it cannot be told by their first bytes. */
function templateOf(line: Uint8Array, event: Delta): Template | null {
  for (let at = findQuoted(line, opening, 0); at !== -1; at = findQuoted(line, opening, at + 1)) {
    const from = at + opening.length;
    if (!opensDelta(line.subarray(0, from), event.index)) continue;
    const head = literalOf(line.subarray(0, from));
    const behind = followerAt(line, closingQuote(line, from, event.delta));
    if (head === null || behind === null) return null;
    // What a snapshot adds to the event need not be the same in the next one.
    if (behind !== bare && event.extra !== undefined) return null;
    return { head, behind, trail: null, rest: behind === bare ? null : restOf(line, behind), event };
  }
  return null;
}

/** The snapshots behind the follower, of which the last bytes are seen. */
function restOf(line: Uint8Array, follower: Uint8Array): Rest {
  // A copy, not `slice`: the line may be a Buffer, whose slices are views.
  const ending = new Uint8Array(line.subarray(-endingBytes));
  return { ending, splice: follower === partialFirst ? splice : null };
}

/** Whether these bytes, once closed, are an update of that block whose delta comes last. */
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
