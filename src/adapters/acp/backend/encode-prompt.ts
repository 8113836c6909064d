// A prompt as an ACP agent takes it: content blocks (docs/protocols/acp.md 4.30). What the agent does not take becomes
// text where there is one, else a loss.
import type { CommandOf } from '../../../core/model/command.ts';
import type { Content, Context, Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { AgentCapabilities } from '../wire/agent.ts';

/** The blocks of a prompt, and the parts that the agent does not take. */
export interface EncodedPrompt {
  readonly prompt: readonly object[];
  readonly losses: readonly string[];
}

type Abilities = NonNullable<AgentCapabilities['promptCapabilities']>;

/** `abilities`: what the agent takes besides texts and links. */
export function encodePrompt(
  { content, contexts = [] }: Pick<CommandOf<'prompt'>, 'content' | 'contexts'>,
  abilities: Abilities,
): EncodedPrompt {
  const losses: string[] = [];
  const blocks = content.flatMap((part) => {
    const block = blockOf(part, abilities);
    if (block === null) losses.push(`content of type ${part.type}`);
    return block ?? [];
  });
  const links = contexts.flatMap((context) => {
    const link = linkOf(context);
    if (link === null) losses.push(`a context of type ${context.type}`);
    return link ?? [];
  });
  return { prompt: [...blocks, ...links], losses };
}

const textBlock = (text: string) => ({ type: 'text', text });

function blockOf(part: Content, { image, audio, embeddedContext }: Abilities): object | null {
  switch (part.type) {
    case 'text':
      return textBlock(part.text);
    case 'link':
      return { type: 'resource_link', uri: part.url, name: part.title ?? part.url };
    case 'image': {
      if (part.data === undefined)
        return part.url === undefined ? null : { type: 'resource_link', uri: part.url, name: part.url };
      return image === true ? { type: 'image', data: part.data, mimeType: part.mediaType ?? 'image/png' } : null;
    }
    case 'document': {
      const { url, name, text, data, mediaType } = part;
      const uri = url ?? `attachment:${encodeURIComponent(name ?? 'document')}`;
      const mime = mediaType === undefined ? {} : { mimeType: mediaType };
      if (embeddedContext !== true) return text === undefined ? null : textBlock(`${uri}\n${text}`);
      if (text !== undefined) return { type: 'resource', resource: { uri, ...mime, text } };
      if (data !== undefined) return { type: 'resource', resource: { uri, ...mime, blob: data } };
      return url === undefined ? null : { type: 'resource_link', uri: url, name: name ?? url };
    }
    case 'opaque': {
      const isOurs = part.protocol === 'acp' && isDictionary(part.payload);
      return isOurs && (part.name !== 'audio' || audio === true) ? (part.payload as Dictionary) : null;
    }
    case 'thinking':
    case 'tool-call':
      return null;
    default:
      return part satisfies never;
  }
}

/** A path as a link. Lines are a fragment, as editors write it. */
function fileLink(path: string, lines?: { readonly start: number; readonly end: number }): object {
  const fragment = lines === undefined ? '' : `#L${lines.start}:${lines.end}`;
  const name = path.split('/').findLast((part) => part !== '') ?? path;
  const slashed = /^[a-z]:/iu.test(path) ? `/${path.replaceAll('\\', '/')}` : path;
  const uri = `file://${slashed.split('/').map(encodeURIComponent).join('/').replace(/%3A/u, ':')}${fragment}`;
  return { type: 'resource_link', uri, name };
}

function linkOf(context: Context): object | null {
  switch (context.type) {
    case 'file':
      return fileLink(context.path, context.lines);
    case 'directory':
      return fileLink(context.path);
    case 'web':
      return { type: 'resource_link', uri: context.url, name: context.url };
    case 'resource':
      return { type: 'resource_link', uri: context.uri, name: context.name ?? context.uri };
    case 'repo-map':
    case 'opaque':
      return null;
    default:
      return context satisfies never;
  }
}
