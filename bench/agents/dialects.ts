// Clients of one session in two dialects and over both transports, which only look at the bytes.
import type { IncomingMessage } from 'node:http';
import { openEvents } from './event-stream.ts';
import { openRawSocket, type RawSocket } from './raw-socket.ts';

/** The end of a run, in the frames of each dialect. */
const dialects = [
  { route: 'claude', query: '', end: Buffer.from('{"type":"result"') },
  { route: 'pi', query: 'dialect=delta-only', end: Buffer.from('{"type":"agent_settled"') },
] as const;

/** What the client hears. */
export interface Hearing {
  open(way: RawSocket | IncomingMessage): void;
  /** One or more frames. */
  heard(bytes: Buffer): void;
  /** A run has ended. */
  ended(): void;
  /** The gateway's own event, as it stands on the wire. */
  gateway(text: string): void;
  closed(code: number | null, reason: string): void;
}

/** Every fourth client in a row speaks the same dialect over the same transport. */
export function openClient(place: number, url: string, token: string, session: string, hearing: Hearing): void {
  const { route, query, end } = dialects[place % 2 === 0 ? 0 : 1];
  if (place % 4 < 2) {
    openRawSocket(`${url}/v1/${route}/ws?session=${session}&${query}`, `bearer.${token}`, {
      open: hearing.open,
      message(bytes, start, stop) {
        const frame = bytes.subarray(start, stop);
        hearing.heard(frame);
        if (frame.subarray(0, end.length).equals(end)) hearing.ended();
      },
      closed: hearing.closed,
    });
    return;
  }
  openEvents(`${url}/v1/${route}/sessions/${session}/events?${query}`, token, {
    open: hearing.open,
    events(bytes) {
      hearing.heard(bytes);
      for (let at = bytes.indexOf(end); at !== -1; at = bytes.indexOf(end, at + 1)) hearing.ended();
      const event = bytes.indexOf('event: gateway');
      if (event !== -1) hearing.gateway(bytes.toString('utf8', event, bytes.indexOf('\n\n', event)));
    },
    closed: (status) => hearing.closed(status, ''),
  });
}
