// A session as lines of text, as the gateway keeps it for agents that keep none: one line that says what it is, then one
// for each whole message and each change. Pure; knows no file and no protocol.
import { z } from 'zod';
import { Extra, Message } from './content.ts';

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
}

/** Levels of `[` and `{` that a line may open, as for frames: all that walks its values does so by recursion. */
const maxDepth = 128;

/** The text of a line, its LF included. */
export function textOfLine(line: SessionHead | SessionLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** The line that keeps a message. */
export function lineOfMessage(message: Message): SessionLine {
  return { type: 'message-added', ...message };
}

/** Reads the lines of a file; null when they are not those of a session of ours. */
export function readSession(text: string): StoredSession | null {
  const [first = '', ...rest] = text.split('\n');
  const head = SessionHead.safeParse(valueIn(first)).data;
  if (head === undefined) return null;
  let { name } = head;
  let messages: Message[] = [];
  let dropped = 0;
  for (const words of rest) {
    if (words === '') continue;
    const line = SessionLine.safeParse(valueIn(words)).data;
    switch (line?.type) {
      case undefined:
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
  // No name is an empty one.
  return { head, name: name === '' ? undefined : name, messages, dropped };
}

/** What a list shows of a session; its messages are counted and not read, for there may be many. */
export interface SessionOutline {
  readonly head: SessionHead;
  readonly name?: string | undefined;
  readonly messageCount: number;
}

/** The same of a file or of its beginning; null when it is none of ours. */
export function outlineOf(text: string): SessionOutline | null {
  const [first = '', ...rest] = text.split('\n');
  const head = SessionHead.safeParse(valueIn(first)).data;
  if (head === undefined) return null;
  let { name } = head;
  let messageCount = 0;
  for (const words of rest) {
    // As JSON.stringify writes the lines above: the type comes first.
    if (words.startsWith('{"type":"message-added"')) messageCount += 1;
    if (words.startsWith('{"type":"history-reset"')) messageCount = 0;
    if (!words.startsWith('{"type":"session-changed"')) continue;
    const line = SessionLine.safeParse(valueIn(words)).data;
    if (line?.type === 'session-changed') name = line.changes.name;
  }
  return { head, name: name === '' ? undefined : name, messageCount };
}

/** The JSON value of a line; undefined where there is none, or one that is too deep. */
function valueIn(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return isDeeperThan(maxDepth, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeperThan(limit: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
