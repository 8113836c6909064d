// Goes through a directory, upper levels first, without what its `.gitignore` files leave out and without following links.
// One step is one directory, so that whoever walks may do something else in between.
import { type Dirent, opendirSync } from 'node:fs';
import path from 'node:path';
import { rulesOf, type Rules } from './ignored.ts';
import { limits } from './limits.ts';
import type { Folder } from './places.ts';
import { readText } from './read-text.ts';
import { realOrNull } from '../stores/paths.ts';

/** A file or directory. */
export interface Entry {
  readonly kind: 'file' | 'directory';
  /** From its folder, with `/`. */
  readonly inside: string;
}

/** What may still be looked at; walks that share one share its bounds. */
export interface Effort {
  /** Entries of directories, of whatever kind. */
  visits: number;
  /** Rules of `.gitignore` files. */
  tries: number;
}

/** To take in a rule is as much work as to try it so often. */
const costOfMaking = 10;

/** Bytes of one `.gitignore`. */
const longestRules = 64 * 1024;

interface Waiting {
  readonly inside: string;
  readonly rules: Rules;
  readonly depth: number;
}

/**
 * The entries of each directory in it, in the order of their names; the walk ends early, and returns false, when the effort
 * is spent or a directory lies too deep.
 */
export function* walk(folder: Folder, from: string, effort: Effort): Generator<readonly Entry[], boolean> {
  const outer = rulesAt(folder, from);
  effort.tries -= outer.cost * costOfMaking;
  const waiting: Waiting[] = [{ inside: from, rules: outer, depth: 0 }];
  let isWhole = true;
  for (const { inside, rules, depth } of waiting) {
    const { entries, isAll } = entriesOf(path.join(folder.real, inside), effort);
    isWhole &&= isAll;
    const kept: Entry[] = [];
    for (const { name, kind } of entries) {
      effort.tries -= rules.cost;
      if (effort.tries <= 0) {
        yield kept;
        return false;
      }
      if (rules.ignores(name, kind === 'directory')) continue;
      const below = joined(inside, name);
      kept.push({ kind, inside: below });
      if (kind !== 'directory') continue;
      if (depth + 1 >= limits.depth) isWhole = false;
      else {
        const inner = rules.into(name, rulesIn(folder, below));
        effort.tries -= (inner.cost - rules.cost) * costOfMaking;
        waiting.push({ inside: below, rules: inner, depth: depth + 1 });
      }
    }
    yield kept;
    if (effort.visits <= 0) return isWhole && inside === waiting.at(-1)?.inside;
  }
  return isWhole;
}

/** The rules that hold in a directory which somebody chose; none from above where those leave out the directory itself. */
function rulesAt(folder: Folder, inside: string): Rules {
  let rules = rulesOf(rulesIn(folder, ''));
  let below = '';
  for (const name of inside.split('/').filter(Boolean)) {
    below = joined(below, name);
    const text = rulesIn(folder, below);
    rules = rules.ignores(name, true) ? rulesOf(text) : rules.into(name, text);
  }
  return rules;
}

function rulesIn(folder: Folder, inside: string): string | null {
  const read = readText(path.join(folder.real, inside, '.gitignore'), longestRules);
  return 'fault' in read ? null : read.text;
}

/** The plain files and directories in a directory, as far as the effort goes; none where a link took its place. */
function entriesOf(real: string, effort: Effort): { entries: readonly Named[]; isAll: boolean } {
  const entries: Named[] = [];
  try {
    if (realOrNull(real) !== real) return { entries, isAll: true };
    const directory = opendirSync(real);
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        effort.visits -= 1;
        if (effort.visits < 0) return { entries: entries.sort(byName), isAll: false };
        const kind = kindOf(entry);
        if (kind !== null) entries.push({ name: entry.name, kind });
      }
    } finally {
      directory.closeSync();
    }
  } catch {
    // One that may not be read has nothing to show.
  }
  return { entries: entries.sort(byName), isAll: true };
}

interface Named {
  readonly name: string;
  readonly kind: Entry['kind'];
}

function kindOf(entry: Dirent): Entry['kind'] | null {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : null;
}

function byName(one: Named, other: Named): number {
  return one.name < other.name ? -1 : 1;
}

function joined(inside: string, name: string): string {
  return inside === '' ? name : `${inside}/${name}`;
}
