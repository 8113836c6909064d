// Renders each kind of prompt context for the model by the rules of docs/contexts.md. Synchronous and bounded; never
// throws. A context outside the folders is given by name only: the gateway fetches nothing.
import type { Context } from '../core/model/content.ts';
import { type Budget, type FoundText, isFull, leftOut, named, paid } from './budget.ts';
import { element } from './context-markup.ts';
import { readDirectory, readMap } from './read-directory.ts';
import { readFile } from './read-file.ts';
import type { Folder } from './resolve-path.ts';

/** Renders one context. */
export function readContext(context: Context, folders: readonly Folder[], budget: Budget): FoundText {
  switch (context.type) {
    case 'file':
      return readFile(context, folders, budget);
    case 'directory':
      return readDirectory(context.path, folders, budget);
    case 'repo-map':
      return readMap(folders, budget);
    case 'web': {
      const { url } = context;
      const text = paid(element('web', { url }), budget);
      if (text === null) return leftOut('page', url, isFull);
      return { text, problem: `The page ${named(url)} was not fetched: the model is told its address only.` };
    }
    case 'resource': {
      const { uri, server, name, description } = context;
      const text = paid(element('resource', { uri, server, name }, description ?? ''), budget);
      if (text === null) return leftOut('resource', uri, isFull);
      return { text, problem: `The resource ${named(uri)} was not read: the model is told its description only.` };
    }
    case 'opaque':
      return {
        text: null,
        problem: `A context of the prompt was left out: ${context.fault ?? 'nobody here knows its kind'}.`,
      };
    default:
      return context satisfies never;
  }
}
