// One streamed content block: its start, its deltas, and whether its assistant frame repeats it.
import { isDeepStrictEqual } from 'node:util';
import { type Block, blockHeads, deltaKinds } from './shapes.ts';

/** An open block. */
export interface OpenBlock {
  readonly head: Block;
  /** The joined deltas, by the key that holds their text. */
  readonly streamed: Map<string, string>;
  /** The content of the block's assistant frames. */
  readonly assistants: (readonly Block[])[];
}

/** A delta as it comes from the wire. */
export type Piece = { readonly type: string; readonly [key: string]: unknown };

/** What is wrong with the start of a block, or null. */
export function headProblem(head: Block): string | null {
  const issue = blockHeads.get(head.type)?.safeParse(head).error?.issues[0];
  return issue === undefined ? null : `${head.type}: ${issue.path.join('.')} ${issue.message}`;
}

/** Adds a delta to a block; false when the block type does not take this delta. */
export function addPiece(block: OpenBlock, piece: Piece): boolean {
  const key = deltaKinds.get(block.head.type)?.get(piece.type);
  if (key === undefined) return false;
  block.streamed.set(key, `${block.streamed.get(key) ?? ''}${String(piece[key])}`);
  return true;
}

/** How the content of an assistant frame differs from the streamed block, or null. */
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

/** Truncated arguments are incomplete JSON; any repetition of them passes. */
function sameInput(json: string, input: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(json === '' ? '{}' : json), input);
  } catch {
    return true;
  }
}
