// The blocks of a prompt as content and contexts (docs/protocols/acp.md 4.30).
import type { Content, Context } from '../../../core/model/content.ts';
import type { ContentBlock } from '../wire/content.ts';

/** A prompt as the model has it. */
export interface DecodedPrompt {
  readonly content: Content[];
  readonly contexts: Context[];
}

/** Reads the blocks, in order. Links to files are contexts: an agent that reads none gets them as text. */
export function decodePrompt(blocks: readonly ContentBlock[]): DecodedPrompt {
  const content: Content[] = [];
  const contexts: Context[] = [];
  for (const block of blocks) {
    const context = contextOf(block);
    if (context === null) content.push(contentOf(block));
    else contexts.push(context);
  }
  // Agents need words.
  if (content.length === 0) content.push({ type: 'text', text: '' });
  return { content, contexts };
}

function contextOf({ type, uri }: ContentBlock): Context | null {
  if (type !== 'resource_link' || typeof uri !== 'string') return null;
  const file = /^file:\/\/(?:localhost)?(\/[^?#]*)(?:#L(\d{1,9})(?:[:-]L?(\d{1,9}))?)?$/iu.exec(uri);
  if (file === null) return /^https?:/iu.test(uri) ? { type: 'web', url: uri } : null;
  const path = decoded(file[1] ?? '');
  if (path === null || path.includes('\0')) return null;
  const start = Number(file[2] ?? 0);
  const lines = start > 0 ? { lines: { start, end: Math.max(start, Number(file[3] ?? start)) } } : {};
  const plain = /^\/[a-z]:/iu.test(path) ? path.slice(1) : path;
  return plain.length > 1 && plain.endsWith('/')
    ? { type: 'directory', path: plain.slice(0, -1) }
    : { type: 'file', path: plain, ...lines };
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

function contentOf(block: ContentBlock): Content {
  const { type, text, data, mimeType, uri, name, title, resource } = block;
  const media = typeof mimeType === 'string' ? { mediaType: mimeType } : {};
  switch (type) {
    case 'text':
      return { type: 'text', text: text ?? '' };
    case 'image':
      if (typeof data === 'string') return { type: 'image', data, ...media };
      break;
    case 'resource_link': {
      const words = title ?? name;
      if (typeof uri === 'string') return { type: 'link', url: uri, ...(words ? { title: words } : {}) };
      break;
    }
    case 'resource':
      if (resource) {
        const kind = typeof resource.mimeType === 'string' ? { mediaType: resource.mimeType } : {};
        const words = typeof resource.text === 'string' ? { text: resource.text } : {};
        const bytes = typeof resource.blob === 'string' ? { data: resource.blob } : {};
        return { type: 'document', url: resource.uri, ...kind, ...words, ...bytes };
      }
      break;
    default:
  }
  return { type: 'opaque', name: type, protocol: 'acp', payload: block };
}
