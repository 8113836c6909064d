// Finds out that a WebSocket peer is gone although its connection stands. Knows no protocol.
import type { WebSocket } from 'ws';

/** Both in ms. */
export interface HeartbeatOptions {
  /** How often we ask; default 20,000. */
  readonly pingMs?: number;
  /** How long nothing may come back; default 50,000. */
  readonly silenceMs?: number;
}

/**
 * Pings an open socket and calls `lost` once when nothing was heard for `silenceMs`. `isReading` says whether we
 * would hear anything at all. Returns the function that stops it.
 */
export function startHeartbeat(
  socket: WebSocket,
  { pingMs = 20_000, silenceMs = 50_000 }: HeartbeatOptions,
  isReading: () => boolean,
  lost: () => void,
): () => void {
  const ping = setInterval(() => socket.ping(), pingMs);
  let silence = arm();

  function arm(): NodeJS.Timeout {
    // The timer fires before a blocked event loop gets to read, so one more round of reading comes first (fault F30).
    return setTimeout(() => {
      const late = silence;
      setImmediate(() => {
        if (silence !== late) return;
        if (isReading()) lost();
        else silence = arm();
      });
    }, silenceMs);
  }

  function heard(): void {
    clearTimeout(silence);
    silence = arm();
  }

  function stop(): void {
    clearInterval(ping);
    clearTimeout(silence);
    socket.off('pong', heard).off('ping', heard).off('message', heard);
  }

  socket.on('pong', heard).on('ping', heard).on('message', heard);
  return stop;
}
