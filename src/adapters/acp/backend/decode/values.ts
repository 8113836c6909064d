// Values of ACP as nouns of the model: contents, tool calls, usage (docs/protocols/acp.md 4.30, 4.35 to 4.41).
import type { Content, Dictionary, Extra, FileChange, Usage } from '../../../../core/model/content.ts';
import { dictionaryOf, extraFor, isDictionary } from '../../../../core/model/dictionary.ts';
import { type EventOf, type ToolKind, ToolKind as ToolKinds } from '../../../../core/model/event.ts';
import { wholeFileChange } from '../../../../core/model/file-change.ts';
import type { CallUpdate } from '../../wire/agent.ts';
import type { CallContent, ContentBlock, TurnUsage } from '../../wire/content.ts';

/** Fields that only ACP knows. */
export function acpExtra(fields: Dictionary): { extra?: Extra } {
  return extraFor('acp', fields);
}

/** A content block. What the model has no word for stays as it came. */
export function contentOf(block: ContentBlock): Content {
  const { type, text, data, mimeType, uri, name, title, resource } = block;
  const media = typeof mimeType === 'string' ? { mediaType: mimeType } : {};
  switch (type) {
    case 'text':
      return { type: 'text', text: text ?? '' };
    case 'image':
      if (typeof data === 'string') return { type: 'image', data, ...media };
      break;
    case 'resource_link':
      if (typeof uri === 'string') return { type: 'link', url: uri, ...titled(title ?? name) };
      break;
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

function titled(title: string | null | undefined): { title?: string } {
  return typeof title === 'string' && title !== '' ? { title } : {};
}

/** The contents among the items of a call. */
export function contentsIn(items: readonly CallContent[]): Content[] {
  return items.flatMap(({ type, content }) => (type === 'content' && content ? [contentOf(content)] : []));
}

/** Whether the items of a call are these contents and nothing else, so that the contents tell all. */
export function arePlain(items: readonly CallContent[], contents: readonly Content[]): boolean {
  return (
    items.length === contents.length &&
    items.every(({ content: block, ...rest }, at) => {
      const said = contents[at];
      if (!block || said === undefined || Object.keys(rest).length > 1) return false;
      const fields = Object.keys(block).length;
      if (said.type === 'text') return said.text === block.text && fields === 2;
      return said.type === 'image' && said.data === block.data && said.mediaType === block.mimeType && fields === 3;
    })
  );
}

/** The first diff among the items of a call (docs/protocols/acp.md 4.39). */
export function changeIn(items: readonly CallContent[]): FileChange | undefined {
  for (const { type, path, oldText, newText } of items) {
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') continue;
    const before = oldText ?? '';
    return { ...wholeFileChange(path, { before, after: newText }), before, after: newText };
  }
  return undefined;
}

/** The canonical kind. ACP has one that the model has not: `switch_mode`. */
export function kindOf(kind: string | null | undefined): ToolKind | undefined {
  return ToolKinds.safeParse(kind).data ?? (typeof kind === 'string' ? 'other' : undefined);
}

/**
 * The name of the tool: said, or in `_meta`, or as gemini and opencode show it; else the kind of the call
 * (docs/protocols/acp.md 4.38).
 */
export function nameOf({ toolCallId, name, title, kind, _meta }: CallUpdate): string {
  const vendor = dictionaryOf(_meta);
  const told = [name, dictionaryOf(vendor.claudeCode).toolName, vendor.toolName];
  const said = told.find((one) => typeof one === 'string' && one !== '');
  if (typeof said === 'string') return said;
  const inId = /^([a-z][\w-]*)__/iu.exec(toolCallId)?.[1];
  if (inId !== undefined) return inId;
  if (typeof title === 'string' && kind !== 'execute' && /^[a-z][\w.-]*$/iu.test(title)) return title;
  return kind ?? 'tool';
}

/** The output that a vendor's terminal shows: not part of the document, but all that some agents tell (4.40). */
export function terminalOutputIn(meta: unknown): string {
  const { terminal_output: whole, terminal_output_delta: piece } = dictionaryOf(meta);
  return [whole, piece]
    .map((one) => dictionaryOf(one).data)
    .filter((data) => typeof data === 'string')
    .join('');
}

/** `rawOutput` as a text; an empty one says nothing. */
export function textOfRaw(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  if (raw === undefined || raw === null) return '';
  const { content, output } = dictionaryOf(raw);
  if (typeof output === 'string') return output;
  if (Array.isArray(content)) {
    const texts = content.map((one) => dictionaryOf(one).text).filter((text) => typeof text === 'string');
    if (texts.length > 0) return texts.join('\n');
  }
  return JSON.stringify(raw);
}

/** Claude's fence around an output whose plain text is in `rawOutput` is taken off (docs/protocols/acp.md 4.41). */
export function withoutFence(contents: readonly Content[], raw: unknown): Content[] {
  const [only, ...others] = contents;
  const isFenced = only?.type === 'text' && others.length === 0 && typeof raw === 'string';
  if (!isFenced || only.text !== `\`\`\`console\n${raw}\n\`\`\``) return [...contents];
  return [{ type: 'text', text: raw }];
}

/** Tokens; absent figures are 0. */
export function usageOf(usage: TurnUsage | null | undefined): Usage | undefined {
  if (!isDictionary(usage)) return undefined;
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = usage;
  return {
    input: inputTokens ?? 0,
    output: outputTokens ?? 0,
    cacheRead: cachedReadTokens ?? 0,
    cacheWrite: cachedWriteTokens ?? 0,
  };
}

/** How a call is shown, from all that is known of it. */
export function shownOf({
  title,
  kind,
  locations,
  content,
}: CallUpdate): Pick<EventOf<'tool-start'>, 'title' | 'kind' | 'locations' | 'change'> {
  const known = kindOf(kind);
  const change = changeIn(content ?? []);
  const places = (locations ?? []).map(({ path, line }) => (typeof line === 'number' ? { path, line } : { path }));
  return {
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(known === undefined ? {} : { kind: known }),
    ...(places.length === 0 ? {} : { locations: places }),
    ...(change === undefined ? {} : { change }),
  };
}
