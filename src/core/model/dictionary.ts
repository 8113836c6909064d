// Helpers for JSON objects whose keys come from a peer. Such objects are read, never merged into other objects.
import type { Dictionary, Extra } from './content.ts';

/** Whether `value` is a JSON object: not null, not an array. */
export function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a JSON object unchanged, and an empty object for any other value. */
export function dictionaryOf(value: unknown): Dictionary {
  return isDictionary(value) ? value : {};
}

/** Parses a JSON text. Returns null unless the text is one whole JSON object. */
export function dictionaryIn(json: string): Dictionary | null {
  try {
    const value: unknown = JSON.parse(json);
    // The zod schema would drop a key like `__proto__`. The data must stay unchanged.
    return isDictionary(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns a copy without the named fields. */
export function without(fields: object, ...names: readonly string[]): Dictionary {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/**
 * Wraps protocol-specific fields as `extra`, to be spread into an event or a noun. Returns `{}` if there are no fields.
 */
export function extraFor(protocol: string, fields: Dictionary): { extra?: Extra } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return present.length === 0 ? {} : { extra: { [protocol]: Object.fromEntries(present) } };
}
