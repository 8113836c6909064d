// Titles of unnamed chats: the first words of the first prompt, as real servers show them until a model has found a
// better title (docs/protocols/eca.md 4).
import { withoutContexts } from '../../../core/log/context-text.ts';
import { textIn } from '../../../core/log/messages.ts';
import type { Transcript } from '../../../core/model/transcript.ts';

/** The maximum characters of a title in real servers. */
const longest = 40;
/** A slash command is no title. */
const command = /^\/[\w:.-]+(?:\s|$)/u;

/** The title that a prompt gives to its chat; undefined if the prompt has no words for one. */
export function titleFrom(prompt: string): string | undefined {
  if (command.test(prompt)) return undefined;
  const lines = prompt.split('\n').map((line) => line.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim());
  const line = lines.find((one) => /[\p{L}\p{N}\p{S}]/u.test(one))?.replace(/^#+\s*/u, '') ?? '';
  const characters = Array.from(line);
  if (characters.length <= longest) return line === '' ? undefined : line;
  const cut = characters.slice(0, longest - 1).join('');
  // Cut between words if possible.
  const end = cut.lastIndexOf(' ');
  return `${end > 0 ? cut.slice(0, end) : cut}…`;
}

/** The title of a chat: its name, or else the first words of its user. */
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

/** The title of a fork, numbered as real servers do. */
export function forkTitle(title: string | undefined): string {
  const [, base, count] = /^(.+?)\s*\((\d{1,9})\)\s*$/u.exec(title ?? '') ?? [];
  return base === undefined ? `${title ?? 'Untitled'} (2)` : `${base} (${Number(count) + 1})`;
}
