// A channel with a log of its messages and a way to wait for the next one.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Channel } from '../../core/contract/channel.ts';
import { firstFound, sliceOf } from '../bounded-wait.ts';
import { CannotTell, type Connection, type LoggedMessage, PeerWrong } from '../check/check.ts';

/** Options for logging a connection. */
export interface WatchOptions {
  readonly patienceMs: number;
  /** How long the peer may be silent before its first message, ms; default the patience. A program must first start. */
  readonly startMs?: number;
  /** A stream whose lines are logged as well: many servers print their address on stderr. */
  readonly beside?: Readable | null;
  /** Sends a binary message. Absent if the transport cannot. */
  sendBinary?(text: string): void;
  /** Sends bytes without a frame. Present if the transport has no frames of its own. */
  sendRaw?(text: string): void;
  /** Ends the input. Present together with {@link sendRaw}. */
  endInput?(): void;
}

/** How many of the last messages a timeout quotes. */
const quoted = 4;

/** End reasons of channels that never reached a peer. The peer is not at fault. */
const unreached =
  /^(?:could not connect|agent could not be started|the server refused the stream|the stream was lost)/u;

/** End reasons of channels that could not send our message. */
const sendFault = /^could not send/u;

/** Opens the channel and starts the log. */
export function watchChannel(
  channel: Channel,
  { patienceMs, startMs = patienceMs, beside = null, sendBinary, sendRaw, endInput }: WatchOptions,
): Connection {
  const began = performance.now();
  const log: LoggedMessage[] = [];
  const watchers = new Set<() => void>();
  let ended: string | null = null;
  /** The program's output on stderr. */
  let cries = '';

  function wake(): void {
    for (const watcher of [...watchers]) watcher();
  }
  function logReceived(text: string, json?: unknown): void {
    log.push({ at: performance.now() - began, by: 'peer', text, ...(json === undefined ? {} : { json }) });
    wake();
  }
  function logSent(text: string): void {
    log.push({ at: performance.now() - began, by: 'us', text });
  }

  channel.open({
    frame(frame) {
      try {
        logReceived(frame.text, frame.json);
      } catch {
        logReceived(Buffer.from(frame.bytes).toString('utf8'));
      }
    },
    fault({ message }) {
      log.push({ at: performance.now() - began, by: 'peer', text: message, isFault: true });
      wake();
    },
    end({ reason, detail }) {
      ended = reason;
      if (detail !== undefined) cries = `; it said:\n  ${detail.replaceAll('\n', '\n  ')}`;
      wake();
    },
  });

  if (beside !== null) createInterface({ input: beside }).on('line', (line) => logReceived(line));

  const isSilent = () => ended === null && !log.some(({ by }) => by === 'peer');
  const lateIn = (label: string, ms: number) => () => new PeerWrong(`no ${label} within ${ms} ms${lastWords(log)}`);

  async function until<Value>(label: string, look: () => Value | undefined): Promise<Value> {
    // A program that has said nothing may still be starting.
    if (startMs > patienceMs && isSilent()) {
      const isBegun = () => (isSilent() && look() === undefined ? undefined : true);
      await firstFound(watchers, isBegun, startMs, lateIn(label, startMs));
    }
    return patiently(label, look);
  }

  function patiently<Value>(label: string, look: () => Value | undefined): Promise<Value> {
    let [lookedAt, waited] = [performance.now(), 0];
    const late = lateIn(label, patienceMs);
    function over(reason: string): Error {
      const isUnreached = unreached.test(reason) && !log.some(({ by }) => by === 'peer');
      if (isUnreached) return new CannotTell(`it cannot be reached: ${reason}${cries}`);
      const words = `no ${label} before the connection ended (${reason})${lastWords(log)}${cries}`;
      return sendFault.test(reason) ? new CannotTell(words) : new PeerWrong(words);
    }
    function lookInTime(): Value | undefined {
      const value = look();
      if (value !== undefined) return value;
      if (ended !== null) throw over(ended);
      // A peer that sends without pause keeps the timer from firing, so the patience is counted here too.
      const now = performance.now();
      waited += Math.min(now - lookedAt, sliceOf(patienceMs));
      lookedAt = now;
      if (waited > patienceMs) throw late();
      return undefined;
    }
    return firstFound(watchers, lookInTime, patienceMs, late);
  }

  return {
    label: channel.label,
    log,
    get ended() {
      return ended;
    },
    send(text) {
      logSent(text);
      channel.send(text);
    },
    ...(sendBinary === undefined
      ? {}
      : {
          sendBinary(text: string) {
            logSent(`(binary) ${text}`);
            sendBinary(text);
          },
        }),
    ...(sendRaw === undefined
      ? {}
      : {
          sendRaw(text: string) {
            logSent(text);
            sendRaw(text);
          },
        }),
    ...(endInput === undefined ? {} : { endInput }),
    until,
    async close() {
      channel.close('normal', 'the check is over');
      await until('end of the connection', () => ended ?? undefined);
    },
  };
}

function lastWords(log: readonly LoggedMessage[]): string {
  if (log.length === 0) return '; nothing was said';
  const last = log.slice(-quoted).map(({ by, text }) => `\n  ${by}: ${text.slice(0, 300)}`);
  return `; the last that was said:${last.join('')}`;
}
