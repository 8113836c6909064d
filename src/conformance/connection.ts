// A channel with a memory: all that was said on it, and somebody who waits for what comes. Knows no protocol.
import type { Channel } from '../core/channel.ts';
import { messageOf } from '../core/errors.ts';
import { type Connection, type Exchange, PeerWrong } from './check.ts';

/** How a connection is watched. */
export interface WatchOptions {
  readonly patienceMs: number;
  /** Where the transport can. */
  sendBinary?(text: string): void;
}

/** How many of the last messages are quoted when patience is over. */
const quoted = 4;

/** Opens the channel. */
export function watchChannel(channel: Channel, { patienceMs, sendBinary }: WatchOptions): Connection {
  const began = performance.now();
  const log: Exchange[] = [];
  const watchers = new Set<() => void>();
  let ended: string | null = null;

  function wake(): void {
    for (const watcher of [...watchers]) watcher();
  }
  function heard(text: string, json?: unknown): void {
    log.push({ at: performance.now() - began, by: 'peer', text, ...(json === undefined ? {} : { json }) });
    wake();
  }
  function said(text: string): void {
    log.push({ at: performance.now() - began, by: 'us', text });
  }

  channel.open({
    frame(frame) {
      try {
        heard(frame.text, frame.json);
      } catch {
        heard(Buffer.from(frame.bytes).toString('utf8'));
      }
    },
    fault({ message }) {
      log.push({ at: performance.now() - began, by: 'peer', text: message, isFault: true });
      wake();
    },
    end({ reason }) {
      ended = reason;
      wake();
    },
  });

  function until<Value>(label: string, look: () => Value | undefined): Promise<Value> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => done(() => reject(wrong(`within ${patienceMs} ms`))), patienceMs);
      const wrong = (when: string) => new PeerWrong(`no ${label} ${when}${lastWords(log)}`);
      function done(settle: () => void): void {
        clearTimeout(timer);
        watchers.delete(check);
        settle();
      }
      function check(): void {
        try {
          const value = look();
          if (value !== undefined) done(() => resolve(value));
          else if (ended !== null) done(() => reject(wrong(`before the connection ended (${ended})`)));
        } catch (thrown) {
          done(() => reject(thrown instanceof Error ? thrown : new Error(messageOf(thrown))));
        }
      }
      watchers.add(check);
      check();
    });
  }

  return {
    label: channel.label,
    log,
    get ended() {
      return ended;
    },
    send(text) {
      said(text);
      channel.send(text);
    },
    ...(sendBinary === undefined
      ? {}
      : {
          sendBinary(text: string) {
            said(`(binary) ${text}`);
            sendBinary(text);
          },
        }),
    until,
    async close() {
      channel.close('normal', 'the check is over');
      await until('end of the connection', () => ended ?? undefined);
    },
  };
}

function lastWords(log: readonly Exchange[]): string {
  if (log.length === 0) return '; nothing was said';
  const last = log.slice(-quoted).map(({ by, text }) => `\n  ${by}: ${text.slice(0, 300)}`);
  return `; the last that was said:${last.join('')}`;
}
