// A text message of a WebSocket server as bytes on the wire (RFC 6455 5.2): one header, not masked, not compressed. The
// same bytes serve every reader, where the ws library would build them for each.
import type { Out } from '../core/contract/channel.ts';
import { bytesOf } from './framing/frame.ts';
import { lineBytes } from './framing/jsonl.ts';
import { createSharedBytes } from './shared-bytes.ts';

/** The last fragment of a text message. */
const finalText = 0x81;

/** Encodings of one way to write a message. */
type Encode = (out: Out) => Buffer;

function encoder(payloadOf: (out: Out) => Buffer): Encode {
  const shared = createSharedBytes<Out, Buffer>();
  return (out) => shared.get(out, () => withHeader(payloadOf(out)));
}

/** A message that is the frame. */
export const textMessage: Encode = encoder(bytesOf);
/** A message that ends in LF. */
export const lineMessage: Encode = encoder(lineBytes);

function withHeader(payload: Buffer): Buffer {
  const { length } = payload;
  const message = Buffer.allocUnsafe(headBytesOf(length) + length);
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  message.set(payload, writeHead(view, 0, length));
  return message;
}

/** Bytes of the header of a message with a payload of that length. */
export function headBytesOf(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

/** Writes the header of a message. Returns the offset behind it. */
export function writeHead(view: DataView, at: number, length: number): number {
  const headBytes = headBytesOf(length);
  view.setUint8(at, finalText);
  if (headBytes === 2) view.setUint8(at + 1, length);
  else if (headBytes === 4) {
    view.setUint8(at + 1, 126);
    view.setUint16(at + 2, length);
  } else {
    view.setUint8(at + 1, 127);
    view.setBigUint64(at + 2, BigInt(length));
  }
  return at + headBytes;
}
