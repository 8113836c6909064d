// How many frames may come in one piece: a post or message of millions of them would keep everybody else waiting
// (docs/limits.md 5.5).
import { GatewayError } from '../../core/model/errors.ts';

/** Most frames in one post or in one WebSocket message, blank lines counted too. */
export const mostFrames = 1024;

const LF = 0x0a;

/** The refusal of too many frames, before the first of them is taken. */
export function tooManyFrames(what: 'post' | 'message'): GatewayError {
  return new GatewayError('too-large', `a ${what} of more than ${mostFrames} frames, which was discarded`);
}

/** Whether the bytes hold more than {@link mostFrames} lines. Looks no further than the first line too many. */
export function hasTooManyLines(bytes: Uint8Array): boolean {
  let ended = 0;
  // The last LF of all ends a line and begins none.
  for (let at = bytes.indexOf(LF); at !== -1 && at < bytes.length - 1; at = bytes.indexOf(LF, at + 1)) {
    ended += 1;
    if (ended >= mostFrames) return true;
  }
  return false;
}
