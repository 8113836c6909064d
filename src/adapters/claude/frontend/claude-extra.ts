// The extra fields of an agent of this protocol. They ride in `extra.claude` of an event and return to clients of this
// protocol (rule 3 in ARCHITECTURE.md; README, "What rides in `extra`").
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';

const nothing: Dictionary = Object.freeze({});

/** All extra fields; empty if there are none. */
export function claudeExtraIn({ extra }: { readonly extra?: Extra | undefined }): Dictionary {
  const fields = extra?.claude;
  return isDictionary(fields) ? fields : nothing;
}

/** The extra fields of one part of the wire. */
export function extraPart(extra: Dictionary, part: string): Dictionary {
  const fields = extra[part];
  return isDictionary(fields) ? fields : nothing;
}

/** Adds the extra fields behind our own. If both have a field, ours counts. */
export function withExtra<Fields extends object>(ours: Fields, ...rest: readonly Dictionary[]): Fields {
  if (rest.every((fields) => fields === nothing)) return ours;
  const all = Object.fromEntries(rest.flatMap((fields) => Object.entries(fields)));
  return { ...ours, ...all, ...ours };
}
