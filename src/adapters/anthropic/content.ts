// Converts user content to blocks of the API, and lists the content without a matching block.
import type { CommandOf } from '../../core/model/command.ts';
import type { Content, Dictionary } from '../../core/model/content.ts';

/** A prompt for the API. */
export interface EncodedPrompt {
  readonly blocks: readonly Dictionary[];
  /** Parts of the prompt that the model does not get. */
  readonly losses: readonly string[];
}

/** A prompt with its contexts and its mode. Ignores its model. */
export function sayPrompt({ content, contexts = [], mode }: CommandOf<'prompt'>): EncodedPrompt {
  const parts = content.map(sayPart);
  return {
    blocks: parts.flatMap((part) => (typeof part === 'string' ? [] : part)),
    losses: [
      ...parts.filter((part) => typeof part === 'string'),
      ...(contexts.length > 0 ? [`${contexts.length} contexts`] : []),
      ...(mode === undefined ? [] : ['the mode of one prompt']),
    ],
  };
}

/** The blocks of a part, or the loss. */
function sayPart(part: Content): readonly Dictionary[] | string {
  switch (part.type) {
    case 'text':
      // The API rejects a text without visible characters. An omitted blank text is no loss.
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image': {
      const source = imageSource(part);
      return source === null ? 'an image of a kind that the API does not take' : [{ type: 'image', source }];
    }
    case 'document': {
      const source = documentSource(part);
      if (source === null) return 'a document of a kind that the API does not take';
      return [{ type: 'document', source, ...(part.name === undefined ? {} : { title: part.name }) }];
    }
    case 'opaque':
      return part.protocol === 'anthropic' && isBlock(part.payload) ? [part.payload] : `content of type ${part.name}`;
    case 'link':
    case 'thinking':
    case 'tool-call':
      return `content of type ${part.type}`;
    default:
      return part satisfies never;
  }
}

/** The first base64 characters of each image type. */
const imageTypes: ReadonlyMap<string, string> = new Map([
  ['image/png', 'iVBOR'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
]);

function imageSource({ data, url, mediaType }: Extract<Content, { type: 'image' }>): Dictionary | null {
  if (data === undefined) return url !== undefined && isWebAddress(url) ? { type: 'url', url } : null;
  const guessed = mediaType ?? [...imageTypes].find(([, head]) => data.startsWith(head))?.[0];
  if (guessed === undefined || !imageTypes.has(guessed)) return null;
  return { type: 'base64', media_type: guessed, data };
}

function documentSource(document: Extract<Content, { type: 'document' }>): Dictionary | null {
  const { data, text, url, mediaType } = document;
  // A PDF file says more than the text extracted from it, so the API gets the file even if there is a text.
  if (data !== undefined && mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data };
  if (text !== undefined) return { type: 'text', media_type: 'text/plain', data: text };
  if (data !== undefined && mediaType?.startsWith('text/') === true) {
    const decoded = textIn(data);
    return decoded === null ? null : { type: 'text', media_type: 'text/plain', data: decoded };
  }
  return url !== undefined && isWebAddress(url) ? { type: 'url', url } : null;
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//iu.test(url);
}

/** Null for invalid base64 or UTF-8. */
function textIn(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)),
    );
  } catch {
    return null;
  }
}

function isBlock(payload: unknown): payload is Dictionary {
  return typeof payload === 'object' && payload !== null && 'type' in payload && typeof payload.type === 'string';
}
