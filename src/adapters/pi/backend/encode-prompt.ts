// What a user says as pi takes it: one text and images (docs/protocols/pi.md 4.9, 8.2). Pure.
import type { CommandOf } from '../../../core/model/command.ts';
import type { Content } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { WireImage } from '../wire/commands.ts';

/** The words and pictures of a prompt, and what of it pi cannot take. */
export interface Said {
  readonly message: string;
  readonly images: readonly WireImage[];
  readonly losses: readonly string[];
}

/** Texts are joined by an empty line; a document follows as 0.13.2 writes it (docs/protocols/pi.md 8.2; docs/protocols/pi-legacy.md 4.7). */
export function sayContent(content: readonly Content[]): Said {
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

/** Fields of a newer pi client stay with their image. */
function imageOf({ mediaType, extra }: Extract<Content, { type: 'image' }>, data: string): WireImage {
  return { ...dictionaryOf(extra?.pi), type: 'image', data, mimeType: mediaType ?? 'image/png' };
}

/** A whole prompt. pi takes no context, no model and no mode with it. */
export function sayPrompt(prompt: CommandOf<'prompt'>, currentModel: string | undefined): Said {
  const said = sayContent(prompt.content);
  const losses = [...said.losses];
  if (prompt.contexts !== undefined && prompt.contexts.length > 0) losses.push(`${prompt.contexts.length} contexts`);
  if (prompt.model !== undefined && prompt.model !== currentModel) losses.push('the model of one prompt');
  if (prompt.mode !== undefined) losses.push('the mode of one prompt');
  return { ...said, losses };
}
