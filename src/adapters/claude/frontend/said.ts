// What an agent of this protocol says beside what others understand rides in `extra.claude` of the event and returns to
// clients of this protocol (design rule 3; README, "What rides in `extra`"). Pure; knows no event by name.
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';

const nothing: Dictionary = Object.freeze({});

/** All of it; empty where there is none. */
export function saidIn({ extra }: { readonly extra?: Extra | undefined }): Dictionary {
  const said = extra?.claude;
  return isDictionary(said) ? said : nothing;
}

/** What belongs to that part of the wire. */
export function partOf(said: Dictionary, part: string): Dictionary {
  const fields = said[part];
  return isDictionary(fields) ? fields : nothing;
}

/** The fields of ours with what else was said behind them: where both have a word, ours counts. */
export function withRest<Fields extends object>(ours: Fields, ...rest: readonly Dictionary[]): Fields {
  if (rest.every((fields) => fields === nothing)) return ours;
  const all = Object.fromEntries(rest.flatMap((fields) => Object.entries(fields)));
  return { ...ours, ...all, ...ours };
}
