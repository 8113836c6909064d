// How much memory a value takes, roughly and cheaply: no text is read and nothing is serialised. Pure.
import { isDictionary } from '../model/dictionary.ts';

/** Of an object, an item or a field, without what is in it. */
const ofOne = 16;

/** Bytes, too many rather than too few; counting ends where it is at least `enough`. */
export function weightOf(value: unknown, enough: number): number {
  let weight = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && weight < enough) {
    const one = open.pop();
    weight += ofOne;
    if (typeof one === 'string') weight += 2 * one.length;
    else if (Array.isArray(one)) for (const item of one) open.push(item);
    else if (isDictionary(one)) {
      for (const [name, field] of Object.entries(one)) {
        weight += 2 * name.length;
        open.push(field);
      }
    }
  }
  return weight;
}
