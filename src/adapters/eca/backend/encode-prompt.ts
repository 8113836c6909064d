// A prompt as an ECA server takes it: a text and contexts (docs/protocols/eca.md 8.2).
import type { CommandOf } from '../../../core/model/command.ts';
import type { Content } from '../../../core/model/content.ts';
import { wireContextOf } from '../contexts.ts';

/** The text and contexts of a prompt, and the parts that the server does not take. */
export interface EncodedPrompt {
  readonly message: string;
  readonly contexts: readonly object[];
  readonly losses: readonly string[];
}

/** `takesImages`: newer servers have a context for images (since 0.131). */
export function encodePrompt(
  { content, contexts = [] }: Pick<CommandOf<'prompt'>, 'content' | 'contexts'>,
  takesImages: boolean,
): EncodedPrompt {
  const losses: string[] = [];
  const words: string[] = [];
  const images: object[] = [];
  for (const part of content) {
    const text = wordsOf(part);
    if (text !== null) words.push(text);
    else if (takesImages && part.type === 'image' && part.data !== undefined) {
      images.push({ type: 'image', mediaType: part.mediaType ?? 'image/png', base64: part.data });
    } else losses.push(`content of type ${part.type}`);
  }
  const others = contexts.flatMap((context) => {
    const wire = wireContextOf(context);
    if (wire === null) losses.push(`a context of type ${context.type}`);
    return wire ?? [];
  });
  return { message: words.join('\n'), contexts: [...others, ...images], losses };
}

function wordsOf(part: Content): string | null {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'link':
      return part.title === undefined ? part.url : `[${part.title}](${part.url})`;
    case 'document':
      return part.text ?? null;
    case 'image':
    case 'thinking':
    case 'tool-call':
    case 'opaque':
      return null;
    default:
      return part satisfies never;
  }
}

/** The path as the URI of a folder, with the last part of the path as its name. */
export function workspaceFolder(path: string): { readonly uri: string; readonly name: string } {
  const slashed = /^[a-z]:/iu.test(path) ? `/${path.replaceAll('\\', '/')}` : path;
  const parts = slashed.split('/');
  const uri = `file://${parts.map(encodeURIComponent).join('/').replace(/%3A/u, ':')}`;
  return { uri, name: parts.findLast((part) => part !== '') ?? '/' };
}
