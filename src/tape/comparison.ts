// What changed on the wire between two tapes: kinds of frames, their fields and types, and their order. Contents are not
// compared: no two runs say the same. Pure.
import { isDictionary } from '../core/model/dictionary.ts';
import { isVariable, type KnownFrame, knownFrame } from './frame-kind.ts';
import type { TapeFrame } from './reader.ts';

/** One difference. `a` is the first tape. */
export interface Difference {
  /**
   * `gone-kind`, `new-kind`: frames that only one tape has. `gone-field`, `new-field`: a place in frames of one kind.
   * `type`: other types of values at that place. `order`: frames of this kind came elsewhere among the others. `count`:
   * frames of the kind came so much more or less often.
   */
  readonly change: 'gone-kind' | 'new-kind' | 'gone-field' | 'new-field' | 'type' | 'order' | 'count';
  readonly dir: 'in' | 'out';
  readonly kind: string;
  /** E.g. `data.models[].id`; empty for frames. */
  readonly path: string;
  /** What each tape has there; empty: nothing. */
  readonly a: string;
  readonly b: string;
  /** The first lines that show the difference; null: the tape has none. */
  readonly lines: { readonly a: number | null; readonly b: number | null };
}

/** A kind of frame in one tape. */
interface Kind {
  readonly dir: 'in' | 'out';
  readonly kind: string;
  count: number;
  readonly line: number;
  /** The sorts of values at each place, each with the first line. */
  readonly fields: Map<string, Map<string, number>>;
}

/** A frame among the others; repeated kinds in a row count as one. */
interface Step {
  readonly key: string;
  readonly line: number;
}

/** A longer sequence is compared up to here: the table grows with the product of both. */
const mostSteps = 4000;

/** Compares two tapes. An empty list: nothing has changed. */
export function compareTapes(one: readonly TapeFrame[], other: readonly TapeFrame[]): readonly Difference[] {
  const a = kindsOf(one);
  const b = kindsOf(other);
  const found: Difference[] = [];
  for (const key of new Set([...a.kinds.keys(), ...b.kinds.keys()])) {
    const [left, right] = [a.kinds.get(key), b.kinds.get(key)];
    if (left !== undefined && right !== undefined) found.push(...fieldsThatChanged(left, right));
    else found.push(...onlyOne(left, right));
  }
  found.push(...orderOf(a, b));
  return found;
}

function onlyOne(left: Kind | undefined, right: Kind | undefined): Difference[] {
  const some = left ?? right;
  if (some === undefined) return [];
  const { dir, kind } = some;
  const lines = { a: left?.line ?? null, b: right?.line ?? null };
  const change = left === undefined ? 'new-kind' : 'gone-kind';
  return [{ change, dir, kind, path: '', a: times(left?.count), b: times(right?.count), lines }];
}

function fieldsThatChanged(left: Kind, right: Kind): Difference[] {
  const { dir, kind } = left;
  const found: Difference[] = [];
  for (const path of new Set([...left.fields.keys(), ...right.fields.keys()])) {
    // Below a new or gone place everything is new or gone.
    if (path !== '' && isBelow(path, left, right)) continue;
    const [a, b] = [left.fields.get(path), right.fields.get(path)];
    const lines = { a: first(a), b: first(b) };
    const sorts = { a: sortsIn(a), b: sortsIn(b) };
    if (sorts.a === sorts.b) continue;
    const change = a === undefined ? 'new-field' : b === undefined ? 'gone-field' : 'type';
    found.push({ change, dir, kind, path, ...sorts, lines });
  }
  return found;
}

function isBelow(path: string, left: Kind, right: Kind): boolean {
  const above = path.replace(/(?:\[\]|\.?[^.[\]]+)$/u, '');
  return above !== path && above !== '' && left.fields.has(above) !== right.fields.has(above);
}

function first(sorts: ReadonlyMap<string, number> | undefined): number | null {
  return sorts?.values().next().value ?? null;
}

function sortsIn(sorts: ReadonlyMap<string, number> | undefined): string {
  return sorts === undefined ? '' : [...sorts.keys()].sort().join(' or ');
}

function times(count: number | undefined): string {
  return count === undefined ? '' : `${count} ×`;
}

interface Kinds {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly steps: readonly Step[];
}

function kindsOf(frames: readonly TapeFrame[]): Kinds {
  const kinds = new Map<string, Kind>();
  const steps: Step[] = [];
  for (const { dir, text, number } of frames) {
    if (dir === 'err') continue;
    const known = knownFrame(text);
    const name = nameOf(known);
    const key = `${dir} ${name}`;
    const kind = kinds.get(key) ?? { dir, kind: name, count: 0, line: number, fields: new Map() };
    kind.count += 1;
    kinds.set(key, kind);
    addFields(known.json, '', number, kind.fields);
    if (steps.at(-1)?.key !== key) steps.push({ key, line: number });
  }
  return { kinds, steps };
}

/** The kind without ids: an answer is named by what it answers only where the frame says so. */
function nameOf({ kind, json }: KnownFrame): string {
  if (json === null || typeof json.type !== 'string') return kind.startsWith('answer ') ? 'answer' : kind;
  return json.type.endsWith('_response') ? json.type : kind;
}

function addFields(value: unknown, path: string, line: number, fields: Kind['fields']): void {
  if (path !== '') {
    const sorts = fields.get(path) ?? new Map<string, number>();
    const sort = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    if (!sorts.has(sort)) sorts.set(sort, line);
    fields.set(path, sorts);
  }
  if (Array.isArray(value)) for (const item of value) addFields(item, `${path}[]`, line, fields);
  else if (isDictionary(value)) {
    for (const [key, inner] of Object.entries(value)) {
      // Names that the agent or the model chose are contents.
      const name = isVariable(key) && !isDictionary(inner) ? key : /^[\w$-]{1,64}$/u.test(key) ? key : '*';
      addFields(inner, path === '' ? name : `${path}.${name}`, line, fields);
    }
  }
}

/** Kinds that both tapes have and that are not in the longest common sequence of steps. */
function orderOf(a: Kinds, b: Kinds): Difference[] {
  const left = a.steps.filter(({ key }) => b.kinds.has(key)).slice(0, mostSteps);
  const right = b.steps.filter(({ key }) => a.kinds.has(key)).slice(0, mostSteps);
  const moved = new Map<string, { a: number | null; b: number | null }>();
  const move = (key: string, side: 'a' | 'b', line: number) => {
    const lines = moved.get(key) ?? { a: null, b: null };
    lines[side] ??= line;
    moved.set(key, lines);
  };
  walkUncommon(left, right, move);
  return [...moved].flatMap(([key, lines]) => {
    const [one, other] = [a.kinds.get(key), b.kinds.get(key)];
    if (one === undefined || other === undefined) return [];
    const isMoved = lines.a !== null && lines.b !== null;
    if (!isMoved && one.count === other.count) return [];
    const { dir, kind } = one;
    const change = isMoved ? 'order' : 'count';
    const says = isMoved
      ? { a: placeOf(lines.a), b: placeOf(lines.b) }
      : { a: times(one.count), b: times(other.count) };
    return [{ change, dir, kind, path: '', ...says, lines }] satisfies Difference[];
  });
}

function placeOf(line: number | null): string {
  return line === null ? '' : `line ${line}`;
}

/** Walks the steps that are not in the longest common subsequence. */
function walkUncommon(
  left: readonly Step[],
  right: readonly Step[],
  found: (key: string, side: 'a' | 'b', line: number) => void,
): void {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const isSame = left[i]?.key === right[j]?.key;
      lengths[i * width + j] = isSame ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let i = 0;
  let j = 0;
  for (;;) {
    const [one, other] = [left[i], right[j]];
    if (one === undefined && other === undefined) return;
    if (one !== undefined && other !== undefined && one.key === other.key) {
      i += 1;
      j += 1;
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      found(one.key, 'a', one.line);
      i += 1;
    } else if (other !== undefined) {
      found(other.key, 'b', other.line);
      j += 1;
    }
  }
}
