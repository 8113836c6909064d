// Writes down what is said in one session: after each run, and when its name changes, what is new. Knows no protocol.
import type { SessionView } from '../core/adapter.ts';
import { messageOf } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import { messagesOf } from '../core/messages.ts';
import { lineOfMessage, type SessionHead, type SessionLine, textOfLine } from '../core/session-lines.ts';
import type { GrowingFile } from './growing-file.ts';

/** Keeps one session. Nothing is written as long as nothing was said. */
export interface SessionKeeper {
  /** Hears each event of the session but deltas, when the log has it. */
  hear(event: Event, view: SessionView): void;
  /** Writes what is new, unless a run is going on. Never throws. */
  flush(view: SessionView): void;
}

/** What a keeper is made of. */
export interface KeeperPorts {
  readonly head: SessionHead;
  readonly file: GrowingFile;
  /** So many items of the transcript are in the file already. */
  readonly known: number;
  /** Calls back when what is going on in this moment is over. */
  soon(callback: () => void): void;
  /** It could not be written, and nothing more will be. */
  failed(reason: string): void;
}

/** Keeps from now on. */
export function createKeeper({ head, file, known, soon, failed }: KeeperPorts): SessionKeeper {
  /** Items of the transcript that are written, or need not be. */
  let done = known;
  let { name } = head;
  let waiting: SessionLine[] = [];
  let isDue = false;
  let hasFailed = false;

  function flush({ transcript, timeOrigin }: SessionView): void {
    if (hasFailed || transcript.run !== null) return;
    const fresh = messagesOf({ ...transcript, items: transcript.items.slice(done) }, timeOrigin);
    done = transcript.items.length;
    const lines = [...(file.isMade ? waiting : []), ...fresh.map(lineOfMessage)];
    waiting = [];
    if (lines.length === 0) return;
    try {
      const first = file.isMade ? '' : textOfLine({ ...head, name });
      file.append(first + lines.map(textOfLine).join(''));
    } catch (thrown) {
      hasFailed = true;
      failed(messageOf(thrown));
    }
  }

  /** Messages outside of runs often come many at a time. */
  function flushSoon(view: SessionView): void {
    if (isDue || view.transcript.run !== null) return;
    isDue = true;
    soon(() => {
      isDue = false;
      flush(view);
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
        case 'history-reset':
          done = 0;
          waiting.push({ type: 'history-reset' });
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
  };
}
