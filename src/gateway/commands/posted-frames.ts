// Takes the frames of posts in portions (docs/limits.md 6.7), each until too many of its frames are refused.
import type { Out } from '../../core/contract/channel.ts';
import type { PostedFrame, PostResult } from '../../core/contract/gateway/gateway-api.ts';
import type { PacedTask, PacedWork, WorkQueue } from '../../core/contract/paced-work.ts';
import type { PostLink } from '../../core/link/post-link.ts';
import { bytesOf, createFrame } from '../../transports/framing/frame.ts';

/** Refused frames after which the rest of a post is not taken (docs/limits.md 5.5). */
export const mostRefusals = 16;

/** Frames are taken together up to so many and so many bytes. */
const portion = { frames: 8, bytes: 16 * 1024 };

type Link = Pick<PostLink, 'frame' | 'fault'>;

/** One post that is being taken. */
interface Post {
  readonly frames: readonly PostedFrame[];
  readonly errors: Out[];
  taken: number;
  refused: number;
  settle(result: PostResult): void;
  fail(thrown: unknown): void;
}

/** The posts to one link, one after the other. A class: each stream that clients post to has one. */
class PostQueue implements PacedTask {
  readonly #link: Link;
  readonly #work: WorkQueue;
  #posts: readonly Post[] = [];

  constructor(link: Link, work: WorkQueue) {
    this.#link = link;
    this.#work = work;
  }

  take(frames: readonly PostedFrame[]): Promise<PostResult> {
    return new Promise((settle, fail) => {
      this.#posts = [...this.#posts, { frames, errors: [], taken: 0, refused: 0, settle, fail }];
      this.#work.run(this);
    });
  }

  step(): number | null {
    const [post] = this.#posts;
    if (post === undefined) return null;
    let bytes = 0;
    try {
      for (let count = 0; count < portion.frames && bytes < portion.bytes; count += 1) {
        if (isOver(post)) break;
        bytes += this.#takeNext(post);
      }
    } catch (thrown) {
      post.fail(thrown);
      return this.#leave(post, bytes);
    }
    if (!isOver(post)) return bytes;
    post.settle(post.errors.length === 0 ? { ok: true } : { ok: false, frames: post.errors.map(textOf) });
    return this.#leave(post, bytes);
  }

  #leave(post: Post, bytes: number): number | null {
    this.#posts = this.#posts.filter((other) => other !== post);
    return this.#posts.length === 0 ? null : bytes;
  }

  /** Takes one frame and returns its bytes. A post that ends early says so in the client's own protocol. */
  #takeNext(post: Post): number {
    const { frames, taken } = post;
    if (post.refused === mostRefusals) {
      const message = `${mostRefusals} frames of this post were refused; the last ${frames.length - taken} were not taken`;
      post.errors.push(...this.#link.fault({ code: 'bad-frame', message }));
      post.taken = frames.length;
      return 0;
    }
    const frame = frames[taken];
    post.taken += 1;
    if (frame === undefined) return 0;
    const own = this.#link.frame(createFrame(frame.bytes), frame.id, frame.digest);
    if (own.length > 0) post.refused += 1;
    post.errors.push(...own);
    return frame.bytes.length;
  }
}

function isOver({ frames, taken }: Post): boolean {
  return taken >= frames.length;
}

/** Takes the frames of a post behind those of the posts before it. Rejects with what the link throws. */
export type TakePosted = (link: Link, frames: readonly PostedFrame[]) => Promise<PostResult>;

/** Creates the taker of all posts to one gateway. Each link has its own turn. */
export function createPosts(work: Pick<PacedWork, 'queue'>): TakePosted {
  const queues = new WeakMap<Link, PostQueue>();
  return (link, frames) => {
    const queue = queues.get(link) ?? new PostQueue(link, work.queue());
    queues.set(link, queue);
    return queue.take(frames);
  };
}

/** A frame as text. */
export function textOf(out: Out): string {
  return bytesOf(out).toString();
}
