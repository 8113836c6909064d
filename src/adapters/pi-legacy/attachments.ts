// Attachments as content and content as attachments (docs/protocols/pi-legacy.md 4.6). Pure but for the names that it
// is given; knows no run.
import type { Content, Dictionary } from '../../core/model/content.ts';
import { isDictionary, without } from '../../core/model/dictionary.ts';
import { extraOf } from '../pi/values.ts';
import type { Attachment } from './wire.ts';

type File = Extract<Content, { type: 'image' | 'document' }>;

/** The content of a prompt, sorted into what rides in `attachments` and what does not. */
export interface Sorted {
  readonly attachments: readonly Attachment[];
  /** Everything else, in its order. */
  readonly others: readonly Content[];
  readonly losses: readonly string[];
}

/** One attachment of a client as canonical content; the fields with no canonical home ride in `extra.pi`. */
export function contentOf(attachment: Attachment): Content {
  const { type, fileName: name, mimeType: mediaType, content: data, extractedText: text } = attachment;
  const rest = without(attachment, 'type', 'fileName', 'mimeType', 'content', 'extractedText');
  const shared = { name, mediaType, data } as const;
  if (type === 'document') return { type, ...shared, text, ...extraOf(rest) };
  return { type, ...shared, ...extraOf({ ...rest, extractedText: text }) };
}

/** Sorts content; `makeId` names attachments that have no id. */
export function sortContent(content: readonly Content[], makeId: () => string): Sorted {
  const attachments: Attachment[] = [];
  const others: Content[] = [];
  const losses: string[] = [];
  for (const part of content) {
    if (part.type !== 'image' && part.type !== 'document') {
      others.push(part);
      continue;
    }
    const made = attachmentOf(part, makeId);
    if (made.attachment !== undefined) attachments.push(made.attachment);
    if (made.loss !== undefined) losses.push(made.loss);
  }
  return { attachments, others, losses };
}

/** `loss` without an attachment: it is not sent. With one: it is sent, and pi does not show it to the model. */
function attachmentOf(file: File, makeId: () => string): { attachment?: Attachment; loss?: string } {
  const kept = keptFields(file);
  const known = { id: makeId, name: file.name, mediaType: file.mediaType, kept };
  if (file.type === 'image') {
    if (file.data === undefined) return { loss: 'an image without its bytes' };
    return { attachment: write('image', file.data, known) };
  }
  // A client of pi gets what pi would have made of it.
  const text = file.text ?? (kept === null ? textIn(file) : undefined);
  if (text !== undefined && text !== '') {
    const attachment = write('document', file.data ?? base64Of(text), known);
    return { attachment: { ...attachment, extractedText: text } };
  }
  const loss = 'a document without its text';
  // pi drops it in silence (docs/protocols/pi-legacy.md 4.7); it goes back to clients of pi all the same.
  if (file.data === undefined || kept === null) return { loss };
  return { attachment: write('document', file.data, known), loss };
}

interface Known {
  readonly id: () => string;
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly kept: Dictionary | null;
}

/** In the order of the document (docs/protocols/pi-legacy.md 4.6). */
function write(type: Attachment['type'], content: string, { id, name, mediaType, kept }: Known): Attachment {
  const mimeType = mediaType ?? (type === 'image' ? 'image/png' : 'text/plain');
  const { id: ownId, size, ...rest } = kept ?? {};
  return {
    id: typeof ownId === 'string' ? ownId : id(),
    type,
    fileName: name ?? `${type}.${mimeType.split('/')[1] ?? 'bin'}`,
    mimeType,
    size: typeof size === 'number' ? size : bytesIn(content),
    content,
    ...rest,
  };
}

/** What a client of pi sent with it; null when it came from elsewhere. */
function keptFields(file: File): Dictionary | null {
  const fields = file.extra?.pi;
  return isDictionary(fields) ? fields : null;
}

/** The text of a document that is text and came as bytes: Claude clients send such. */
function textIn({ data, mediaType }: File): string | undefined {
  if (data === undefined || mediaType?.startsWith('text/') !== true) return undefined;
  try {
    const bytes = Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function base64Of(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

/** How many bytes a base64 text stands for. */
function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/u, '').length * 3) / 4);
}
