// Nouns of the model as values of ACP: content blocks, items of tool calls, titles (docs/protocols/acp.md 4.30, 4.35,
// 4.39, 9.63).
import { absolutePath } from '../../../core/model/absolute-path.ts';
import type { Content, Dictionary, FileChange } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { ToolKind, ToolLocation } from '../../../core/model/event.ts';

/** What an ACP agent has said of the event and the model has no word for. */
export function acpExtraIn({ extra }: { readonly extra?: Dictionary | undefined }): Dictionary {
  return dictionaryOf(extra?.acp);
}

/** What a vendor has said, to be spread into an update. */
export function metaOf(_meta: unknown): { _meta?: unknown } {
  return _meta === undefined ? {} : { _meta };
}

/** A content as a block; null if there is none for it. */
export function blockOf(content: Content): object | null {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'link':
      return { type: 'resource_link', uri: content.url, name: content.title ?? content.url };
    case 'image': {
      const { data, url, mediaType = 'image/png', name } = content;
      if (data !== undefined) return { type: 'image', data, mimeType: mediaType };
      return url === undefined ? null : { type: 'resource_link', uri: url, name: name ?? url, mimeType: mediaType };
    }
    case 'document': {
      const { url, name, text, data, mediaType } = content;
      const uri = url ?? `attachment:${encodeURIComponent(name ?? 'document')}`;
      const mime = mediaType === undefined ? {} : { mimeType: mediaType };
      if (text !== undefined) return { type: 'resource', resource: { uri, ...mime, text } };
      if (data !== undefined) return { type: 'resource', resource: { uri, ...mime, blob: data } };
      return url === undefined ? null : { type: 'resource_link', uri, name: name ?? uri, ...mime };
    }
    case 'opaque':
      return content.protocol === 'acp' && isDictionary(content.payload) ? content.payload : null;
    case 'thinking':
    case 'tool-call':
      return null;
    default:
      return content satisfies never;
  }
}

/** Contents as items of a call. */
export function contentItems(contents: readonly Content[]): object[] {
  return contents.flatMap((content) => {
    const block = blockOf(content);
    return block === null ? [] : [{ type: 'content', content: block }];
  });
}

/** A change of a file as diffs: of the texts that the agent has said, else one for each hunk. `cwd`: of the agent. */
export function diffItems({ path: said, diff, before, after }: FileChange, cwd: string | undefined): object[] {
  const path = absolutePath(said, cwd);
  if (after !== undefined) return [{ type: 'diff', path, oldText: before ?? null, newText: after }];
  const hunks = diff.split(/^@@.*$\n?/mu).filter((hunk) => hunk.trim() !== '');
  return hunks.map((hunk) => {
    const lines = hunk.replace(/\n$/u, '').split('\n');
    const side = (dropped: string) =>
      lines.flatMap((line) => (line.startsWith(dropped) || line.startsWith('\\') ? [] : [line.slice(1)])).join('\n');
    return { type: 'diff', path, oldText: side('+'), newText: side('-') };
  });
}

const kinds: readonly (readonly [words: RegExp, kind: ToolKind])[] = [
  [/^(?:bash|shell|exec|run|terminal|command)/iu, 'execute'],
  [/(?:delete|remove)/iu, 'delete'],
  [/(?:move|rename)/iu, 'move'],
  [/(?:edit|write|patch|create_file)/iu, 'edit'],
  [/(?:fetch|web|browse|url)/iu, 'fetch'],
  [/(?:grep|glob|find|search|^ls$|list|tree)/iu, 'search'],
  [/(?:read|cat|view|open)/iu, 'read'],
  [/(?:think|todo|plan)/iu, 'think'],
];

/** What a tool does, by its name. */
export function kindByName(name: string): ToolKind {
  return kinds.find(([words]) => words.test(name))?.[1] ?? 'other';
}

const mainArguments = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'description'];
/** Characters of a title (docs/protocols/acp.md 9.63). */
const longestTitle = 120;

/** A text as one line of at most 120 characters. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join('')}…`;
}

/** The title of a call: what the agent calls it, else the tool and its main argument. */
export function titleOf(name: string, title: string | undefined, input: Dictionary): string {
  if (title !== undefined && title !== '') return oneLine(title);
  const argument = mainArguments.map((key) => input[key]).find((value) => typeof value === 'string' && value !== '');
  return oneLine(typeof argument === 'string' ? `${name} ${argument}` : name);
}

/** The places of a call: said, or its file. Paths are absolute (docs/protocols/acp.md 1.9). */
export function locationsOf(
  locations: readonly ToolLocation[] | undefined,
  change: FileChange | undefined,
  input: Dictionary,
  cwd: string | undefined,
): readonly ToolLocation[] {
  if (locations !== undefined) return locations.map((one) => ({ ...one, path: absolutePath(one.path, cwd) }));
  const path = change === undefined ? (input.file_path ?? input.path) : absolutePath(change.path, cwd);
  return typeof path === 'string' && path.startsWith('/') ? [{ path }] : [];
}
