// The client's own name for something that it posts, under which that counts once (docs/faults.md F27).
import { createHash } from 'node:crypto';
import type { PostedFrame } from '../../core/contract/gateway/gateway-api.ts';
import { GatewayError } from '../../core/model/errors.ts';

/** Longest name, characters. */
const longestKey = 256;

/** The name, if it may be one. `what`: how the client gave it. Throws a GatewayError `invalid`. */
export function checkedKey(key: string, what: string): string {
  if (key.length <= longestKey && /^[\x21-\x7e]+$/u.test(key)) return key;
  throw new GatewayError('invalid', `${what} must be 1 to ${longestKey} printable characters`);
}

/** The frame under an id of that name and its place in the post. A frame that has an id keeps it. */
export function named(frame: PostedFrame, key: string, place: number): PostedFrame {
  return frame.id === undefined ? { ...frame, id: `${key} ${place}`, digest: digestOf(frame.bytes) } : frame;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
