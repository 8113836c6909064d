// The file format of stored sessions, for agents that store none: one head line, then one line for each whole message
// and each change.
import { z } from 'zod';
import { Extra, Message } from '../model/content.ts';
import { firstWordsIn } from './messages.ts';
import { createObjectReader, type LineBounds, linesOf, longestHead } from './read-lines.ts';

/** The first line. */
export const SessionHead = z.object({
  type: z.literal('patchbay-session'),
  version: z.literal(1),
  id: z.string(),
  /** The name of the agent in the configuration. */
  agent: z.string(),
  cwd: z.string().optional(),
  /** ISO 8601. */
  createdAt: z.string(),
  name: z.string().optional(),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** The other lines: canonical events with a lasting effect. */
const SessionLine = z.discriminatedUnion('type', [
  z.object({ ...Message.shape, type: z.literal('message-added'), extra: Extra.optional() }),
  z.object({ type: z.literal('session-changed'), changes: z.object({ name: z.string() }) }),
  z.object({ type: z.literal('history-reset') }),
]);
export type SessionLine = z.infer<typeof SessionLine>;

/** The content of a stored session. */
export interface StoredSession {
  readonly head: SessionHead;
  readonly name?: string | undefined;
  readonly messages: readonly Message[];
  /** Unreadable lines: cut by a crash, or written by another program. */
  readonly dropped: number;
  /** All lines read. */
  readonly lines: number;
  /** True if the bounds ended the reading. The gateway has not written such a file. */
  readonly isCut: boolean;
}

/** Bounds for reading one file. */
const bounds: LineBounds = { characters: 32 * 1024 * 1024, width: 100_000, values: 2_000_000, faults: 1000 };

/** Bounds for reading head lines and name lines. */
const ofHead: LineBounds = { characters: longestHead, width: 100, values: 100, faults: 0 };

/** Most lines of one file, empty lines included. More could not be read again. */
export const mostLines = 100_000;

/** Longest name in a head line, characters. */
const longestName = 1024;

/** The newest name line that can be read gives the name. At most this many name lines are kept for that search. */
const mostNames = 16;

/** A line as text, with its LF. */
export function textOfLine(line: SessionHead | SessionLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** The head line. A name that is too long for it becomes a second line. */
export function textOfHead(head: SessionHead): string {
  const { name = '' } = head;
  if (name.length <= longestName) return textOfLine(head);
  return textOfLine({ ...head, name: undefined }) + textOfLine({ type: 'session-changed', changes: { name } });
}

/** The line for a message. */
export function lineOfMessage(message: Message): SessionLine {
  return { type: 'message-added', ...message };
}

/** Reads a stored session. Returns null if the text is not in this format. */
export function readSession(text: string): StoredSession | null {
  const head = headIn(text);
  if (head === null) return null;
  const reader = createObjectReader(bounds);
  let { name } = head;
  let messages: Message[] = [];
  let dropped = 0;
  let lines = 0;
  for (const words of linesOf(text)) {
    if (lines > mostLines || reader.isOver) break;
    lines += 1;
    if (lines === 1 || words === '') continue;
    const value = reader.read(words);
    const line = SessionLine.safeParse(value).data;
    switch (line?.type) {
      case undefined:
        if (value !== null) reader.drop();
        dropped += 1;
        break;
      case 'message-added': {
        const { type, ...message } = line;
        messages.push(message);
        break;
      }
      case 'session-changed':
        name = line.changes.name;
        break;
      case 'history-reset':
        messages = [];
        break;
      default:
        line satisfies never;
    }
  }
  const isCut = lines > mostLines || reader.isOver;
  // An empty name means no name.
  return { head, name: name === '' ? undefined : name, messages, dropped, lines, isCut };
}

/** A stored session in a list. Messages are counted and not parsed, because there may be many. */
export interface SessionOutline {
  readonly head: SessionHead;
  readonly name?: string | undefined;
  readonly messageCount: number;
  /** See SessionSummary. */
  readonly firstWords?: string | undefined;
}

/** Bounds for reading a message for its first words only. */
const ofMessage: LineBounds = { characters: 256 * 1024, width: 1000, values: 10_000, faults: 0 };

/** Reads the outline of a file or of its beginning. Returns null if the text is not in this format. */
export function outlineOf(text: string): SessionOutline | null {
  const head = headIn(text);
  if (head === null) return null;
  let names: string[] = [];
  let messageCount = 0;
  let firstWords: string | undefined;
  for (const words of linesOf(text)) {
    if (firstWords === undefined && saidByUser.test(words)) firstWords = firstWordsOf(words);
    // JSON.stringify wrote these lines, so `type` comes first.
    if (words.startsWith('{"type":"message-added"')) messageCount += 1;
    if (words.startsWith('{"type":"history-reset"')) {
      messageCount = 0;
      firstWords = undefined;
    }
    if (words.startsWith('{"type":"session-changed"')) names = [...names.slice(1 - mostNames), words];
  }
  const name = newestOf(names) ?? head.name;
  return { head, name: name === '' ? undefined : name, messageCount, firstWords };
}

const saidByUser = /^\{"type":"message-added".{0,200}"role":"user"/u;

function firstWordsOf(words: string): string | undefined {
  const line = SessionLine.safeParse(createObjectReader(ofMessage).read(words)).data;
  return line?.type === 'message-added' ? firstWordsIn([line]) : undefined;
}

function headIn(text: string): SessionHead | null {
  const [first = ''] = linesOf(text);
  return SessionHead.safeParse(createObjectReader(ofHead).read(first)).data ?? null;
}

/** The newest name among the name lines. */
function newestOf(lines: readonly string[]): string | undefined {
  for (const words of [...lines].reverse()) {
    const line = SessionLine.safeParse(createObjectReader(ofHead).read(words)).data;
    if (line?.type === 'session-changed') return line.changes.name;
  }
  return undefined;
}
