// Lists a directory as an indented tree of bounded size. Upper levels come first, so that a large tree loses its
// leaves.

import { asLine } from './context-markup.ts';
import { limits } from './limits.ts';
import type { Folder } from './resolve-path.ts';
import { type Effort, type Entry, walk } from './walk.ts';

/** The listing of a directory. */
export interface Listing {
  /** One path per line; directories end in `/`. */
  readonly tree: string;
  /** The files, in the order of the walk. */
  readonly files: readonly Entry[];
  /** All entries are listed, except ignored ones. */
  readonly isWhole: boolean;
}

/** Lists the directory `from` of the folder. `indent` is the number of levels to indent. */
export function listingOf(folder: Folder, from: string, effort: Effort, indent = 0): Listing {
  const children = new Map<string, readonly Entry[]>();
  const files: Entry[] = [];
  let { paths, bytes } = limits.listing;
  let isWhole = true;
  const steps = walk(folder, from, effort);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      isWhole &&= step.value;
      break;
    }
    const fitting = step.value.filter((entry) => {
      paths -= 1;
      bytes -= Buffer.byteLength(lineOf(entry, depthOf(entry.inside, from) + indent)) + 1;
      return paths >= 0 && bytes >= 0;
    });
    const [first] = fitting;
    if (first !== undefined) children.set(parentOf(first.inside), fitting);
    files.push(...fitting.filter(({ kind }) => kind === 'file'));
    if (fitting.length < step.value.length) {
      isWhole = false;
      break;
    }
  }

  function* linesBelow(inside: string, depth: number): Generator<string> {
    for (const entry of children.get(inside) ?? []) {
      yield lineOf(entry, depth);
      if (entry.kind === 'directory') yield* linesBelow(entry.inside, depth + 1);
    }
  }

  return { tree: [...linesBelow(from, indent)].join('\n'), files, isWhole };
}

function lineOf({ kind, inside }: Entry, depth: number): string {
  const name = asLine(inside.slice(inside.lastIndexOf('/') + 1));
  return `${'  '.repeat(depth)}${name}${kind === 'directory' ? '/' : ''}`;
}

function parentOf(inside: string): string {
  return inside.slice(0, Math.max(0, inside.lastIndexOf('/')));
}

function depthOf(inside: string, from: string): number {
  const below = from === '' ? inside : inside.slice(from.length + 1);
  return below.split('/').length - 1;
}
