// Reads pi's session files from text. The gateway reads the files.
import { z } from 'zod';
import type { StoredFormat } from '../../core/contract/adapter/stored-conversations.ts';
import { firstWordsIn } from '../../core/log/messages.ts';
import { createObjectReader, type LineBounds, linesOf, longestHead } from '../../core/log/read-lines.ts';
import type { Dictionary } from '../../core/model/content.ts';

/** The first line. pi discards a file without this line when asked to open it (0.54.2). */
const Header = z.looseObject({
  type: z.literal('session'),
  id: z.string().min(1),
  timestamp: z.string().optional(),
  cwd: z.string().optional(),
});

const Prompt = z.looseObject({
  message: z.looseObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]),
  }),
});

const Name = z.looseObject({ type: z.literal('session_info'), name: z.string().nullish() });

/** Lines may be long, so the type is read from the beginning if possible. */
const typeFirst = /^\s*\{\s*"type"\s*:\s*"(\w+)"/u;

/** The file is not trusted: anybody may have put it into a project. */
const bounds: LineBounds = { characters: longestHead, width: 1000, values: 200_000, faults: 100 };

/** pi's session files: one header line, then one line for each entry of a tree. */
export const storedFormat: StoredFormat = {
  folders: ['.pi/agent/sessions'],
  inProject: ['.pi/sessions'],
  endings: ['.jsonl', '.json'],
  read(text) {
    const reader = createObjectReader(bounds);
    const [first = ''] = linesOf(text);
    const header = Header.safeParse(reader.read(first)).data;
    if (header === undefined) return null;
    let name: string | undefined;
    let messageCount = 0;
    let firstWords: string | undefined;
    for (const line of linesOf(text)) {
      if (line === '') continue;
      const type = typeFirst.exec(line)?.[1] ?? reader.read(line)?.type;
      if (type === 'message') messageCount += 1;
      if (firstWords === undefined && type === 'message' && messageCount <= mostAsked)
        firstWords = wordsIn(reader.read(line));
      // The newest name counts. An entry without a name removes the name.
      if (type === 'session_info') name = nameIn(reader.read(line));
    }
    return {
      id: header.id,
      ...(name === undefined || name === '' ? {} : { name }),
      ...(header.cwd === undefined || header.cwd === '' ? {} : { cwd: header.cwd }),
      ...(header.timestamp === undefined ? {} : { createdAt: header.timestamp }),
      ...(firstWords === undefined ? {} : { firstWords }),
      messageCount,
    };
  },
  copy(text, { id, createdAt: timestamp, from }) {
    const end = text.indexOf('\n');
    const first = createObjectReader(bounds).read(end < 0 ? text : text.slice(0, end));
    if (first === null || !Header.safeParse(first).success) return null;
    const header = JSON.stringify({ ...first, id, timestamp, parentSession: from });
    return end < 0 ? `${header}\n` : header + text.slice(end);
  },
};

/** How many messages are searched for the first user text, to bound the cost. */
const mostAsked = 4;

function wordsIn(entry: Dictionary | null): string | undefined {
  const content = entry === null ? undefined : Prompt.safeParse(entry).data?.message.content;
  if (content === undefined) return undefined;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const texts = parts.flatMap(({ type, text }) =>
    type === 'text' && text !== undefined ? ({ type, text } as const) : [],
  );
  return firstWordsIn([{ role: 'user', content: texts }]);
}

function nameIn(entry: Dictionary | null): string | undefined {
  return entry === null ? undefined : (Name.safeParse(entry).data?.name ?? undefined);
}
