// Frames with contents as JSON text. Splits long texts so that each frame stays short.
import { createMould, type FrameMould } from '../../../core/fast-path/stretch-writer.ts';
import { type Burst, startOf } from '../../../core/model/burst.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import { notificationFrame } from '../json-rpc.ts';

/** The role of a content (docs/protocols/eca.md 8.3). */
export type Role = 'user' | 'system' | 'assistant';

/** The chat that a content belongs to. The chat of a sub-agent names its parent. */
export interface ChatRef {
  readonly chatId: string;
  readonly parentChatId?: string;
}

/** A frame with one content of a chat. */
export function contentFrame({ chatId, parentChatId }: ChatRef, role: Role, content: Dictionary): string {
  return notificationFrame('chat/contentReceived', { chatId, parentChatId, role, content });
}

/**
 * The maximum size of a frame with its header, in bytes. The oldest clients read 4096 bytes at a time and lose a frame
 * that needs two reads (docs/protocols/eca.md 2.12, 5.6).
 */
const mostBytes = 4095;
const headerBytes = 'Content-Length: 4095\r\n\r\n'.length;
/** The minimum bytes of text per frame, however long the chat's id is. */
const leastText = 256;
/** The maximum bytes of one UTF-16 unit as JSON: `\u0000`. */
const mostPerUnit = 6;

/** Frames that differ only in one text. */
export interface TextFrames {
  /** As many frames as the text needs, one for an empty text. */
  (text: string): string[];
  /** The form of the frames of these deltas; null when not each delta gives one frame of that form. */
  mould(burst: Burst): FrameMould | null;
}

/** `content` holds all fields but the text. The text becomes the last field, `field`. */
export function textFrames(chatRef: ChatRef, role: Role, content: Dictionary, field: string): TextFrames {
  const frame = contentFrame(chatRef, role, { ...without(content, field), [field]: '' });
  const tail = '}}}';
  const head = frame.slice(0, -`""${tail}`.length);
  const budget = Math.max(leastText, mostBytes - headerBytes - bytesIn(frame));
  const surely = Math.floor(budget / mostPerUnit);
  let mould: FrameMould | null | undefined;

  function write(text: string): string[] {
    if (text.length <= surely) return [head + jsonOf(text) + tail];
    return cut(text, budget).map((piece) => head + JSON.stringify(piece) + tail);
  }

  return Object.assign(write, {
    mould(burst: Burst) {
      if (!isEachWithin(burst, budget)) return null;
      if (mould === undefined) mould = createMould({ head: `${head}"`, middle: `"${tail}`, tail: '', first: 'none' });
      return mould;
    },
  });
}

/** Whether no delta has more than that many bytes as JSON. */
function isEachWithin(burst: Burst, bytes: number): boolean {
  if (burst.bytes.length <= bytes) return true;
  return burst.ends.every((end, place) => end - startOf(burst, place) <= bytes);
}

const plain = /^[ !#-[\]-~]*$/;

/** Like JSON.stringify, but faster for most texts. */
function jsonOf(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Splits a text into pieces of at most `budget` bytes as JSON. Keeps surrogate pairs whole. */
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
  // A lone surrogate is escaped too.
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
