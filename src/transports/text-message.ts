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
  const shared = createSharedBytes<Out>();
  return (out) => shared.get(out, () => withHeader(payloadOf(out)));
}

/** A message that is the frame. */
export const textMessage: Encode = encoder(bytesOf);
/** A message that ends in LF. */
export const lineMessage: Encode = encoder(lineBytes);

function withHeader(payload: Buffer): Buffer {
  const { length } = payload;
  const headBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const message = Buffer.allocUnsafe(headBytes + length);
  message[0] = finalText;
  if (headBytes === 2) message[1] = length;
  else if (headBytes === 4) {
    message[1] = 126;
    message.writeUInt16BE(length, 2);
  } else {
    message[1] = 127;
    message.writeBigUInt64BE(BigInt(length), 2);
  }
  message.set(payload, headBytes);
  return message;
}
