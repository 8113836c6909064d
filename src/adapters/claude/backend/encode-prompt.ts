// A prompt as a Claude agent takes it: one `user` frame (docs/protocols/claude.md 3.3).
import type { Content, Context, Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../core/model/dictionary.ts';

/** The blocks of a prompt, and the parts that the agent does not take. */
export interface EncodedPrompt {
  readonly blocks: readonly Dictionary[];
  readonly losses: readonly string[];
}

/** The contents, then the contexts in Claude Code's own notation. */
export function encodePrompt(content: readonly Content[], contexts: readonly Context[]): EncodedPrompt {
  const losses: string[] = [];
  const blocks = content.flatMap((part) => {
    const block = blockOf(part);
    if (block === null) losses.push(`content of type ${part.type}`);
    return block === null ? [] : [block];
  });
  const mentions = contexts.flatMap((context) => {
    const mention = mentionOf(context);
    if (mention === null) losses.push(`a context of type ${context.type}`);
    return mention === null ? [] : [mention];
  });
  return { blocks: mentions.length === 0 ? blocks : [...blocks, textBlock(mentions.join('\n'))], losses };
}

/** The `user` frame. A client of this protocol may have given it a name and other fields. */
export function promptFrame(blocks: readonly Dictionary[], clientFields: unknown): Dictionary {
  const own = isDictionary(clientFields)
    ? without(clientFields, 'type', 'message', 'session_id')
    : typeof clientFields === 'string'
      ? { uuid: clientFields }
      : {};
  return {
    type: 'user',
    session_id: '',
    message: { role: 'user', content: blocks },
    parent_tool_use_id: null,
    ...own,
  };
}

/** A block with one text. */
export function textBlock(text: string): Dictionary {
  return { type: 'text', text };
}

function blockOf(part: Content): Dictionary | null {
  switch (part.type) {
    case 'text':
      return textBlock(part.text);
    case 'image':
      if (part.data !== undefined) return sourced('image', base64(part.data, part.mediaType ?? 'image/png'));
      return part.url === undefined ? null : sourced('image', { type: 'url', url: part.url });
    case 'document': {
      const title = part.name === undefined ? {} : { title: part.name };
      if (part.data !== undefined) {
        return { ...sourced('document', base64(part.data, part.mediaType ?? 'application/pdf')), ...title };
      }
      if (part.text !== undefined) {
        return { ...sourced('document', { type: 'text', media_type: 'text/plain', data: part.text }), ...title };
      }
      return part.url === undefined ? null : { ...sourced('document', { type: 'url', url: part.url }), ...title };
    }
    case 'link':
      return textBlock(part.title === undefined ? part.url : `[${part.title}](${part.url})`);
    case 'opaque':
      return part.protocol === 'claude' && isDictionary(part.payload) ? dictionaryOf(part.payload) : null;
    case 'thinking':
    case 'tool-call':
      return null;
    default:
      return part satisfies never;
  }
}

const sourced = (type: string, source: Dictionary): Dictionary => ({ type, source });
const base64 = (data: string, mediaType: string): Dictionary => ({ type: 'base64', media_type: mediaType, data });

function mentionOf(context: Context): string | null {
  switch (context.type) {
    case 'file': {
      const { path, lines } = context;
      return lines === undefined ? `@${path}` : `@${path}#L${lines.start}-${lines.end}`;
    }
    case 'directory':
      return `@${context.path}`;
    case 'web':
      return context.url;
    case 'resource':
      return `@${context.server}:${context.uri}`;
    case 'repo-map':
    case 'opaque':
      return null;
    default:
      return context satisfies never;
  }
}
