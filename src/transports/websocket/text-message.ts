// A text message of a WebSocket server as bytes on the wire (RFC 6455 5.2): one header, not masked, not compressed. The
// same bytes serve every reader, where the ws library would build them for each.
import type { Out } from '../../core/contract/channel.ts';
import { bytesOf } from '../framing/frame.ts';
import { lineBytes } from '../framing/jsonl.ts';
import { oneLineText } from '../framing/one-line.ts';
import { createSharedBytes } from '../shared-bytes.ts';

/** The last fragment of a text message. */
const finalText = 0x81;
const LF = 0x0a;

/** Encodes a frame in one way. `isShared`: the message is kept for a moment, for others who are sent the same frame. */
type Encode = (out: Out, isShared: boolean) => Buffer;

function encoder(encode: (out: Out) => Buffer): Encode {
  const shared = createSharedBytes<Out, Buffer>();
  return (out, isShared) => (isShared ? shared.get(out, () => encode(out)) : encode(out));
}

/** A message that is the frame. */
export const textMessage: Encode = encoder((out) =>
  typeof out === 'string' ? messageOf(out, '') : withHeader(bytesOf(out)),
);
/** A message that ends in LF. */
export const lineMessage: Encode = encoder((out) =>
  typeof out === 'string' ? messageOf(oneLineText(out), '\n') : withHeader(lineBytes(out)),
);

/** Encodes the text where it stays, with an LF behind it or without. */
function messageOf(text: string, lineEnd: '' | '\n'): Buffer {
  const length = Buffer.byteLength(text) + lineEnd.length;
  const message = Buffer.allocUnsafe(headBytesOf(length) + length);
  message.write(text, writeHead(message, 0, length));
  if (lineEnd !== '') message[message.length - 1] = LF;
  return message;
}

function withHeader(payload: Buffer): Buffer {
  const { length } = payload;
  const message = Buffer.allocUnsafe(headBytesOf(length) + length);
  message.set(payload, writeHead(message, 0, length));
  return message;
}

/** Bytes of the header of a message with a payload of that length. */
export function headBytesOf(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

/** Writes the header of a message. Returns the offset behind it. */
export function writeHead(bytes: Buffer, at: number, length: number): number {
  bytes[at] = finalText;
  if (length < 126) return bytes.writeUInt8(length, at + 1);
  if (length < 65_536) {
    bytes[at + 1] = 126;
    return bytes.writeUInt16BE(length, at + 2);
  }
  bytes[at + 1] = 127;
  return bytes.writeBigUInt64BE(BigInt(length), at + 2);
}
