// Stores one conversation: appends the new items after each run and after each change of its name.
import type { SessionView } from '../core/contract/adapter/projection.ts';
import { messagesOf } from '../core/log/messages.ts';
import {
  lineOfMessage,
  mostLines,
  type SessionHead,
  type SessionLine,
  textOfHead,
  textOfLine,
} from '../core/log/session-lines.ts';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import type { Event } from '../core/model/event.ts';
import type { GrowingFile } from './growing-file.ts';

/** Keeps one conversation in one file. Writes nothing before the first message. */
export interface SessionKeeper {
  /** Takes each logged event of the session except deltas. What is new is written once the log of the session is kept. */
  record(event: Event, view: SessionView): void;
  /** Writes the new items now, unless a run is open. Never throws. */
  flush(view: SessionView): void;
  /** Writes the collected items, even if the conversation was replaced since. Never throws. */
  write(): void;
}

/** The ports of a keeper. */
export interface KeeperPorts {
  readonly head: SessionHead;
  readonly file: GrowingFile;
  /** Number of transcript items already in the file. */
  readonly known: number;
  /** What the file lacks of those items. Written with the next items. */
  readonly missing: readonly SessionLine[];
  /** Number of lines already in the file. */
  readonly lines: number;
  /** Calls back after the current tick. */
  soon(callback: () => void): void;
  /** Calls back once the log of the session is kept so far; at once if it is kept nowhere. */
  whenKept(callback: () => void): void;
  /** Called when a write failed. Nothing more will be written. */
  failed(reason: string): void;
}

/** Lines that are neither a message nor a change: the header, the trailer, and an over-long name. */
const otherLines = 4;

/** Starts keeping. */
export function createKeeper({
  head,
  file,
  known,
  missing,
  lines: linesBefore,
  soon,
  whenKept,
  failed,
}: KeeperPorts): SessionKeeper {
  /** Number of transcript items that are written or need not be. */
  let done = known;
  let { name } = head;
  let written = linesBefore;
  let waiting: SessionLine[] = [...missing];
  let isDue = false;
  let hasFailed = false;

  function flush(view: SessionView): void {
    collect(view);
    write();
  }

  /** Collects at once, because the conversation may be replaced before the write. */
  function collect({ transcript, timeOrigin }: SessionView): void {
    if (hasFailed || transcript.run !== null || transcript.items.length <= done) return;
    const fresh = messagesOf({ ...transcript, items: transcript.items.slice(done) }, timeOrigin);
    done = transcript.items.length;
    for (const message of fresh) waiting.push(lineOfMessage(message));
  }

  function write(): void {
    // The first line of a new file already holds the name.
    const lines = file.isMade ? waiting : waiting.filter(({ type }) => type === 'message-added');
    waiting = [];
    if (hasFailed) return;
    if (lines.length === 0) return;
    try {
      written += lines.length;
      if (written > mostLines - otherLines)
        throw new GatewayError('limit', `the file would have more than ${mostLines} lines`);
      const first = file.isMade ? '' : textOfHead({ ...head, name });
      file.append(first + lines.map(textOfLine).join(''));
    } catch (thrown) {
      hasFailed = true;
      failed(messageOf(thrown));
    }
  }

  /** Messages outside of runs often come in bursts, so they are written together. */
  function flushSoon(view: SessionView): void {
    collect(view);
    if (isDue || view.transcript.run !== null) return;
    isDue = true;
    soon(() => {
      isDue = false;
      whenKept(write);
    });
  }

  return {
    record(event, view) {
      switch (event.type) {
        case 'run-end':
          collect(view);
          return whenKept(write);
        case 'message-added':
        case 'tool-end':
          return flushSoon(view);
        case 'session-changed':
          if (event.changes.name === undefined || event.changes.name === (name ?? '')) return;
          name = event.changes.name;
          // Of names in a row only the last one counts, so an agent cannot fill the memory with them.
          if (waiting.at(-1)?.type === 'session-changed') waiting.pop();
          waiting.push({ type: 'session-changed', changes: { name } });
          return flushSoon(view);
        default:
      }
    },
    flush,
    write,
  };
}
