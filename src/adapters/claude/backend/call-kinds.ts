// What Claude Code's own tools do, and where: kind and places of a call, from its name and arguments.
import type { Dictionary } from '../../../core/model/content.ts';
import type { EventOf, ToolKind } from '../../../core/model/event.ts';

/** Kind and places of a call, to be spread into its events. */
export type CallKind = Pick<EventOf<'tool-start'>, 'kind' | 'locations'>;

interface Meaning {
  readonly kind: ToolKind;
  /** The argument that names the place. */
  readonly place?: string;
}

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['Read', { kind: 'read', place: 'file_path' }],
  ['NotebookRead', { kind: 'read', place: 'notebook_path' }],
  ['LS', { kind: 'search', place: 'path' }],
  ['Glob', { kind: 'search', place: 'path' }],
  ['Grep', { kind: 'search', place: 'path' }],
  ['Edit', { kind: 'edit', place: 'file_path' }],
  ['MultiEdit', { kind: 'edit', place: 'file_path' }],
  ['Write', { kind: 'edit', place: 'file_path' }],
  ['NotebookEdit', { kind: 'edit', place: 'notebook_path' }],
  ['Bash', { kind: 'execute' }],
  ['BashOutput', { kind: 'execute' }],
  ['KillShell', { kind: 'execute' }],
  ['WebFetch', { kind: 'fetch' }],
  ['WebSearch', { kind: 'fetch' }],
  ['Task', { kind: 'think' }],
  ['Agent', { kind: 'think' }],
  ['TodoWrite', { kind: 'think' }],
]);

/** Nothing for tools that are not Claude Code's own. */
export function kindOf(name: string, input: Dictionary): CallKind {
  const meaning = meanings.get(name);
  if (meaning === undefined) return {};
  const { kind, place } = meaning;
  const path = place === undefined ? undefined : new Map(Object.entries(input)).get(place);
  if (typeof path !== 'string' || path === '') return { kind };
  const line = name === 'Read' && typeof input.offset === 'number' ? { line: input.offset } : {};
  return { kind, locations: [{ path, ...line }] };
}
