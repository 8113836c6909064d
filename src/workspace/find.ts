// Completes typed text to paths of a workspace, best match first. Pure.
import type { Context } from '../core/model/content.ts';
import { limits } from './limits.ts';

/** A file or directory to offer. */
export interface Candidate {
  readonly kind: 'file' | 'directory';
  /** Path relative to its folder, with `/`; for a folder itself its name. */
  readonly inside: string;
  /** Absolute path, below the folder's path as the client gave it. */
  readonly path: string;
}

const mapNames: readonly string[] = ['repomap', 'repo-map', 'repo map'];

/** The best matches. `isChosen` tells which contexts are already chosen and not offered. */
export function choose(
  typed: string,
  candidates: readonly Candidate[],
  isChosen: (context: Context) => boolean,
): readonly Context[] {
  const words = typed.trim().toLowerCase().replace(/^\.\//u, '');
  const map: Context = { type: 'repo-map' };
  // Without a candidate there is nothing to map.
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

/**
 * The rank; lower is better: the name starts with the words, the name contains them, the path contains them. Null for
 * no match.
 */
function rankOf({ inside, path }: Candidate, words: string): number | null {
  if (words.startsWith('/')) return path.toLowerCase().startsWith(words) ? 0 : null;
  const whole = inside.toLowerCase();
  const name = whole.slice(whole.lastIndexOf('/') + 1);
  if (name.startsWith(words)) return 0;
  if (name.includes(words)) return 1;
  return whole.includes(words) ? 2 : null;
}

/** Orders upper levels first, then by name. */
function compare(one: Candidate, other: Candidate): number {
  const depth = (candidate: Candidate) => candidate.path.split('/').length;
  return depth(one) - depth(other) || (one.path < other.path ? -1 : 1);
}
