// Generic mutators: each changes one place of what a correct agent or client sent. A place is the kind of a frame and a path in it,
// without indices. Each mutator is tried once at each place.
import { isDictionary } from '../../../src/core/model/dictionary.ts';

/** A side of a conversation. */
export type Side = 'agent' | 'client';

/** A frame of a conversation. */
export interface Row {
  readonly by: Side;
  readonly json: unknown;
}

/** A conversation with one change. */
export interface MutantTrace {
  /** The mutator, and the place. */
  readonly name: string;
  readonly rows: readonly Row[];
}

/** What the mutators need to know of a protocol. */
export interface Places {
  /** The kind of each frame. */
  kindsOf(rows: readonly Row[]): readonly string[];
  /** Paths below which nothing is changed: the values there are the tool's, or the model's. */
  readonly free: RegExp;
}

type Path = readonly (string | number)[];
const removed = Symbol('removed');

/** Changes of a value, by name; undefined where the mutator does not apply. */
const changes: ReadonlyMap<string, (value: unknown, path: Path) => unknown> = new Map([
  ['remove', (_: unknown, path: Path): unknown => (typeof path.at(-1) === 'string' ? removed : undefined)],
  ['retype', (value: unknown): unknown => (typeof value === 'number' ? String(value) : 7)],
  ['null', (value: unknown): unknown => (value === null ? undefined : null)],
  ['other', other],
  ['truncate', truncated],
]);

function other(value: unknown): unknown {
  if (typeof value === 'string') return `${value}~`;
  if (typeof value === 'number') return value + 1_000_003;
  return typeof value === 'boolean' ? !value : undefined;
}

function truncated(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 1 ? value.slice(0, -1) : undefined;
  return Array.isArray(value) && value.length > 0 ? value.slice(0, -1) : undefined;
}

const nameOf = (path: Path): string => path.map((step) => (typeof step === 'number' ? '[]' : step)).join('.');

/** Every path in a value, from the outside to the inside. */
function* pathsIn(value: unknown, free: RegExp, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (free.test(nameOf(path))) return;
  if (Array.isArray(value)) for (const [at, one] of value.entries()) yield* pathsIn(one, free, [...path, at]);
  else if (isDictionary(value))
    for (const [key, one] of Object.entries(value)) yield* pathsIn(one, free, [...path, key]);
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, step) => (Array.isArray(inner) || isDictionary(inner) ? Object(inner)[step] : null),
    value,
  );

/** A copy with another value at the path. */
function edited(value: unknown, [step, ...rest]: Path, instead: unknown): unknown {
  if (step === undefined) return instead;
  if (Array.isArray(value)) return value.map((one, at) => (at === step ? edited(one, rest, instead) : one));
  if (!isDictionary(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, key === step ? edited(one, rest, instead) : one]);
  return Object.fromEntries(entries.filter(([, one]) => one !== removed));
}

/** All mutants of what one side of a conversation sent whose names are not in `known`, to which they are added. */
export function* mutantsOf(
  rows: readonly Row[],
  side: Side,
  { kindsOf, free }: Places,
  known: Set<string>,
): Generator<MutantTrace> {
  const kinds = kindsOf(rows);
  for (const [at, { by, json }] of rows.entries()) {
    if (by !== side) continue;
    const kind = kinds[at] ?? '';
    const instead = (...others: readonly Row[]) => [...rows.slice(0, at), ...others, ...rows.slice(at + 1)];
    const sent = (frame: unknown): Row => ({ by, json: frame });
    const mutants: [name: string, make: () => readonly Row[]][] = [
      [`drop ${kind}`, () => instead()],
      [`duplicate ${kind}`, () => instead(sent(json), sent(json))],
    ];
    const next = rows[at + 1];
    if (next?.by === side && kinds[at + 1] !== kind)
      mutants.push([
        `swap ${kind} and ${kinds[at + 1]}`,
        () => [...rows.slice(0, at), next, sent(json), ...rows.slice(at + 2)],
      ]);
    for (const path of pathsIn(json, free))
      for (const [how, change] of changes) {
        const value = change(valueAt(json, path), path);
        if (value !== undefined)
          mutants.push([`${how} ${kind} ${nameOf(path)}`, () => instead(sent(edited(json, path, value)))]);
      }
    for (const [name, make] of mutants) {
      if (known.has(name)) continue;
      known.add(name);
      yield { name, rows: make() };
    }
  }
}
