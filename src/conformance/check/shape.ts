// JSON shapes as data, and a function that says how a value departs from a shape.
import { isDictionary } from '../../core/model/dictionary.ts';

/**
 * `any` matches every value but undefined, `nothing` none, `true` only true. A list with one shape matches an array of that shape, `some` an array with
 * at least one item. `fields` matches an object with at least those fields; a name that ends in `?` is optional. `oneOf`
 * matches any of its shapes, `words` any of its strings, `text` a string with that pattern. `from` matches an integer of
 * that size or more. `each` matches an object with any names, whose values have that shape.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'null'
  | 'object'
  | 'any'
  | 'nothing'
  | 'true'
  | readonly [Shape]
  | { readonly some: Shape }
  | { readonly oneOf: readonly Shape[] }
  | { readonly words: readonly string[] }
  | PatternShape
  | { readonly from: number; readonly to?: number }
  | VariantShape
  | { readonly each: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** A string with a pattern. */
export interface PatternShape {
  readonly text: RegExp;
  /** What the pattern means, with an article: `a URI`. */
  readonly is: string;
  /** An example. */
  readonly like: string;
}

/** An object whose word in the field `by` says which shape the object has. An unknown word passes without `others`. */
export interface VariantShape {
  readonly by: string;
  readonly variants: Readonly<Record<string, Shape>>;
  /** The shape of objects with any other word. */
  readonly others?: Shape;
}

/** An object with at least these fields. */
export const fields = (of: Readonly<Record<string, Shape>>): Shape => ({ fields: of });
/** The shape, or null. */
export const orNull = (shape: Shape): Shape => ({ oneOf: [shape, 'null'] });
/** One of these strings. */
export const words = (...all: readonly string[]): Shape => ({ words: all });

/** Null when the value has the shape, else the first difference and its path. */
export function misfit(value: unknown, shape: Shape, at = 'data'): string | null {
  if (shape === 'nothing' || shape === 'true')
    return shape === 'true' && value === true ? null : `${at} must not be ${shown(value)}`;
  if (typeof shape === 'string')
    return isA(value, shape) ? null : `${at} must be a${shape === 'integer' ? 'n' : ''} ${shape}`;
  if (isList(shape)) return listMisfit(value, shape[0], at);
  if ('some' in shape)
    return Array.isArray(value) && value.length === 0 ? `${at} is empty` : listMisfit(value, shape.some, at);
  if ('oneOf' in shape) {
    const wrong = shape.oneOf.map((one) => misfit(value, one, at));
    return wrong.includes(null) ? null : wrong.join(' or ');
  }
  if ('words' in shape) {
    const isOne = typeof value === 'string' && shape.words.includes(value);
    return isOne ? null : `${at} must be one of ${shape.words.join(', ')} and is ${shown(value)}`;
  }
  if ('text' in shape) {
    const isRight = typeof value === 'string' && shape.text.test(value);
    return isRight ? null : `${at} must be ${shape.is} and is ${shown(value)}`;
  }
  if ('from' in shape) {
    const { from, to } = shape;
    const isRight =
      Number.isInteger(value) && Number(value) >= from && Number(value) <= (to ?? Number.POSITIVE_INFINITY);
    const size = to === undefined ? `of ${from} or more` : `from ${from} to ${to}`;
    return isRight ? null : `${at} must be an integer ${size} and is ${shown(value)}`;
  }
  if (!isDictionary(value)) return `${at} must be an object`;
  if ('each' in shape)
    return firstOf(Object.entries(value).map(([name, one]) => misfit(one, shape.each, `${at}.${name}`)));
  if ('by' in shape) {
    const word = value[shape.by];
    if (typeof word !== 'string') return misfit(value, fields({ [shape.by]: 'string' }), at);
    const variant = Object.hasOwn(shape.variants, word) ? shape.variants[word] : shape.others;
    return variant === undefined ? null : misfit(value, variant, at);
  }
  return firstOf(
    Object.entries(shape.fields).map(([key, one]) => {
      const name = key.replace(/\?$/u, '');
      if (value[name] === undefined) return key.endsWith('?') ? null : `${at}.${name} is missing`;
      return misfit(value[name], one, `${at}.${name}`);
    }),
  );
}

/** Whether the shape is that of an array of any length. */
export function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function listMisfit(value: unknown, each: Shape, at: string): string | null {
  if (!Array.isArray(value)) return `${at} must be an array`;
  return firstOf(value.map((item: unknown, index) => misfit(item, each, `${at}[${index}]`)));
}

/** A value as a finding quotes it: as JSON, cut where it is long. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);

function isA(value: unknown, kind: Exclude<Extract<Shape, string>, 'nothing' | 'true'>): boolean {
  if (kind === 'any') return value !== undefined;
  if (kind === 'null') return value === null;
  if (kind === 'integer') return Number.isInteger(value);
  return kind === 'object' ? isDictionary(value) : typeof value === kind;
}

function firstOf(wrong: readonly (string | null)[]): string | null {
  return wrong.find((one) => one !== null) ?? null;
}
