// The log of our programs on stderr: sentences for people at a terminal, JSON lines for all others.
import { createLog, type Log, type LogEntry, type LogLevel } from '../gateway/log.ts';
import { printable } from '../transports/printable.ts';

/** Writes entries of at least that level. */
export function stderrLog(least: LogLevel): Log {
  const write = (text: string) => void process.stderr.write(text);
  return process.stderr.isTTY ? createLog(least, write, asSentence) : createLog(least, write);
}

/** `patchbay: error: the agent is gone; agent: pi; reason: …`: a terminal obeys nothing that is in it. */
export function asSentence({ level, text, fields }: LogEntry): string {
  const parts = [text, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`)];
  return `patchbay: ${level}: ${printable(parts.join('; '))}\n`;
}
