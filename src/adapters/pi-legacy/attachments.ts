// Converts attachments to content and back (docs/protocols/pi-legacy.md 4.6).
import type { Content, Dictionary } from '../../core/model/content.ts';
import { isDictionary, without } from '../../core/model/dictionary.ts';
import { extraOf } from '../pi/decode-values.ts';
import type { Attachment } from './wire.ts';

type File = Extract<Content, { type: 'image' | 'document' }>;

/** The content of a prompt, divided into attachments and other content. */
export interface Sorted {
  readonly attachments: readonly Attachment[];
  /** All other content, in order. */
  readonly others: readonly Content[];
  readonly losses: readonly string[];
}

/** One attachment of a client as canonical content. `extra.pi` holds the fields without a canonical place. */
export function contentOf(attachment: Attachment): Content {
  const { type, fileName: name, mimeType: mediaType, content: data, extractedText: text } = attachment;
  const rest = without(attachment, 'type', 'fileName', 'mimeType', 'content', 'extractedText');
  const shared = { name, mediaType, data } as const;
  if (type === 'document') return { type, ...shared, text, ...extraOf(rest) };
  return { type, ...shared, ...extraOf({ ...rest, extractedText: text }) };
}

/** Divides content. `makeId` names attachments without an id. */
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

/** `loss` without an attachment: not sent. With an attachment: sent, but pi does not show it to the model. */
function attachmentOf(file: File, makeId: () => string): { attachment?: Attachment; loss?: string } {
  const kept = keptFields(file);
  const known = { id: makeId, name: file.name, mediaType: file.mediaType, kept };
  if (file.type === 'image') {
    if (file.data === undefined) return { loss: 'an image without its bytes' };
    return { attachment: write('image', file.data, known) };
  }
  // A pi client gets what pi would have made of the file.
  const text = file.text ?? (kept === null ? textIn(file) : undefined);
  if (text !== undefined && text !== '') {
    const attachment = write('document', file.data ?? base64Of(text), known);
    return { attachment: { ...attachment, extractedText: text } };
  }
  const loss = 'a document without its text';
  // pi drops the file silently (docs/protocols/pi-legacy.md 4.7). pi clients get it back nevertheless.
  if (file.data === undefined || kept === null) return { loss };
  return { attachment: write('document', file.data, known), loss };
}

interface Known {
  readonly id: () => string;
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly kept: Dictionary | null;
}

/** Keys in the order of the document (docs/protocols/pi-legacy.md 4.6). */
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

/** The fields that a pi client sent with the file, or null for a file of another client. */
function keptFields(file: File): Dictionary | null {
  const fields = file.extra?.pi;
  return isDictionary(fields) ? fields : null;
}

/** The text of a text document that came as bytes, as Claude clients send it. */
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

/** The number of bytes in a base64 text. */
function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/u, '').length * 3) / 4);
}
