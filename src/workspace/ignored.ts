// Which paths of a folder its `.gitignore` files leave out: nested ones, the inner before the outer, negations. Knows no
// client and reads what it is given.
import ignore, { type Ignore } from 'ignore';

/** The rules that hold in one directory. */
export interface Rules {
  /** How much work it is to try them all on one name: about one for each of them. */
  readonly cost: number;
  /** `name`: of an entry of that directory. */
  ignores(name: string, isDirectory: boolean): boolean;
  /** The rules of a directory in it. `text`: of the `.gitignore` there, if it has one. */
  into(name: string, text: string | null): Rules;
}

/** Gaps of any number of directories in one rule: with each of them a deep path is tried ten times as long (docs/threats.md T19). */
const mostGaps = 4;

interface Layer {
  readonly matcher: Ignore;
  readonly cost: number;
  /** From the directory of the `.gitignore` to this one; empty or ending in `/`. */
  readonly way: string;
}

/** The rules of a folder, from the text of its own `.gitignore`. Nothing above it is read. */
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
        // An inner rule took back what this one says of the directory: what is in it is not left out for that.
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

/** The innermost that says anything counts. */
function isLeftOut(layers: readonly Layer[], name: string): boolean {
  if (name === '.git/' || name === '.git') return true;
  for (const layer of layers) {
    const said = verdict(layer, name);
    if (said !== null) return said === 'ignored';
  }
  return false;
}

function verdict({ matcher, way }: Layer, name: string): 'ignored' | 'kept' | null {
  const { ignored, unignored } = matcher.test(`${way}${name}`);
  return ignored ? 'ignored' : unignored ? 'kept' : null;
}
