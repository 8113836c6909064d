// Frames that tell something, as JSON text; and how long texts are cut, so that each frame is short. Pure: knows no event.
import type { Dictionary } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import { notificationFrame } from '../json-rpc.ts';

/** Who says a content (docs/protocols/eca.md 8.3). */
export type Role = 'user' | 'system' | 'assistant';

/** The chat that a content belongs to; that of a sub-agent names the one that it works for. */
export interface Voice {
  readonly chatId: string;
  readonly parentChatId?: string;
}

/** One content of a chat. */
export function contentFrame({ chatId, parentChatId }: Voice, role: Role, content: Dictionary): string {
  return notificationFrame('chat/contentReceived', { chatId, parentChatId, role, content });
}

/**
 * Bytes of a frame with its header: what does not come in one read is lost to the oldest clients (docs/protocols/eca.md 2.12, 5.6), and they read 4096 bytes at a time.
 */
const mostBytes = 4095;
const headerBytes = 'Content-Length: 4095\r\n\r\n'.length;
/** However long the name of a chat is, its texts must get on. */
const leastText = 256;
/** What one unit of a string is at most as JSON: `\u0000`. */
const mostPerUnit = 6;

/** Frames that differ in one text only. As many as are needed for it; one for an empty text. */
export type TextFrames = (text: string) => string[];

/** `content` is all but the text, which is its last field. */
export function textFrames(voice: Voice, role: Role, content: Dictionary, field: string): TextFrames {
  const frame = contentFrame(voice, role, { ...without(content, field), [field]: '' });
  const tail = '}}}';
  const head = frame.slice(0, -`""${tail}`.length);
  const budget = Math.max(leastText, mostBytes - headerBytes - bytesIn(frame));
  const surely = Math.floor(budget / mostPerUnit);
  return (text) => {
    if (text.length <= surely) return [head + jsonOf(text) + tail];
    return cut(text, budget).map((piece) => head + JSON.stringify(piece) + tail);
  };
}

const plain = /^[ !#-[\]-~]*$/;

/** JSON.stringify, quicker for what most texts are. */
function jsonOf(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Pieces that are at most so many bytes as JSON; pairs of surrogates stay whole. */
function cut(text: string, budget: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const more = bytesAsJson(code);
    if (bytes + more > budget) {
      pieces.push(text.slice(from, at));
      from = at;
      bytes = 0;
    }
    bytes += more;
    at += code > 0xffff ? 2 : 1;
  }
  return [...pieces, text.slice(from)];
}

const shortEscapes: ReadonlySet<number> = new Set(Array.from('\b\t\n\f\r"\\', (char) => char.charCodeAt(0)));

function bytesAsJson(code: number): number {
  if (shortEscapes.has(code)) return 2;
  // A surrogate by itself is escaped as well.
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return mostPerUnit;
  return bytesOf(code);
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (const char of text) bytes += bytesOf(char.codePointAt(0) ?? 0);
  return bytes;
}
