// Readers of a session that come back with their cursor, over a WebSocket and over server-sent events. They keep the
// bytes of each frame.
import { get } from 'node:http';
import { connect as dial, type Socket } from 'node:net';
import { createParser } from 'eventsource-parser';
import { WebSocket } from 'ws';

/** What a reader has heard, in order: a frame as its bytes, or a message of the gateway in the place of the frame. */
export interface Heard {
  /** Null for what has no place to resume at. */
  readonly cursor: string | null;
  readonly frame: string;
}

/** Where to read. `options`: of the protocol, as a query. */
export interface Place {
  readonly port: number;
  readonly token: string;
  readonly frontend: string;
  readonly session: string;
  readonly options: string;
}

/** A connection that is open. */
export interface Connection {
  /** Resolves once the gateway has agreed to the connection, or the connection is over. */
  readonly opened: Promise<void>;
  /** Resolves when it is over, with all that it brought. */
  readonly over: Promise<readonly Heard[]>;
  end(): void;
}

/** Opens a connection behind that cursor. `onHeard` is called with each frame. `tap`: changes the socket before it is used. */
export type Connect = (
  place: Place,
  cursor: string | null,
  onHeard: (heard: Heard) => void,
  tap?: (socket: Socket) => void,
) => Connection;

/** What arrives at that socket arrives byte by byte. */
export function byBytes(socket: Socket): void {
  const emit: (name: string | symbol, ...values: unknown[]) => boolean = socket.emit.bind(socket);
  socket.emit = (name: string | symbol, ...values: unknown[]) => {
    const [chunk] = values;
    if (name !== 'data' || !Buffer.isBuffer(chunk)) return emit(name, ...values);
    for (let at = 0; at < chunk.length; at += 1) emit('data', chunk.subarray(at, at + 1));
    return true;
  };
}

const envelope = /^\{(?:"session":"[^"]*",)?"cursor":(?:null|"([^"]*)"),"frame":(.*)\}$/su;

/** The frame in a message, or the message. */
export function unwrapped(message: string): Heard {
  const [, cursor = null, frame = message] = envelope.exec(message) ?? [];
  return { cursor, frame };
}

const either = (opened: Promise<void>, over: Promise<unknown>) => Promise.race([opened, over.then(() => {})]);

/** Over a WebSocket. `say` sends a frame as soon as the session is attached. */
export function connectResumable(
  { port, token, frontend, session, options }: Place,
  cursor: string | null,
  onHeard: (heard: Heard) => void,
  tap: (socket: Socket) => void = () => {},
): Connection & { say(frame: string): void } {
  const url = `ws://127.0.0.1:${port}/v1/${frontend}/ws?${options}`;
  const headers = { authorization: `Bearer ${token}` };
  const createConnection = () => {
    const line = dial(port, '127.0.0.1');
    tap(line);
    return line;
  };
  const socket = new WebSocket(url, [`${frontend}.v1+resume`], { headers, createConnection });
  const all: Heard[] = [];
  socket.on('error', () => {});
  const opened = new Promise<void>((resolve) => socket.on('open', resolve));
  const say = (message: string) => void opened.then(() => socket.send(message));
  say(JSON.stringify({ type: 'attach', session, cursor }));
  socket.on('message', (data) => {
    const heard = unwrapped(String(data));
    all.push(heard);
    onHeard(heard);
  });
  const over = new Promise<readonly Heard[]>((resolve) => socket.on('close', () => resolve(all)));
  return { opened: either(opened, over), over, say, end: () => socket.terminate() };
}

/** Over server-sent events, in which line separators are escaped: some readers take them for the end of a line. */
export const connectEvents: Connect = ({ port, token, frontend, session, options }, cursor, onHeard, tap) => {
  const path = `/v1/${frontend}/sessions/${session}/events?${options}`;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(cursor === null ? {} : { 'last-event-id': cursor }),
  };
  const all: Heard[] = [];
  const parser = createParser({
    onEvent({ id = null, data }) {
      const frame = data.replaceAll('\\u2028', '\u2028').replaceAll('\\u2029', '\u2029');
      const heard = { cursor: id, frame };
      all.push(heard);
      onHeard(heard);
    },
  });
  let agree = () => {};
  const opened = new Promise<void>((resolve) => {
    agree = resolve;
  });
  const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
    agree();
    response.setEncoding('utf8');
    response.on('data', (text: string) => parser.feed(text));
    response.on('error', () => {});
  });
  if (tap !== undefined) request.on('socket', tap);
  request.on('error', () => {});
  const over = new Promise<readonly Heard[]>((resolve) => request.on('close', () => resolve(all)));
  return { opened: either(opened, over), over, end: () => void request.destroy() };
};
