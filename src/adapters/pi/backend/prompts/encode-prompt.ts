// Converts user content to pi's form: one text and images (docs/protocols/pi.md 4.9, 8.2).
import type { CommandOf } from '../../../../core/model/command.ts';
import type { Content } from '../../../../core/model/content.ts';
import { dictionaryOf } from '../../../../core/model/dictionary.ts';
import type { WireImage } from '../../wire/commands.ts';

/** The text and the images of a prompt, and the losses. */
export interface EncodedContent {
  readonly message: string;
  readonly images: readonly WireImage[];
  readonly losses: readonly string[];
}

/**
 * Joins texts with an empty line. A document follows in the form of 0.13.2 (docs/protocols/pi.md 8.2;
 * docs/protocols/pi-legacy.md 4.7).
 */
export function sayContent(content: readonly Content[]): EncodedContent {
  const texts: string[] = [];
  const images: WireImage[] = [];
  const losses: string[] = [];
  for (const part of content) {
    switch (part.type) {
      case 'text':
        texts.push(part.text);
        break;
      case 'image':
        if (part.data === undefined) losses.push('an image without its bytes');
        else images.push(imageOf(part, part.data));
        break;
      case 'document':
        if (part.text === undefined) losses.push('a document without its text');
        else texts.push(`[Document: ${part.name ?? 'unnamed'}]\n${part.text}`);
        break;
      case 'link':
        texts.push(part.title === undefined ? part.url : `[${part.title}](${part.url})`);
        break;
      case 'thinking':
      case 'tool-call':
      case 'opaque':
        losses.push(`content of type ${part.type}`);
        break;
      default:
        part satisfies never;
    }
  }
  return { message: texts.join('\n\n'), images, losses };
}

/** Keeps the fields that a newer pi client added to an image. */
function imageOf({ mediaType, extra }: Extract<Content, { type: 'image' }>, data: string): WireImage {
  return { ...dictionaryOf(extra?.pi), type: 'image', data, mimeType: mediaType ?? 'image/png' };
}

/** A whole prompt. pi accepts no context, model or mode with a prompt. */
export function sayPrompt(prompt: CommandOf<'prompt'>, currentModel: string | undefined): EncodedContent {
  const encoded = sayContent(prompt.content);
  const losses = [...encoded.losses];
  if (prompt.contexts !== undefined && prompt.contexts.length > 0) losses.push(`${prompt.contexts.length} contexts`);
  if (prompt.model !== undefined && prompt.model !== currentModel) losses.push('the model of one prompt');
  if (prompt.mode !== undefined) losses.push('the mode of one prompt');
  return { ...encoded, losses };
}
