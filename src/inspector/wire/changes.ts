// What is different between two frames of a kind: fields that came, went, or have another value.
import { visible } from '../state/format.ts';

/** A field by its path, and what it was and is; absent: the frame did not have the field. */
export interface Change {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** Changes that are listed. */
export const mostChanges = 100;
/** Longest value, characters. */
const most = 300;
/** Characters that two texts have in common before their common beginning is left out. */
const shared = 24;
/** Levels of a value that are compared; what is below is one value. */
const deepest = 40;

/** The changes from one JSON value to another, in the order of the fields; one more than is listed if there are more. */
export function changesBetween(before: unknown, after: unknown): readonly Change[] {
  const changes: Change[] = [];
  compare('', before, after, 0, changes);
  return changes;
}

function compare(path: string, before: unknown, after: unknown, depth: number, into: Change[]): void {
  if (before === after || into.length > mostChanges) return;
  const isOpened = isNested(before) && isNested(after) && Array.isArray(before) === Array.isArray(after);
  if (!isOpened || depth === deepest) {
    if (isOpened && JSON.stringify(before) === JSON.stringify(after)) return;
    const [was, is] = saidOf(before, after);
    into.push({ path, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = Array.isArray(after) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    compare(inner, ownOf(before, key), ownOf(after, key), depth + 1, into);
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Every object has a `constructor` that is not in its JSON. */
const ownOf = (of: object, key: string): unknown =>
  Object.hasOwn(of, key) ? (of as Record<string, unknown>)[key] : undefined;

/** Both values as text. A text that has grown is told by its end. */
function saidOf(before: unknown, after: unknown): readonly [string | undefined, string | undefined] {
  if (typeof before !== 'string' || typeof after !== 'string') return [textOf(before), textOf(after)];
  const common = commonStart(before, after);
  if (common < shared) return [textOf(before), textOf(after)];
  return [`…${textOf(before.slice(common))}`, `…${textOf(after.slice(common))}`];
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  // Never between the halves of a pair.
  const last = one.charCodeAt(length - 1);
  return last >= 0xd800 && last < 0xdc00 ? length - 1 : length;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  return visible(text.length > most ? `${text.slice(0, most)}…` : text);
}
