// The log of our programs on stderr: sentences on a terminal, JSON lines elsewhere.
import type { Writable } from 'node:stream';
import { createLog, type Log, type LogEntry, type LogLevel } from '../gateway/log.ts';
import { printable } from '../transports/printable.ts';

/** Bytes of the log that may wait for a reader; further lines are lost (docs/limits.md 5.1). */
export const mostUnreadBytes = 1024 * 1024;

/** A log that writes entries of at least the level `least`. `lost`: called for each line that is lost. */
export function stderrLog(least: LogLevel, lost?: () => void): Log {
  // The reader of the log may go away before the gateway does (docs/threats.md T29).
  process.stderr.on('error', () => {});
  return logTo(process.stderr, least, { format: process.stderr.isTTY ? asSentence : undefined, lost });
}

/** How a log is written, and who learns what is not. */
export interface LogOptions {
  /** Default: one line of JSON. */
  readonly format?: ((entry: LogEntry) => string) | undefined;
  readonly lost?: (() => void) | undefined;
}

/** A log on a stream. When the stream is read again, one line says how many lines were lost. */
export function logTo(
  stream: Pick<Writable, 'write' | 'writableLength'>,
  least: LogLevel,
  { format, lost }: LogOptions = {},
): Log {
  let lines = 0;
  const log = createLog(
    least,
    (line) => {
      if (stream.writableLength >= mostUnreadBytes) {
        lines += 1;
        lost?.();
        return;
      }
      const count = lines;
      lines = 0;
      if (count > 0) log('error', `${count} lines of this log were lost, because nobody read it`);
      stream.write(line);
    },
    format,
  );
  return log;
}

/** Formats `patchbay: error: the agent is gone; agent: pi; reason: …`. Control characters are escaped. */
export function asSentence({ level, text, fields }: LogEntry): string {
  const parts = [text, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`)];
  return `patchbay: ${level}: ${printable(parts.join('; '))}\n`;
}
