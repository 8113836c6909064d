// Estimates what a transcript keeps, in bytes (docs/limits.md 5.2). `fold` counts along, so that each event costs the
// estimate of itself, and a delta one addition.
import type { EventOf, Logged } from '../model/event.ts';
import { estimateBytes } from '../model/memory-estimate.ts';
import type { AssistantMessage, Block, Item, Transcript } from '../model/transcript.ts';

/** Bytes of an entry beside what it holds. */
const ofEntry = 64;

/** Bytes of one character. */
export const ofCharacter = 2;

/** The estimate for a value that the transcript holds; 0 for none. */
export function sizeOfValue(value: unknown): number {
  return value === undefined || value === null ? 0 : ofEntry + estimateBytes(value, Number.POSITIVE_INFINITY);
}

/** The estimate for an event in the list of items. */
export function sizeOfItem({ event }: Logged): number {
  return sizeOfValue(event);
}

/** The estimate for the queue of the agent; 0 for an empty one. */
export function sizeOfQueue({ steering, followUp }: Transcript['queue']): number {
  return steering.length + followUp.length === 0 ? 0 : sizeOfValue(steering) + sizeOfValue(followUp);
}

/** The estimate for facts about the session; 0 for none. The sum of its fields, so that a change costs only itself. */
export function sizeOfInfo(info: Transcript['info']): number {
  let size = 0;
  for (const value of Object.values(info)) size += sizeOfValue(value);
  return size;
}

/** The estimate for a whole transcript. Reads all of it: for the end of a history, not for each event. */
export function measureTranscript(transcript: Transcript): number {
  const { items, tools, dialogs, servers, displays, queue, info, retry, plan } = transcript;
  let size = sizeOfQueue(queue) + sizeOfInfo(info) + sizeOfValue(retry) + sizeOfValue(plan);
  for (const item of items) size += sizeOf(item);
  for (const tool of tools.values()) size += sizeOfProgress(tool.progress);
  for (const held of [dialogs, servers, displays]) for (const event of held.values()) size += sizeOfValue(event);
  return size;
}

/** The estimate for the output of a running tool; 0 for none. The sum of its parts, so that more output costs only itself. */
export function sizeOfProgress(progress: readonly unknown[]): number {
  let size = 0;
  for (const content of progress) size += sizeOfValue(content);
  return size;
}

function sizeOf(item: Item): number {
  return item.kind === 'event' ? sizeOfItem(item.logged) : sizeOfMessage(item.message);
}

function sizeOfMessage({ start, blocks, end }: AssistantMessage): number {
  let size = sizeOfValue(start) + sizeOfValue(end);
  for (const block of blocks) size += sizeOfBlock(block);
  return size;
}

function sizeOfBlock({ head, text, end }: Block): number {
  return sizeOfValue(head) + ofCharacter * text.length + (end === undefined ? 0 : sizeOfBlockEnd(end));
}

/** The estimate for the end of a block, without its text, which is the text of the block. */
export function sizeOfBlockEnd({ input, signature = '', extra }: EventOf<'block-end'>): number {
  return sizeOfValue(input) + ofCharacter * signature.length + sizeOfValue(extra);
}
