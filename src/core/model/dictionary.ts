// JSON objects whose keys come from a wire: looked at, never merged. Pure.
import type { Dictionary, Extra } from './content.ts';

/** Whether this is a JSON object. */
export function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object as it is; anything else is empty. */
export function dictionaryOf(value: unknown): Dictionary {
  return isDictionary(value) ? value : {};
}

/** The object that a JSON text holds, whatever its keys; null for anything else, a text that is cut included. */
export function dictionaryIn(json: string): Dictionary | null {
  try {
    const value: unknown = JSON.parse(json);
    // Not by the schema, which drops a key like `__proto__`: this is data, and stays as it is.
    return isDictionary(value) ? value : null;
  } catch {
    return null;
  }
}

/** The fields that are not named. */
export function without(fields: object, ...names: readonly string[]): Dictionary {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** What only that protocol understands, to be spread into an event or a noun (design rule 3); nothing when it is nothing. */
export function extraFor(protocol: string, fields: Dictionary): { extra?: Extra } {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined);
  return told.length === 0 ? {} : { extra: { [protocol]: Object.fromEntries(told) } };
}
