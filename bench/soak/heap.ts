// What a snapshot of the heap holds, without the code: functions become hot, and their machine code and feedback grow
// for an hour, whatever they do.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Snapshot = z.looseObject({
  snapshot: z.looseObject({
    meta: z.looseObject({
      node_fields: z.array(z.string()),
      node_types: z.tuple([z.array(z.string())], z.unknown()),
    }),
  }),
  nodes: z.custom<readonly number[]>(Array.isArray),
  strings: z.custom<readonly string[]>(Array.isArray),
});

/** Number and bytes, by constructor. */
export type Data = ReadonlyMap<string, { readonly count: number; readonly bytes: number }>;

const ofV8: ReadonlySet<string> = new Set(['code', 'hidden', 'object shape', 'synthetic']);
const isString = (type: string) => type.includes('string');

/** Null for what belongs to V8 or Node. */
function nameOf(type: string, name: string): string | null {
  if (ofV8.has(type)) return null;
  if (isString(type)) return 'strings';
  if (type === 'native') return name.includes('JSArrayBufferData') ? 'bytes of buffers' : null;
  return type === 'object' ? name : `(${type})`;
}

/** Reads a snapshot. */
export function dataIn(file: string): Data {
  const { snapshot, nodes, strings } = Snapshot.parse(JSON.parse(readFileSync(file, 'utf8')));
  const { node_fields: fields, node_types } = snapshot.meta;
  const [types] = node_types;
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field)) as [
    number,
    number,
    number,
  ];
  const data = new Map<string, { count: number; bytes: number }>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const key = nameOf(types[nodes[at + type] ?? 0] ?? '', strings[nodes[at + name] ?? 0] ?? '');
    if (key === null) continue;
    const sum = data.get(key) ?? { count: 0, bytes: 0 };
    sum.count += 1;
    sum.bytes += nodes[at + size] ?? 0;
    data.set(key, sum);
  }
  return data;
}

/** Bytes of all of it. */
export const bytesOf = (data: Data): number => [...data.values()].reduce((sum: number, { bytes }) => sum + bytes, 0);

/** The constructors that grew most between two looks, as lines. */
export function growth(before: Data, after: Data): readonly string[] {
  const none = { count: 0, bytes: 0 };
  const grown = [...after].map(([name, now]) => {
    const then = before.get(name) ?? none;
    return { name, count: now.count - then.count, bytes: now.bytes - then.bytes };
  });
  return grown
    .filter(({ bytes }) => bytes > 1000)
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, 8)
    .map(({ name, count, bytes }) => `${name}: ${count} more, ${bytes} bytes`);
}
