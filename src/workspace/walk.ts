// Walks a directory, upper levels first, skipping ignored entries and links. One step is one directory, so that the
// caller can yield to other work in between.
import { type Dirent, opendirSync } from 'node:fs';
import path from 'node:path';
import { realOrNull } from '../stores/paths.ts';
import { type Rules, rulesOf } from './ignored.ts';
import { limits } from './limits.ts';
import { readText } from './read-text.ts';
import type { Folder } from './resolve-path.ts';

/** A file or directory. */
export interface Entry {
  readonly kind: 'file' | 'directory';
  /** Path relative to its folder, with `/`. */
  readonly inside: string;
}

/** The remaining effort. Walks that share an effort share its bounds. */
export interface Effort {
  /** Directory entries of any kind that may still be visited. */
  visits: number;
  /** Evaluations of `.gitignore` rules that may still be done. */
  tries: number;
}

/** Parsing a rule costs as much as this many evaluations. */
const costOfMaking = 10;

/** Longest `.gitignore`, bytes. */
const longestRules = 64 * 1024;

interface Waiting {
  readonly inside: string;
  readonly rules: Rules;
  readonly depth: number;
}

/**
 * Yields the entries of each directory below `from`, sorted by name. Returns false if the walk ended early, because the
 * effort was spent or a directory was too deep.
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

/** The rules in a chosen directory. If the rules above ignore the directory itself, they do not apply inside. */
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

/** The plain files and directories of a directory, within the effort; none if a link replaced the directory. */
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
    // An unreadable directory has no entries.
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
