// A WebSocket client that only looks at the bytes: thousands of readers of one process must not be what is measured.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';

/** What comes over the socket. */
export interface RawListener {
  open(socket: RawSocket): void;
  /** One text message: the bytes from `start` to before `end`. */
  message(bytes: Buffer, start: number, end: number): void;
  /** Once: the code and reason of the close frame; null when the connection went without one. */
  closed(code: number | null, reason: string): void;
}

/** An open WebSocket. Messages are cut nowhere: each is one frame. */
export interface RawSocket {
  send(text: string): void;
  /** Stops and starts reading. */
  pause(): void;
  resume(): void;
  destroy(): void;
}

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 };

/** Connects. Pings are answered, also those that arrive between messages. */
export function openRawSocket(address: string, protocol: string, listener: RawListener): void {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': protocol,
  };
  const opening = request(address, { headers, agent: false });
  opening.on('upgrade', (_response, socket, head) => {
    socket.setNoDelay(true);
    listen(socket, head, listener);
    listener.open({
      send: (text) => socket.write(frameOf(opcodes.text, Buffer.from(text))),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      destroy: () => void socket.destroy(),
    });
  });
  opening.on('response', (response) => listener.closed(response.statusCode ?? null, 'refused'));
  opening.on('error', (error) => listener.closed(null, error.message));
  opening.end();
}

/** A client's frame, masked with zeros. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 6 : 8);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : 126);
  if (length >= 126) head.writeUInt16BE(length, 2);
  return Buffer.concat([head, payload]);
}

function listen(socket: Socket, head: Buffer, listener: RawListener): void {
  /** The beginning of a message that is not whole yet. */
  let parts: Buffer[] = [];
  let length = 0;
  /** Bytes that are needed before it is worth another look. */
  let needed = 2;
  let isClosed = false;

  function close(code: number | null, reason: string): void {
    if (isClosed) return;
    isClosed = true;
    listener.closed(code, reason);
  }

  function take(chunk: Buffer): void {
    parts.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts, length);
    let at = 0;
    for (;;) {
      const frame = frameAt(bytes, at);
      needed = frame.end - at;
      if (frame.end > bytes.length) break;
      at = frame.end;
      pass(bytes, frame);
    }
    parts = [bytes.subarray(at)];
    length = bytes.length - at;
  }

  function pass(bytes: Buffer, { opcode, start, end }: Frame): void {
    if (opcode === opcodes.text) listener.message(bytes, start, end);
    else if (opcode === opcodes.ping) socket.write(frameOf(opcodes.pong, bytes.subarray(start, end)));
    else if (opcode === opcodes.close) close(bytes.readUInt16BE(start), bytes.toString('utf8', start + 2, end));
  }

  socket.on('data', take);
  socket.on('error', () => {});
  socket.on('close', () => close(null, ''));
  if (head.length > 0) take(head);
}

/** A message within bytes. `end` is behind the bytes while its header or its payload is not whole. */
interface Frame {
  readonly opcode: number;
  readonly start: number;
  readonly end: number;
}

function frameAt(bytes: Buffer, at: number): Frame {
  const opcode = (bytes[at] ?? 0) & 0x0f;
  if (at + 2 > bytes.length) return { opcode, start: at, end: at + 2 };
  const short = (bytes[at + 1] ?? 0) & 0x7f;
  const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
  if (start > bytes.length) return { opcode, start, end: start };
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  return { opcode, start, end: start + length };
}
