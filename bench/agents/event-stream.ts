// A client of server-sent events that only looks at the bytes.
import { type IncomingMessage, request } from 'node:http';

/** What comes over the stream. */
export interface EventsListener {
  open(response: IncomingMessage): void;
  /** Whole events, several at a time. */
  events(bytes: Buffer): void;
  closed(status: number | null): void;
}

/** Connects. */
export function openEvents(address: string, token: string, listener: EventsListener): void {
  const headers = { authorization: `Bearer ${token}` };
  const opening = request(address, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) return listener.closed(response.statusCode ?? null);
    let tail: Buffer = Buffer.alloc(0);
    response.on('data', (chunk: Buffer) => {
      const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
      const end = bytes.lastIndexOf('\n\n') + 2;
      // Without the end of an event the search has found -1.
      if (end < 2) tail = bytes;
      else {
        tail = bytes.subarray(end);
        listener.events(bytes.subarray(0, end));
      }
    });
    response.on('error', () => {});
    response.on('close', () => listener.closed(null));
    listener.open(response);
  });
  opening.on('error', () => listener.closed(null));
  opening.end();
}
