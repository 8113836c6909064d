// The canonical form of a payload: two commands with equal forms are the same command (docs/protocols/common.md 2.3).
import { isDictionary } from '../model/dictionary.ts';

/** JSON with sorted keys: the same text for the same value. Fields that are undefined are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isDictionary(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
    .join(',')}}`;
}
