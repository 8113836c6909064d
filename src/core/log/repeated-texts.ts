// The texts that an agent has said in a run and will repeat when a block, a message, a turn or the run ends.

import type { Content } from '../model/content.ts';
import { leastLongText } from '../model/encoded-texts.ts';
import type { Block, Item, Transcript } from '../model/transcript.ts';

/** Most texts that are looked for in one frame. */
export const mostRepeatedTexts = 8;
/** Most items of the transcript that are searched for them. */
const mostItems = 64;

/** The long texts of the open run, the newest first. */
export function repeatedTexts({ items }: Pick<Transcript, 'items'>): readonly string[] {
  const texts: string[] = [];
  const last = items.length - 1;
  for (let place = last; place >= 0 && place > last - mostItems && texts.length < mostRepeatedTexts; place -= 1) {
    const item = items[place];
    if (item === undefined || isStart(item)) break;
    for (const text of textsIn(item)) if (text.length >= leastLongText) texts.push(text);
  }
  return texts.slice(0, mostRepeatedTexts);
}

function isStart(item: Item): boolean {
  return item.kind === 'event' && item.logged.event.type === 'run-start';
}

function textsIn(item: Item): string[] {
  if (item.kind === 'message') return item.message.blocks.flatMap(textsOfBlock);
  const { event } = item.logged;
  const isWhole = event.type === 'tool-end' || event.type === 'message-added';
  return isWhole ? event.content.flatMap(textsOfContent) : [];
}

/** The arguments of a call are repeated as values, not as the text that streamed. */
function textsOfBlock({ head, text, end }: Block): string[] {
  if (head.kind !== 'tool-call') return [text];
  return Object.values(end?.input ?? {}).filter((value) => typeof value === 'string');
}

function textsOfContent(content: Content): string[] {
  return content.type === 'text' ? [content.text] : [];
}
