// Shapes that several tables of native Claude messages share, and the form of such a table.
import { fields, type Shape } from '../../check/shape.ts';
import type { ShapeRow } from '../../check/shape-rows.ts';
import type { agentPlaces } from './places.ts';

/** Rows on what agents say. */
export type AgentRows = Readonly<Record<string, ShapeRow<keyof typeof agentPlaces>>>;

/** The same shape of several kinds of places. */
export function everywhere<const Kind extends string>(
  shape: Shape,
  ...kinds: readonly Kind[]
): Partial<Record<Kind, Shape>> {
  return Object.fromEntries(kinds.map((kind) => [kind, shape])) as Partial<Record<Kind, Shape>>;
}

/** Figures that an agent may leave out. */
export const caches = { 'cache_read_input_tokens?': 'number', 'cache_creation_input_tokens?': 'number' } as const;
/** A count of tokens in the words of the API. */
export const counts = fields({ input_tokens: 'number', output_tokens: 'number', ...caches });
/** A server of tools. */
export const server = fields({ name: 'string', status: 'string' });
