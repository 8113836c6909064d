// Takes the frames of one post, until too many of them are refused.
import type { Out } from '../../core/contract/channel.ts';
import type { PostedFrame, PostResult } from '../../core/contract/gateway-api.ts';
import type { PostLink } from '../../core/link/post-link.ts';
import { bytesOf, createFrame } from '../../transports/framing/frame.ts';

/** Refused frames after which the rest of a post is not taken (docs/limits.md 5.5). */
export const mostRefusals = 16;

/** Takes the frames in order. A post that ends early says so in the client's own protocol. */
export function takePosted(link: Pick<PostLink, 'frame' | 'fault'>, frames: readonly PostedFrame[]): PostResult {
  const errors: Out[] = [];
  let refused = 0;
  for (const [place, { bytes, id, digest }] of frames.entries()) {
    if (refused === mostRefusals) {
      const message = `${mostRefusals} frames of this post were refused; the last ${frames.length - place} were not taken`;
      errors.push(...link.fault({ code: 'bad-frame', message }));
      break;
    }
    const own = link.frame(createFrame(bytes), id, digest);
    if (own.length > 0) refused += 1;
    errors.push(...own);
  }
  return errors.length === 0 ? { ok: true } : { ok: false, frames: errors.map(textOf) };
}

/** A frame as text. */
export function textOf(out: Out): string {
  return bytesOf(out).toString();
}
