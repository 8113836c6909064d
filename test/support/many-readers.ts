// A client that reads many sessions over one WebSocket that resumes, is cut again and again, and comes back with a cursor for each
// (docs/protocols/resume.md 3.4).
import { WebSocket } from 'ws';
import type { Heard, Place } from './resuming-readers.ts';

/** What is known of each session, by its id. */
export type BySession<Value> = ReadonlyMap<string, Value>;

const named = /^\{"session":"([^"]*)","cursor":"([^"]*)","frame":(.*)\}$/su;

/** More may have come in the same piece. */
function upTo(heard: readonly Heard[], last: string | undefined): readonly Heard[] {
  const at = heard.findIndex(({ cursor }) => cursor === last);
  return at === -1 ? heard : heard.slice(0, at + 1);
}

export interface ManyReader {
  /** Resolves once the first connection is open, or over. */
  readonly opened: Promise<void>;
  /**
   * Resolves with what it began with and all that came, once each session has its last cursor, or once the first connection is over
   * if it may not return. Fails at any message but a frame.
   */
  until(last: BySession<string>): Promise<BySession<readonly Heard[]>>;
}

/** `from`: what it knows of each session, with a cursor at the end. `mayReturn`: it comes back when it is cut. */
export function readSessions(
  { port, token, frontend, options }: Omit<Place, 'session'>,
  from: BySession<readonly Heard[]>,
  mayReturn = true,
): ManyReader {
  const all = new Map([...from].map(([session, heard]) => [session, [...heard]]));
  let goal: BySession<string> | undefined;
  let socket: WebSocket | undefined;
  let fault: Error | undefined;
  const places = new Set([...all].flatMap(([session, heard]) => heard.map(({ cursor }) => `${session} ${cursor}`)));
  const isThere = () => goal !== undefined && [...goal].every(([session, last]) => places.has(`${session} ${last}`));

  function take(message: string): void {
    const [, session = '', cursor = '', frame = ''] = named.exec(message) ?? [];
    const heard = all.get(session);
    if (heard === undefined) fault ??= new Error(`no frame of an attached session: ${message.slice(0, 500)}`);
    else heard.push({ cursor, frame });
    places.add(`${session} ${cursor}`);
    if (fault !== undefined || isThere()) socket?.terminate();
  }

  function connect(): { readonly opened: Promise<void>; readonly over: Promise<void> } {
    const url = `ws://127.0.0.1:${port}/v1/${frontend}/ws?${options}`;
    const line = new WebSocket(url, [`${frontend}.v1+resume`], { headers: { authorization: `Bearer ${token}` } });
    socket = line;
    line.on('error', () => {});
    line.on('message', (data) => take(String(data)));
    line.on('open', () => {
      for (const [session, heard] of all)
        line.send(JSON.stringify({ type: 'attach', session, cursor: heard.at(-1)?.cursor }));
    });
    const over = new Promise<void>((resolve) => line.on('close', () => resolve()));
    return { opened: Promise.race([over, new Promise<void>((resolve) => line.on('open', () => resolve()))]), over };
  }

  const first = connect();
  async function read(): Promise<BySession<readonly Heard[]>> {
    await first.over;
    while (mayReturn && fault === undefined && !isThere()) await connect().over;
    if (fault !== undefined) throw fault;
    return new Map([...all].map(([session, heard]) => [session, upTo(heard, goal?.get(session))]));
  }
  const reading = read();
  // Whoever waits for the end hears of a fault.
  reading.catch(() => {});
  return {
    opened: first.opened,
    until(last) {
      goal = last;
      if (isThere()) socket?.terminate();
      return reading;
    },
  };
}
