// What the gateway says about itself, on stderr: stdout belongs to the protocol. Never a wire body.

/** How much is said. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Says something; `fields` are plain values, strings are escaped by JSON (docs/threats.md T18). */
export type Log = (level: LogLevel, text: string, fields?: Readonly<Record<string, string | number>>) => void;

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** What is written down once. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** A log that writes entries of at least that level; `format` gives each as it is written, default one JSON line. */
export function createLog(least: LogLevel, write: (line: string) => void, format = asJson): Log {
  return (level, text, fields = {}) => {
    if (order.indexOf(level) < order.indexOf(least)) return;
    write(format({ level, text: text.slice(0, 500), fields }));
  };
}

function asJson({ level, text, fields }: LogEntry): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, text, ...fields })}\n`;
}
