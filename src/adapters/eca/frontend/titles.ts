// Titles of chats that nobody has named: the first words of their first prompt, as real servers show them until a model has
// found better ones (docs/protocols/eca.md 4). Pure.
import { withoutContexts } from '../../../core/log/context-text.ts';
import { textIn } from '../../../core/log/messages.ts';
import type { Transcript } from '../../../core/model/transcript.ts';

/** Characters of a title in real servers. */
const longest = 40;
/** A command is no subject. */
const command = /^\/[\w:.-]+(?:\s|$)/u;

/** The title that a prompt gives to its chat; undefined where the prompt has no words for one. */
export function titleFrom(prompt: string): string | undefined {
  if (command.test(prompt)) return undefined;
  const lines = prompt.split('\n').map((line) => line.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim());
  const line = lines.find((one) => /[\p{L}\p{N}\p{S}]/u.test(one))?.replace(/^#+\s*/u, '') ?? '';
  const characters = Array.from(line);
  if (characters.length <= longest) return line === '' ? undefined : line;
  const cut = characters.slice(0, longest - 1).join('');
  // A word is not cut where a whole one stands before it.
  const end = cut.lastIndexOf(' ');
  return `${end > 0 ? cut.slice(0, end) : cut}…`;
}

/** The title of a chat, by its name or else by what its user said first. */
export function titleOf({ info, items }: Transcript): string | undefined {
  if (info.name !== undefined && info.name !== '') return info.name;
  for (const item of items) {
    if (item.kind !== 'event' || item.logged.event.type !== 'message-added') continue;
    const { role, parent, origin, content } = item.logged.event;
    if (role !== 'user' || parent !== undefined || origin === 'agent') continue;
    const title = titleFrom(withoutContexts(textIn(content)));
    if (title !== undefined) return title;
  }
  return undefined;
}

/** The title of a chat that was made out of one with that title, as real servers count them. */
export function forkTitle(title: string | undefined): string {
  const [, base, count] = /^(.+?)\s*\((\d{1,9})\)\s*$/u.exec(title ?? '') ?? [];
  return base === undefined ? `${title ?? 'Untitled'} (2)` : `${base} (${Number(count) + 1})`;
}
