// A client of server-sent events that only looks at the bytes.
import { type IncomingMessage, request } from 'node:http';

/** What comes over the stream. */
export interface EventsListener {
  open(response: IncomingMessage): void;
  /** Whole events, several at a time. */
  events(bytes: Buffer): void;
  closed(status: number | null): void;
}

const lf = 0x0a;

/** Connects. */
export function openEvents(address: string, token: string, listener: EventsListener): void {
  const headers = { authorization: `Bearer ${token}` };
  const opening = request(address, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) return listener.closed(response.statusCode ?? null);
    /** The beginning of an event that is not whole yet. */
    let parts: Buffer[] = [];
    response.on('data', (chunk: Buffer) => {
      const last = parts.at(-1);
      const isCut = last !== undefined && last.at(-1) === lf && chunk[0] === lf;
      const found = chunk.lastIndexOf('\n\n');
      const end = found === -1 ? (isCut ? 1 : 0) : found + 2;
      if (end === 0) return void parts.push(chunk);
      const whole = chunk.subarray(0, end);
      listener.events(parts.length === 0 ? whole : Buffer.concat([...parts, whole]));
      parts = end === chunk.length ? [] : [chunk.subarray(end)];
    });
    response.on('error', () => {});
    response.on('close', () => listener.closed(null));
    listener.open(response);
  });
  opening.on('error', () => listener.closed(null));
  opening.end();
}
