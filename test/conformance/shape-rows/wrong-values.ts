// Wrong values of a shape: for each field, word and item, one that is missing or of another kind.
import { isList, misfit, type Shape, type VariantShape } from '../../../src/conformance/check/shape.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';

/** A value with one fault. */
export interface WrongValue {
  /** The path of the fault, and the fault. */
  readonly what: string;
  readonly value: unknown;
}

const candidates: readonly unknown[] = ['~', 7, 1.5, {}, [], true, null, '', [7], -7e9, false];

/** A value that fits the shape. */
export function sampleOf(shape: Shape): unknown {
  switch (shape) {
    case 'string':
    case 'any':
    case 'nothing':
      return 'some text';
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
    case 'true':
      return true;
    case 'null':
      return null;
    case 'object':
      return {};
    default:
  }
  if (isList(shape)) return [sampleOf(shape[0])];
  if ('some' in shape) return [sampleOf(shape.some)];
  if ('oneOf' in shape) return sampleOf(shape.oneOf[0] ?? 'any');
  if ('words' in shape) return shape.words[0];
  if ('text' in shape) return shape.like;
  if ('from' in shape) return shape.from;
  if ('each' in shape) return { some: sampleOf(shape.each) };
  if ('by' in shape) {
    const [word = '~', variant = 'object'] = Object.entries(shape.variants)[0] ?? [];
    return { ...dictionaryOf(sampleOf(variant)), [shape.by]: word };
  }
  const own = Object.entries(shape.fields).filter(([key]) => !key.endsWith('?'));
  return Object.fromEntries(own.map(([key, one]) => [key, sampleOf(one)]));
}

/** Wrong values that differ in one place from `good`, or from `good` with what is optional. */
export function* wrongValues(shape: Shape, good: unknown, at = ''): Generator<WrongValue> {
  if (shape === 'any') return;
  const other = candidates.find((one) => typeof one !== typeof good && misfit(one, shape) !== null);
  const similar = candidates.find((one) => typeof one === typeof good && misfit(one, shape) !== null);
  // The message around the place says what kind of place it is; another kind of value would be another kind of place.
  for (const value of [other, typeof good === 'object' ? undefined : similar])
    if (value !== undefined && at !== '') yield { what: `${at} is ${JSON.stringify(value)}`, value };
  if (typeof shape === 'string' || 'words' in shape || 'text' in shape || 'from' in shape) return;
  if (isList(shape)) yield* wrongItems(shape[0], good, at);
  else if ('some' in shape) {
    yield { what: `${at} is empty`, value: [] };
    yield* wrongItems(shape.some, good, at);
  } else if ('oneOf' in shape) {
    for (const one of shape.oneOf)
      for (const wrong of wrongValues(one, misfit(good, one) === null ? good : sampleOf(one), at))
        if (misfit(wrong.value, shape) !== null) yield wrong;
  } else if ('each' in shape) {
    const [name = 'some', value = sampleOf(shape.each)] = Object.entries(dictionaryOf(good))[0] ?? [];
    for (const wrong of wrongValues(shape.each, value, `${at}.*`))
      yield { what: wrong.what, value: { ...dictionaryOf(good), [name]: wrong.value } };
  } else if ('by' in shape) yield* wrongVariants(shape, good, at);
  else yield* wrongFields(shape.fields, good, at);
}

function* wrongItems(each: Shape, good: unknown, at: string): Generator<WrongValue> {
  const [first = sampleOf(each), ...rest]: unknown[] = Array.isArray(good) ? good : [];
  for (const { what, value } of wrongValues(each, first, `${at}[]`)) yield { what, value: [value, ...rest] };
}

function* wrongFields(of: Readonly<Record<string, Shape>>, good: unknown, at: string): Generator<WrongValue> {
  const own = dictionaryOf(good);
  for (const [key, shape] of Object.entries(of)) {
    const name = key.replace(/\?$/u, '');
    const { [name]: value = sampleOf(shape), ...others } = own;
    if (name === key) yield { what: `${at}.${name} is missing`, value: others };
    for (const wrong of wrongValues(shape, value, `${at}.${name}`))
      yield { what: wrong.what, value: { ...own, [name]: wrong.value } };
  }
}

function* wrongVariants({ by, variants, others }: VariantShape, good: unknown, at: string): Generator<WrongValue> {
  const own = dictionaryOf(good);
  yield* wrongFields({ [by]: 'string' }, own, at);
  for (const [word, variant] of [...Object.entries(variants), ['~', others ?? 'any'] as const]) {
    const isOwn =
      own[by] === word || (word === '~' && typeof own[by] === 'string' && !Object.hasOwn(variants, own[by]));
    const base = isOwn ? own : { ...own, ...dictionaryOf(sampleOf(variant)), [by]: word };
    for (const { what, value } of wrongValues(variant, base, at)) yield { what: `${what} of ${word}`, value };
  }
}
