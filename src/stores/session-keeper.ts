// Writes down one conversation: after each run, and when its name changes, what is new. Knows no protocol.
import type { SessionView } from '../core/contract/adapter.ts';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import type { Event } from '../core/model/event.ts';
import { messagesOf } from '../core/log/messages.ts';
import {
  lineOfMessage,
  mostLines,
  type SessionHead,
  type SessionLine,
  textOfHead,
  textOfLine,
} from '../core/log/session-lines.ts';
import type { GrowingFile } from './growing-file.ts';

/** Keeps one conversation in one file. Nothing is written as long as nothing was said. */
export interface SessionKeeper {
  /** Hears each event of the session but deltas, when the log has it. */
  hear(event: Event, view: SessionView): void;
  /** Writes what is new, unless a run is going on. Never throws. */
  flush(view: SessionView): void;
  /** Writes what it has heard of, whatever became of the conversation since. Never throws. */
  write(): void;
}

/** What a keeper is made of. */
export interface KeeperPorts {
  readonly head: SessionHead;
  readonly file: GrowingFile;
  /** So many items of the transcript are in the file already. */
  readonly known: number;
  /** Lines that are in the file already. */
  readonly lines: number;
  /** Calls back when what is going on in this moment is over. */
  soon(callback: () => void): void;
  /** It could not be written, and nothing more will be. */
  failed(reason: string): void;
}

/** Those that are no message and no change: the first, what is behind the last, a name that is too long. */
const otherLines = 4;

/** Keeps from now on. */
export function createKeeper({ head, file, known, lines: linesBefore, soon, failed }: KeeperPorts): SessionKeeper {
  /** Items of the transcript that are written, or need not be. */
  let done = known;
  let { name } = head;
  let written = linesBefore;
  let waiting: SessionLine[] = [];
  let isDue = false;
  let hasFailed = false;

  function flush(view: SessionView): void {
    collect(view);
    write();
  }

  /** At once: the conversation may be another one when it is written. */
  function collect({ transcript, timeOrigin }: SessionView): void {
    if (hasFailed || transcript.run !== null || transcript.items.length <= done) return;
    const fresh = messagesOf({ ...transcript, items: transcript.items.slice(done) }, timeOrigin);
    done = transcript.items.length;
    for (const message of fresh) waiting.push(lineOfMessage(message));
  }

  function write(): void {
    // The first line has its name.
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

  /** Messages outside of runs often come many at a time. */
  function flushSoon(view: SessionView): void {
    collect(view);
    if (isDue || view.transcript.run !== null) return;
    isDue = true;
    soon(() => {
      isDue = false;
      write();
    });
  }

  return {
    hear(event, view) {
      switch (event.type) {
        case 'run-end':
          return flush(view);
        case 'message-added':
        case 'tool-end':
          return flushSoon(view);
        case 'session-changed':
          if (event.changes.name === undefined || event.changes.name === (name ?? '')) return;
          name = event.changes.name;
          waiting.push({ type: 'session-changed', changes: { name } });
          return flushSoon(view);
        default:
      }
    },
    flush,
    write,
  };
}
