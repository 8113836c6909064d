// The log of our programs on stderr: sentences on a terminal, JSON lines elsewhere.
import { createLog, type Log, type LogEntry, type LogLevel } from '../gateway/log.ts';
import { printable } from '../transports/printable.ts';

/** A log that writes entries of at least the level `least`. */
export function stderrLog(least: LogLevel): Log {
  const write = (text: string) => void process.stderr.write(text);
  return process.stderr.isTTY ? createLog(least, write, asSentence) : createLog(least, write);
}

/** Formats `patchbay: error: the agent is gone; agent: pi; reason: …`. Control characters are escaped. */
export function asSentence({ level, text, fields }: LogEntry): string {
  const parts = [text, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`)];
  return `patchbay: ${level}: ${printable(parts.join('; '))}\n`;
}
