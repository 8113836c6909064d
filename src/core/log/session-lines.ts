// A session as lines of text, as the gateway keeps it for agents that keep none: one line that says what it is, then one
// for each whole message and each change. Pure; knows no file and no protocol.
import { z } from 'zod';
import { Extra, Message } from '../model/content.ts';
import { firstWordsIn } from './messages.ts';
import { createObjectReader, type LineBounds, linesOf, longestHead } from './read-lines.ts';

/** The first line. */
export const SessionHead = z.object({
  type: z.literal('patchbay-session'),
  version: z.literal(1),
  id: z.string(),
  /** Its name in the configuration. */
  agent: z.string(),
  cwd: z.string().optional(),
  /** ISO 8601. */
  createdAt: z.string(),
  name: z.string().optional(),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** All others: canonical events, of those that last. */
const SessionLine = z.discriminatedUnion('type', [
  z.object({ ...Message.shape, type: z.literal('message-added'), extra: Extra.optional() }),
  z.object({ type: z.literal('session-changed'), changes: z.object({ name: z.string() }) }),
  z.object({ type: z.literal('history-reset') }),
]);
export type SessionLine = z.infer<typeof SessionLine>;

/** What such lines tell. */
export interface StoredSession {
  readonly head: SessionHead;
  readonly name?: string | undefined;
  readonly messages: readonly Message[];
  /** Lines that say nothing: one that was cut by a crash, or somebody else's. */
  readonly dropped: number;
  /** All lines that were looked at. */
  readonly lines: number;
  /** There is more, but too much was read, or too much in vain: it is no file that the gateway has written. */
  readonly isCut: boolean;
}

/** What is read of one file. */
const bounds: LineBounds = { characters: 32 * 1024 * 1024, width: 100_000, values: 2_000_000, faults: 1000 };

/** What says what a file is, or what it is called. */
const ofHead: LineBounds = { characters: longestHead, width: 100, values: 100, faults: 0 };

/** Lines of one file, empty ones included: what cannot be read again need not be kept. */
export const mostLines = 100_000;

/** Longest name in a first line, characters. */
const longestName = 1024;

/** Names that are looked at until there is one. */
const mostNames = 16;

/** The text of a line, its LF included. */
export function textOfLine(line: SessionHead | SessionLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** The first line, and one more where its name is so long that nobody would look for the first line's end. */
export function textOfHead(head: SessionHead): string {
  const { name = '' } = head;
  if (name.length <= longestName) return textOfLine(head);
  return textOfLine({ ...head, name: undefined }) + textOfLine({ type: 'session-changed', changes: { name } });
}

/** The line that keeps a message. */
export function lineOfMessage(message: Message): SessionLine {
  return { type: 'message-added', ...message };
}

/** Reads the lines of a file; null when they are not those of a session of ours. */
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
  // No name is an empty one.
  return { head, name: name === '' ? undefined : name, messages, dropped, lines, isCut };
}

/** What a list shows of a session; its messages are counted and not read, for there may be many. */
export interface SessionOutline {
  readonly head: SessionHead;
  readonly name?: string | undefined;
  readonly messageCount: number;
  /** See SessionSummary. */
  readonly firstWords?: string | undefined;
}

/** A message from which only the first words are taken. */
const ofMessage: LineBounds = { characters: 256 * 1024, width: 1000, values: 10_000, faults: 0 };

/** The same of a file or of its beginning; null when it is none of ours. */
export function outlineOf(text: string): SessionOutline | null {
  const head = headIn(text);
  if (head === null) return null;
  let names: string[] = [];
  let messageCount = 0;
  let firstWords: string | undefined;
  for (const words of linesOf(text)) {
    if (firstWords === undefined && saidByUser.test(words)) firstWords = firstWordsOf(words);
    // As JSON.stringify writes the lines above: the type comes first.
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

/** Of the lines that name it. */
function newestOf(lines: readonly string[]): string | undefined {
  for (const words of [...lines].reverse()) {
    const line = SessionLine.safeParse(createObjectReader(ofHead).read(words)).data;
    if (line?.type === 'session-changed') return line.changes.name;
  }
  return undefined;
}
