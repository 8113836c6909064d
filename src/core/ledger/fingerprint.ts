// What of two commands has to be equal for one to be the other again (docs/protocols/common.md 2.3). Pure.
import { isDictionary } from '../model/dictionary.ts';

/** JSON that is the same text for the same value, in whatever order its keys came; fields that are undefined are none. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isDictionary(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
    .join(',')}}`;
}
