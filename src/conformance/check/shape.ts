// JSON shapes as data, and a function that says how a value departs from a shape.
import { isDictionary } from '../../core/model/dictionary.ts';

/**
 * `any` matches every value but undefined. A list with one shape matches an array of that shape. `fields` matches an
 * object with at least those fields; a name that ends in `?` is optional. `oneOf` matches any of its shapes, `words` any
 * of its strings.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'null'
  | 'object'
  | 'any'
  | readonly [Shape]
  | { readonly oneOf: readonly Shape[] }
  | { readonly words: readonly string[] }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** An object with at least these fields. */
export const fields = (of: Readonly<Record<string, Shape>>): Shape => ({ fields: of });
/** The shape, or null. */
export const orNull = (shape: Shape): Shape => ({ oneOf: [shape, 'null'] });

/** Null when the value has the shape, else the first difference and its path. */
export function misfit(value: unknown, shape: Shape, at = 'data'): string | null {
  if (typeof shape === 'string')
    return isA(value, shape) ? null : `${at} must be a${shape === 'integer' ? 'n' : ''} ${shape}`;
  if (isList(shape)) {
    if (!Array.isArray(value)) return `${at} must be an array`;
    const [each] = shape;
    return firstOf(value.map((item: unknown, index) => misfit(item, each, `${at}[${index}]`)));
  }
  if ('oneOf' in shape) {
    const wrong = shape.oneOf.map((one) => misfit(value, one, at));
    return wrong.includes(null) ? null : wrong.join(' or ');
  }
  if ('words' in shape) {
    const isOne = typeof value === 'string' && shape.words.includes(value);
    return isOne ? null : `${at} must be one of ${shape.words.join(', ')}`;
  }
  if (!isDictionary(value)) return `${at} must be an object`;
  return firstOf(
    Object.entries(shape.fields).map(([key, one]) => {
      const name = key.replace(/\?$/u, '');
      if (value[name] === undefined) return key.endsWith('?') ? null : `${at}.${name} is missing`;
      return misfit(value[name], one, `${at}.${name}`);
    }),
  );
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function isA(value: unknown, kind: Extract<Shape, string>): boolean {
  if (kind === 'any') return value !== undefined;
  if (kind === 'null') return value === null;
  if (kind === 'integer') return Number.isInteger(value);
  return kind === 'object' ? isDictionary(value) : typeof value === kind;
}

function firstOf(wrong: readonly (string | null)[]): string | null {
  return wrong.find((one) => one !== null) ?? null;
}
