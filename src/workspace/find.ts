// What of a workspace a user may choose that typed so much: paths that hold what was typed, best first. Pure.
import type { Context } from '../core/model/command.ts';
import { limits } from './limits.ts';

/** A file or directory that may be chosen. */
export interface Candidate {
  readonly kind: 'file' | 'directory';
  /** From its folder, with `/`; of a folder itself its name. */
  readonly inside: string;
  /** Absolute, in the words of whoever named the folder. */
  readonly path: string;
}

const mapNames: readonly string[] = ['repomap', 'repo-map', 'repo map'];

/** `isChosen`: what need not be offered. */
export function choose(
  typed: string,
  candidates: readonly Candidate[],
  isChosen: (context: Context) => boolean,
): readonly Context[] {
  const words = typed.trim().toLowerCase().replace(/^\.\//u, '');
  const map: Context = { type: 'repo-map' };
  // Without a folder there is nothing to map.
  const isOffered = candidates.length > 0 && mapNames.some((name) => name.startsWith(words));
  const maps = isOffered ? [map] : [];
  const paths = candidates
    .flatMap((candidate) => {
      const rank = rankOf(candidate, words);
      return rank === null ? [] : [{ candidate, rank }];
    })
    .sort((one, other) => one.rank - other.rank || compare(one.candidate, other.candidate))
    .map(({ candidate: { kind, path } }): Context => ({ type: kind, path }));
  return [...maps, ...paths].filter((context) => !isChosen(context)).slice(0, limits.offered);
}

/** The lower the better: its name begins with it, its name holds it, its path does; null for none of them. */
function rankOf({ inside, path }: Candidate, words: string): number | null {
  if (words.startsWith('/')) return path.toLowerCase().startsWith(words) ? 0 : null;
  const whole = inside.toLowerCase();
  const name = whole.slice(whole.lastIndexOf('/') + 1);
  if (name.startsWith(words)) return 0;
  if (name.includes(words)) return 1;
  return whole.includes(words) ? 2 : null;
}

/** Upper levels first, and then by name. */
function compare(one: Candidate, other: Candidate): number {
  const depth = (candidate: Candidate) => candidate.path.split('/').length;
  return depth(one) - depth(other) || (one.path < other.path ? -1 : 1);
}
