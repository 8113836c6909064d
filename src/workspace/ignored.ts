// Evaluates the `.gitignore` files of a folder: nested files, the inner before the outer, and negations. Pure.
import ignore, { type Ignore } from 'ignore';

/** The rules in force in one directory. */
export interface Rules {
  /** The cost of trying all rules on one name: about 1 per rule. */
  readonly cost: number;
  /** Whether the entry `name` of this directory is ignored. */
  ignores(name: string, isDirectory: boolean): boolean;
  /** The rules of the subdirectory `name`. `text` is the content of its `.gitignore`, if any. */
  into(name: string, text: string | null): Rules;
}

/** Most `**` in one rule: each one makes matching a deep path about ten times slower (docs/threats.md T19). */
const mostGaps = 4;

interface Layer {
  readonly matcher: Ignore;
  readonly cost: number;
  /** Path from the directory of the `.gitignore` to this one; empty or ending in `/`. */
  readonly way: string;
}

/** The rules of a folder, from the content of its own `.gitignore`. Files above the folder are not read. */
export function rulesOf(text: string | null): Rules {
  return rulesFrom(withOwn([], text));
}

function rulesFrom(layers: readonly Layer[]): Rules {
  return {
    cost: layers.reduce((sum, { cost }) => sum + cost, 0),
    ignores: (name, isDirectory) => isLeftOut(layers, isDirectory ? `${name}/` : name),
    into(name, text) {
      const outer = layers.map((layer) => {
        const way = `${layer.way}${name}/`;
        // An inner rule re-included the directory, so this rule does not ignore the directory's content.
        const isOverruled = verdict(layer, `${name}/`) === 'ignored';
        return { ...layer, matcher: isOverruled ? withoutDirectory(layer.matcher, way) : layer.matcher, way };
      });
      return rulesFrom(withOwn(outer, text));
    },
  };
}

function withOwn(outer: readonly Layer[], text: string | null): readonly Layer[] {
  if (text === null) return outer;
  const lines = text.split(/\r?\n/u).filter((line) => /^[^#]/u.test(line) && gapsIn(line) <= mostGaps);
  const cost = lines.reduce((sum, line) => sum + 10 ** Math.max(0, gapsIn(line) - 1), 0);
  return [{ matcher: ignore({ ignoreCase: false }).add(lines), cost, way: '' }, ...outer];
}

function gapsIn(line: string): number {
  return line.match(/\/\*\*(?=\/)/gu)?.length ?? 0;
}

function withoutDirectory(matcher: Ignore, way: string): Ignore {
  const pattern = `!/${way.replace(/[\\*?[\] ]/gu, '\\$&')}`;
  return ignore({ ignoreCase: false }).add(matcher).add({ pattern });
}

/** The innermost matching rule decides. */
function isLeftOut(layers: readonly Layer[], name: string): boolean {
  if (name === '.git/' || name === '.git') return true;
  for (const layer of layers) {
    const rule = verdict(layer, name);
    if (rule !== null) return rule === 'ignored';
  }
  return false;
}

function verdict({ matcher, way }: Layer, name: string): 'ignored' | 'kept' | null {
  const { ignored, unignored } = matcher.test(`${way}${name}`);
  return ignored ? 'ignored' : unignored ? 'kept' : null;
}
