// The folders of a session: reads them for prompts and searches them for contexts to offer.
import path from 'node:path';
import type { ContextReading, WorkspacePort } from '../core/contract/workspace.ts';
import type { Context } from '../core/model/content.ts';
import { newBudget } from './budget.ts';
import { type Candidate, choose } from './find.ts';
import { limits } from './limits.ts';
import { readContext } from './read-context.ts';
import { comparable, type Folder, foldersOf, outermost } from './resolve-path.ts';
import { walk } from './walk.ts';

/** Directory entries visited before yielding to the event loop. */
const atOnce = 500;

/** Reads nothing outside `folders` (absolute paths). Ignores folders that do not exist now. */
export function createWorkspace(given: readonly string[]): WorkspacePort {
  return new Workspace(foldersOf(given));
}

/** A class: each session has one, and most never use theirs. */
class Workspace implements WorkspacePort {
  readonly #folders: readonly Folder[];
  /** Queries that wait for the running walk: a user types many keys during one walk. Null: no walk is running. */
  #waiting: ((candidates: readonly Candidate[]) => void)[] | null = null;

  constructor(folders: readonly Folder[]) {
    this.#folders = folders;
  }

  #withCandidates(then: (candidates: readonly Candidate[]) => void): void {
    if (this.#waiting !== null) return void this.#waiting.push(then);
    const waiting = [then];
    this.#waiting = waiting;
    const found: Candidate[] = [];
    const steps = candidatesIn(this.#folders);
    const goOn = () => {
      for (let seen = 0; seen < atOnce; ) {
        const { value, done } = steps.next();
        if (done === true) {
          this.#waiting = null;
          for (const callback of waiting) callback(found);
          return;
        }
        found.push(...value);
        seen += value.length + 1;
      }
      setImmediate(goOn);
    };
    setImmediate(goOn);
  }

  read(contexts: readonly Context[]): readonly ContextReading[] {
    const budget = newBudget();
    const once = new Set<string>();
    const readings = contexts.slice(0, limits.contexts).flatMap((context): ContextReading[] => {
      const key = JSON.stringify(context);
      if (once.has(key)) return [];
      once.add(key);
      return [{ context, ...readContext(context, this.#folders, budget) }];
    });
    const others = contexts.slice(limits.contexts);
    // A context chosen by the user comes before one added by the client.
    const first = others.find((context) => context.type !== 'file' || context.automatic !== true) ?? others[0];
    if (first === undefined) return readings;
    const problem = `${others.length} contexts were left out: a prompt has ${limits.contexts} at most.`;
    return [...readings, { context: first, text: null, problem }];
  }

  find(...[typed, chosen, settle]: Parameters<WorkspacePort['find']>): void {
    const folders = this.#folders;
    const keys = new Set(chosen.map((context) => keyOf(context, folders)));
    this.#withCandidates((candidates) =>
      settle(choose(typed, candidates, (context) => keys.has(keyOf(context, folders)))),
    );
  }
}

/** Yields the candidates in batches, within the limits. */
function* candidatesIn(folders: readonly Folder[]): Generator<readonly Candidate[]> {
  const roots = outermost(folders);
  yield roots.map(({ given }) => ({ kind: 'directory', inside: path.basename(given), path: given }));
  const effort = { visits: limits.visits, tries: limits.tries };
  for (const folder of roots) {
    for (const entries of walk(folder, '', effort)) {
      yield entries.map(({ kind, inside }) => ({ kind, inside, path: path.join(folder.given, inside) }));
    }
  }
}

function keyOf(context: Context, folders: readonly Folder[]): string {
  const isPath = context.type === 'file' || context.type === 'directory';
  return isPath ? `${context.type}:${comparable(context.path, folders)}` : JSON.stringify(context);
}
