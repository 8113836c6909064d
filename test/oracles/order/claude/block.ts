// One streamed content block: how it opens, what it takes, and whether its assistant frame repeats it truly.
import { isDeepStrictEqual } from 'node:util';
import { type Block, blockHeads, deltaKinds } from './shapes.ts';

/** A block that is open. */
export interface OpenBlock {
  readonly head: Block;
  /** Everything that streamed, joined, by the key of the deltas that held it. */
  readonly streamed: Map<string, string>;
  /** The content of its assistant frames. */
  readonly assistants: (readonly Block[])[];
}

/** A delta as it comes off the wire. */
export type Piece = { readonly type: string; readonly [key: string]: unknown };

/** What is wrong with the way a block opens, or null. */
export function headProblem(head: Block): string | null {
  const issue = blockHeads.get(head.type)?.safeParse(head).error?.issues[0];
  return issue === undefined ? null : `${head.type}: ${issue.path.join('.')} ${issue.message}`;
}

/** Adds a delta to a block; false when the block does not take that kind. */
export function addPiece(block: OpenBlock, piece: Piece): boolean {
  const key = deltaKinds.get(block.head.type)?.get(piece.type);
  if (key === undefined) return false;
  block.streamed.set(key, `${block.streamed.get(key) ?? ''}${String(piece[key])}`);
  return true;
}

/** Where the content of an assistant frame departs from the block that streamed, or null. */
export function contentProblem(block: OpenBlock, blocks: readonly Block[]): string | null {
  const { head, streamed } = block;
  const [content, ...more] = blocks;
  if (content === undefined || more.length > 0) return `${blocks.length} blocks in an assistant frame`;
  if (content.type !== head.type) return `a ${content.type} block where ${head.type} streamed`;
  for (const key of ['text', 'thinking', 'signature']) {
    if (!(key in head)) continue;
    if (content[key] !== (streamed.get(key) ?? '')) return `${key} differs from what streamed`;
  }
  if (content.id !== head.id || content.name !== head.name) return 'id or name differs from the block that opened';
  if (!('input' in head) || sameInput(streamed.get('partial_json') ?? '', content.input)) return null;
  return 'input differs from what streamed';
}

/** Arguments that were cut are not whole JSON: whatever was made of them passes. */
function sameInput(json: string, input: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(json === '' ? '{}' : json), input);
  } catch {
    return true;
  }
}
