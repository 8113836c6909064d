// What the gateway says about itself, as JSON lines on stderr: stdout belongs to the protocol. Never a wire body.

/** How much is said. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Says something; `fields` are plain values, strings are escaped by JSON (threat T18). */
export type Log = (level: LogLevel, text: string, fields?: Readonly<Record<string, string | number>>) => void;

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** A log that writes lines of at least that level. */
export function createLog(least: LogLevel, write: (line: string) => void): Log {
  return (level, text, fields = {}) => {
    if (order.indexOf(level) < order.indexOf(least)) return;
    write(`${JSON.stringify({ time: new Date().toISOString(), level, text: text.slice(0, 500), ...fields })}\n`);
  };
}
