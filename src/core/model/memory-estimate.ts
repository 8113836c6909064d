// Estimates the memory of a value cheaply: does not read texts and serialises nothing.
import { isDictionary } from './dictionary.ts';

/** Bytes of an object, an array item or a field, without its content. */
const ofOne = 16;

/** An upper estimate in bytes. Stops counting at `enough`. */
export function estimateBytes(value: unknown, enough: number): number {
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

/** Bytes for people: `64 MiB`. */
export function mebibytes(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}
