// Contexts of a prompt, between the wire and the model, in both directions (docs/protocols/eca.md 8.2).
import { z } from 'zod';
import type { Content, Context, Dictionary } from '../../core/model/content.ts';
import { isDictionary } from '../../core/model/dictionary.ts';
import { problems } from './connection.ts';
import { camelKeys } from './wire/client.ts';

const text = z.string().nullish();

const File = z.looseObject({
  path: z.string(),
  linesRange: z.looseObject({ start: z.int(), end: z.int() }).nullish(),
});
const Directory = z.looseObject({ path: z.string() });
const Web = z.looseObject({ url: z.string() });
const Resource = z.looseObject({ server: z.string(), uri: z.string(), name: text, description: text, mimeType: text });
const Line = z.looseObject({ line: z.int() });
const Cursor = z.looseObject({ path: z.string(), position: z.looseObject({ start: Line, end: Line }) });
const Image = z.looseObject({ mediaType: z.string(), base64: z.string() });
const Text = z.looseObject({ content: z.string(), label: text });

type Reader = (value: object) => Context | { readonly fault: string };

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  [
    'file',
    reading(File, ({ path, linesRange }) => {
      if (linesRange === undefined || linesRange === null) return { type: 'file', path };
      return { type: 'file', path, lines: { start: linesRange.start, end: linesRange.end } };
    }),
  ],
  // Since 0.51: the user's position. Some editors send it with every prompt, so it maps to a context that all agents
  // understand. Lines count from 1, as everywhere on this wire. The protocol's document does not say so, and 0 may
  // come.
  [
    'cursor',
    reading(Cursor, ({ path, position: { start, end } }) => {
      const first = Math.max(1, start.line);
      return { type: 'file', path, lines: { start: first, end: Math.max(first, end.line) }, automatic: true };
    }),
  ],
  ['directory', reading(Directory, ({ path }) => ({ type: 'directory', path }))],
  ['web', reading(Web, ({ url }) => ({ type: 'web', url }))],
  ['repoMap', () => ({ type: 'repo-map' })],
  [
    'mcpResource',
    reading(Resource, ({ server, uri, name, description, mimeType }) => ({
      type: 'resource',
      server,
      uri,
      name: name ?? undefined,
      description: description ?? undefined,
      mediaType: mimeType ?? undefined,
    })),
  ],
]);

function reading<Value>(schema: z.ZodType<Value>, make: (value: Value) => Context): Reader {
  return (value) => {
    const read = schema.safeParse(value);
    return read.success ? make(read.data) : { fault: problems(read.error) };
  };
}

/** Reads a context of a client. A context of a newer version or a malformed one becomes `opaque`. */
export function contextOf(wire: unknown): Context {
  const type = isDictionary(wire) ? wire.type : undefined;
  const read = isDictionary(wire) ? readers.get(type)?.(camelKeys(wire)) : undefined;
  if (read === undefined) return { type: 'opaque', protocol: 'eca', payload: wire };
  if (!('fault' in read)) return read;
  return { type: 'opaque', protocol: 'eca', payload: wire, fault: `the ${String(type)} is malformed (${read.fault})` };
}

/** Writes a context for the wire; null if this protocol has no such context. */
export function wireContextOf(context: Context): object | null {
  switch (context.type) {
    case 'file': {
      const { path, lines } = context;
      return { type: 'file', path, linesRange: lines };
    }
    case 'directory':
      return { type: 'directory', path: context.path };
    case 'web':
      return { type: 'web', url: context.url };
    case 'repo-map':
      return { type: 'repoMap' };
    case 'resource': {
      const { server, uri, name = uri, description = '', mediaType = '' } = context;
      return { type: 'mcpResource', uri, name, description, mimeType: mediaType, server };
    }
    case 'opaque':
      return context.protocol === 'eca' && isDictionary(context.payload) ? context.payload : null;
    default:
      return context satisfies never;
  }
}

/**
 * Images (since 0.131) and texts of unsaved files (since 0.149) arrive as contexts, but they are content of the user.
 */
function contentOf(wire: Dictionary): Content | null {
  const value = camelKeys(wire);
  if (wire.type === 'image') {
    const read = Image.safeParse(value);
    return read.success ? { type: 'image', data: read.data.base64, mediaType: read.data.mediaType } : null;
  }
  if (wire.type !== 'text') return null;
  const read = Text.safeParse(value);
  return read.success ? { type: 'document', name: read.data.label ?? undefined, text: read.data.content } : null;
}

/** Reads what comes with the text of a prompt. */
export function attachmentsOf(wire: readonly unknown[]): { readonly content: Content[]; readonly contexts: Context[] } {
  const content: Content[] = [];
  const contexts: Context[] = [];
  for (const one of wire) {
    const contentItem = isDictionary(one) ? contentOf(one) : null;
    if (contentItem !== null) content.push(contentItem);
    else if (!isEmptyCursor(one)) contexts.push(contextOf(one));
  }
  return { content, contexts };
}

/** The cursor context of a user without an open file. */
function isEmptyCursor(wire: unknown): boolean {
  return isDictionary(wire) && wire.type === 'cursor' && (wire.path ?? null) === null;
}
