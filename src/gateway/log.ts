// The gateway's own log, on stderr because stdout belongs to the protocol. Never contains wire bodies.

/** Severity of a log entry, least severe first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes a log entry. `fields` are plain values; JSON escapes the strings (docs/threats.md T18). */
export type Log = (level: LogLevel, text: string, fields?: Readonly<Record<string, string | number>>) => void;

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** One entry of the log. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** A log of entries at or above a level. `format` turns an entry into text; default: one line of JSON. */
export function createLog(lowest: LogLevel, write: (line: string) => void, format = asJson): Log {
  return (level, text, fields = {}) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return;
    write(format({ level, text: text.slice(0, 500), fields }));
  };
}

function asJson({ level, text, fields }: LogEntry): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, text, ...fields })}\n`;
}
