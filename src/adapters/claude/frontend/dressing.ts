// What one connection makes of the frames on their way to it: all clients of a dialect share what the session says, and
// this is what only one of them has to do with it. Knows frames by their first characters and never parses one.
import type { Frames } from '../../../core/contract/adapter.ts';
import type { Out } from '../../../core/contract/channel.ts';
import { cancelFrame } from './notices.ts';

/** The dress of one connection. Marks are frames that it sends to itself: they never go out. */
export interface Dressing {
  /** See Frontend. */
  dress(out: Out): Out | Frames | null;
  /**
   * A mark: what is told from there on belongs to that query, up to and with its result (docs/protocols/rpc-message.md 8.4, 8.6). Its
   * prompt is this client's.
   */
  query(id: string): Out;
  /** A mark: the next prompt that is echoed is this client's, who called it so (docs/protocols/claude.md 3.3). */
  echo(uuid: string): Out;
  /** A mark: the next prompt that is told is this client's, who does not hear it (docs/protocols/claude.md 3.3). */
  ownPrompt(): Out;
  /** An answer to this client, which belongs to no query whatever is going on. */
  own(text: string): Out;
  /** This client has answered that request: when it is over, all others are told. */
  answered(requestId: string): void;
  /** Its answer did not count. */
  unanswered(requestId: string): void;
  /** A frame that has its place behind the next `init`. */
  afterInit(text: string): void;
}

/** How frames begin: every projection writes the type first, and what stands here right behind it. */
const heads = {
  result: '{"type":"result"',
  cancel: '{"type":"control_cancel_request"',
  replay: '{"type":"user","isReplay":true',
  prompt: '{"type":"user","origin":{"kind":"human"}',
  /** Said into an open run: that is no prompt of this client, which waits for the run to end. */
  joining: '{"type":"user","origin":{"kind":"human"},"priority"',
  init: '{"type":"system","subtype":"init"',
} as const;

/** `"` and a uuid and `"}`: the end of each frame of the native dialect. */
const uuidEnd = 39;

/** Answers whose questions are not over yet: more than a session lets be open. */
const mostAnswered = 128;

/** A connection that nothing is special about. */
export function createDressing(): Dressing {
  /** Weak: where clients post, nobody asks for a dress, and marks are dropped. */
  const marks = new WeakMap<object, () => void>();
  const owned = new WeakSet<object>();
  /** The queries whose frames these are; more than one when the agent took a prompt into the open run. */
  let queries: readonly { readonly head: string; readonly end: string }[] = [];
  /** The frames that tell that a request is over which this client has answered. */
  const cancels = new Set<string>();
  let echo: string | null = null;
  let isOwnPrompt = false;
  let afterInit: readonly string[] = [];

  const isIdle = () =>
    queries.length === 0 && cancels.size === 0 && echo === null && !isOwnPrompt && afterInit.length === 0;

  function mark(then: () => void): Out {
    const out: string[] = [];
    marks.set(out, then);
    return out;
  }

  /** Spliced, for the frame may be long and there are many. */
  function wrapped(out: Out): Out {
    const [query] = queries;
    if (query === undefined) return out;
    return typeof out === 'string' ? `${query.head}${out}}` : [query.head, ...out, '}'];
  }

  function dressText(out: string): Out | Frames | null {
    if (cancels.size > 0 && out.startsWith(heads.cancel) && cancels.delete(out)) return null;
    if (isOwnPrompt && out.startsWith(heads.prompt) && !out.startsWith(heads.joining)) {
      isOwnPrompt = false;
      return null;
    }
    if (echo !== null && out.startsWith(heads.replay)) {
      const named = `${out.slice(0, -uuidEnd)}${JSON.stringify(echo)}}`;
      echo = null;
      return wrapped(named);
    }
    if (afterInit.length > 0 && out.startsWith(heads.init)) {
      const frames = [out, ...afterInit];
      afterInit = [];
      return { frames };
    }
    if (!out.startsWith(heads.result)) return wrapped(out);
    echo = null;
    isOwnPrompt = false;
    const frames = [wrapped(out), ...queries.map(({ end }) => end)];
    queries = [];
    return frames.length === 1 ? out : { frames };
  }

  return {
    dress(out) {
      if (typeof out === 'string') return isIdle() ? out : dressText(out);
      const then = marks.get(out);
      if (then === undefined) return owned.has(out) ? out : wrapped(out);
      then();
      return null;
    },
    query(id) {
      const name = JSON.stringify(id);
      const query = { head: `{"id":${name},"type":"stream","data":`, end: `{"id":${name},"type":"complete"}` };
      return mark(() => {
        queries = [...queries, query];
        isOwnPrompt = true;
      });
    },
    echo: (uuid) =>
      mark(() => {
        echo = uuid;
      }),
    ownPrompt: () =>
      mark(() => {
        isOwnPrompt = true;
      }),
    own(text) {
      const out = [text];
      owned.add(out);
      return out;
    },
    answered(requestId) {
      const [oldest] = cancels;
      if (oldest !== undefined && cancels.size >= mostAnswered) cancels.delete(oldest);
      cancels.add(JSON.stringify(cancelFrame(requestId)));
    },
    unanswered(requestId) {
      cancels.delete(JSON.stringify(cancelFrame(requestId)));
    },
    afterInit(text) {
      afterInit = [...afterInit, text];
    },
  };
}
