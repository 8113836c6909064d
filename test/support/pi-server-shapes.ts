// Which keys the objects on the wire of a pi-server have, by their place: for comparing a server with what another one said.
// Knows the protocol and no server.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi-server');

/** Whether there are recordings of real servers here. */
export const hasRecordings = existsSync(folder);

const Row = z.looseObject({ dir: z.string(), line: z.unknown() });

/** All that a real server has said in these recordings; those of newer servers left out. */
export function recordedFrames(): unknown[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && !name.includes('--'));
  return files.flatMap((name) => framesOf(name.replace('.jsonl', '')));
}

/** … in one of them. */
export function framesOf(name: string): unknown[] {
  const rows = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return rows.flatMap((text) => {
    const { dir, line } = Row.parse(JSON.parse(text));
    // Older servers log on the same stream.
    return dir === 'out' && typeof line === 'string' && line.startsWith('{') ? [JSON.parse(line)] : [];
  });
}

/** Keys by place: those that some object there has, and those that each has. */
export type Shapes = ReadonlyMap<string, { readonly all: ReadonlySet<string>; readonly always: ReadonlySet<string> }>;

/** What tells apart the objects that may stand at one place. */
const kinds = ['type', 'role', 'method', 'command'];

/** Places whose keys are anybody's own. */
const foreign = /(?:\.arguments|\.args|\.details|\.metrics|\.counters|\.gauges|\.histograms)$/u;

function kindOf(object: Record<string, unknown>): string {
  const kind = kinds.map((key) => object[key]).filter((value) => typeof value === 'string');
  if (object.success === false) kind.push('failed');
  return kind.length > 0 ? `(${kind.join(' ')})` : '';
}

/** The shapes of all objects in these frames. */
export function shapesOf(frames: readonly unknown[]): Shapes {
  const shapes = new Map<string, { all: Set<string>; always: Set<string> }>();
  function look(value: unknown, place: string): void {
    if (Array.isArray(value)) for (const member of value) look(member, `${place}[]`);
    const object = z.record(z.string(), z.unknown()).safeParse(value).data;
    if (object === undefined || Array.isArray(value)) return;
    const here = `${place}${kindOf(object)}`;
    const keys = Object.keys(object);
    const known = shapes.get(here) ?? { all: new Set<string>(), always: new Set(keys) };
    for (const key of keys) known.all.add(key);
    for (const key of [...known.always]) if (!keys.includes(key)) known.always.delete(key);
    shapes.set(here, known);
    for (const [key, member] of Object.entries(object)) {
      const next = `${here}.${key}`;
      if (!foreign.test(next)) look(member, next);
    }
  }
  for (const frame of frames) look(frame, '');
  return shapes;
}

/** How one server's shapes differ from another's, where both have said such an object: `place +key` and `place -key`. */
export function differences(ours: Shapes, theirs: Shapes): string[] {
  return [...ours].flatMap(([place, { all }]) => {
    const other = theirs.get(place);
    if (other === undefined) return [];
    const more = [...all].filter((key) => !other.all.has(key)).map((key) => `${place} +${key}`);
    const less = [...other.always].filter((key) => !all.has(key)).map((key) => `${place} -${key}`);
    return [...more, ...less];
  });
}
