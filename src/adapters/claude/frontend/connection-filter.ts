// Filters the frames on their way to one connection. All clients of a dialect share the frames of a session; this file
// makes the few changes that concern one client. Recognises frames by their first characters and never parses one.
import type { Frames } from '../../../core/contract/adapter/frontend.ts';
import type { Out } from '../../../core/contract/channel.ts';
import type { StretchPart } from '../../../core/contract/stretch.ts';
import { createStretchWrapper, type StretchWrapper } from '../../../core/fast-path/stretch-wrapper.ts';
import { NewestSet } from '../../../core/model/newest.ts';
import { cancelFrame } from './system-frames.ts';

/** The filter of one connection. Marks are frames that the connection sends to itself: they never leave the gateway. */
export interface ConnectionFilter {
  /** See Frontend. */
  mapOutgoing(out: Out): Out | Frames | null;
  mapStretch(part: StretchPart): StretchPart | null;
  /**
   * Returns a mark. The frames behind the mark belong to that query, up to and including its result
   * (docs/protocols/rpc-message.md 8.4, 8.6). The prompt of the query is this client's own.
   */
  query(id: string): Out;
  /** Queries of which the end has not been sent. */
  readonly openQueries: number;
  /**
   * Returns a mark. The next echoed prompt is this client's and gets the client's uuid (docs/protocols/claude.md 3.3).
   */
  echo(uuid: string): Out;
  /** Returns a mark. The next prompt is this client's own and is dropped (docs/protocols/claude.md 3.3). */
  ownPrompt(): Out;
  /** Returns the frame of an answer to this client. The answer belongs to no query. */
  own(text: string): Out;
  /** Must be called when this client has answered the request. Only the other clients get its cancel frame. */
  answered(requestId: string): void;
  /** Must be called when the client's answer was refused. */
  unanswered(requestId: string): void;
  /** Sends a frame after the next `init`. */
  afterInit(text: string): void;
}

/** The first bytes of frames: every projection writes the type first, and these fields right after it. */
const heads = {
  result: '{"type":"result"',
  cancel: '{"type":"control_cancel_request"',
  replay: '{"type":"user","isReplay":true',
  prompt: '{"type":"user","origin":{"kind":"human"}',
  /**
   * A prompt that joins the open run. It is not this client's own, because this client's prompt waits for the end of
   * the run.
   */
  joining: '{"type":"user","origin":{"kind":"human"},"priority"',
  init: '{"type":"system","subtype":"init"',
} as const;

/** The length of `"`, a uuid and `"}`: the end of each frame of the native dialect. */
const uuidEnd = 39;

/** The maximum number of remembered answers: more than a session's limit of open questions. */
const mostAnswered = 128;

/**
 * The actions that the marks of all connections cause. Weak, because the filter of a connection that posts is never
 * called: its marks are dropped.
 */
const actionsAfter = new WeakMap<object, () => void>();
/** The frames of all connections that belong to no query. */
const ownAnswers = new WeakSet<object>();

function mark(then: () => void): Out {
  const out: string[] = [];
  actionsAfter.set(out, then);
  return out;
}

/** An open query: the text in front of its frames, the frame at its end, and a wrapper of many frames, if there is one. */
interface Query {
  readonly head: string;
  readonly end: string;
  readonly wrapAll: StretchWrapper | null;
}

const nothing: readonly never[] = [];

/** A class, because each connection has a filter: closures and a getter in a literal would take 3 KB more for each. */
class FrameFilter implements ConnectionFilter {
  /** The open queries. There are several if the agent took a prompt into the open run. */
  #queries: readonly Query[] = nothing;
  /** The cancel frames of requests that this client has answered; null before the first. */
  #cancels: NewestSet<string> | null = null;
  #echo: string | null = null;
  #isOwnPrompt = false;
  #afterInit: readonly string[] = nothing;

  get openQueries(): number {
    return this.#queries.length;
  }

  /** Everything but a query looks for frames that are no deltas. */
  mapStretch(part: StretchPart): StretchPart | null {
    const [query] = this.#queries;
    return query === undefined ? part : (query.wrapAll?.(part) ?? null);
  }

  mapOutgoing(out: Out): Out | Frames | null {
    if (typeof out === 'string') return this.#isIdle() ? out : this.#mapText(out);
    const then = actionsAfter.get(out);
    if (then === undefined) return ownAnswers.has(out) ? out : this.#mapPieces(out);
    then();
    return null;
  }

  query(id: string): Out {
    const name = JSON.stringify(id);
    const head = `{"id":${name},"type":"stream","data":`;
    const query = { head, end: `{"id":${name},"type":"complete"}`, wrapAll: createStretchWrapper(head, '}') };
    return mark(() => {
      this.#queries = [...this.#queries, query];
      this.#isOwnPrompt = true;
    });
  }

  echo(uuid: string): Out {
    return mark(() => {
      this.#echo = uuid;
    });
  }

  ownPrompt(): Out {
    return mark(() => {
      this.#isOwnPrompt = true;
    });
  }

  own(text: string): Out {
    const out = [text];
    ownAnswers.add(out);
    return out;
  }

  answered(requestId: string): void {
    this.#cancels ??= new NewestSet(mostAnswered);
    this.#cancels.add(JSON.stringify(cancelFrame(requestId)));
  }

  unanswered(requestId: string): void {
    this.#cancels?.delete(JSON.stringify(cancelFrame(requestId)));
  }

  afterInit(text: string): void {
    this.#afterInit = [...this.#afterInit, text];
  }

  #isIdle(): boolean {
    const hasCancels = this.#cancels !== null && this.#cancels.size > 0;
    const isWaiting = this.#echo !== null || this.#isOwnPrompt || this.#afterInit.length > 0;
    return this.#queries.length === 0 && !hasCancels && !isWaiting;
  }

  /** Wraps by joining strings: frames may be long and many. */
  #wrapped(out: Out): Out {
    const [query] = this.#queries;
    if (query === undefined) return out;
    return typeof out === 'string' ? `${query.head}${out}}` : [query.head, ...out, '}'];
  }

  #mapText(out: string): Out | Frames | null {
    if (out.startsWith(heads.cancel) && this.#cancels?.delete(out) === true) return null;
    if (this.#isOwnPrompt && out.startsWith(heads.prompt) && !out.startsWith(heads.joining)) {
      this.#isOwnPrompt = false;
      return null;
    }
    if (this.#echo !== null && out.startsWith(heads.replay)) {
      const named = `${out.slice(0, -uuidEnd)}${JSON.stringify(this.#echo)}}`;
      this.#echo = null;
      return this.#wrapped(named);
    }
    if (this.#afterInit.length > 0 && out.startsWith(heads.init)) {
      const frames = [out, ...this.#afterInit];
      this.#afterInit = nothing;
      return { frames };
    }
    return out.startsWith(heads.result) ? this.#mapResult(out) : this.#wrapped(out);
  }

  /** Frames of deltas, and frames around a long text. */
  #mapPieces(out: readonly (string | Uint8Array)[]): Out | Frames {
    const [first] = out;
    return typeof first === 'string' && first.startsWith(heads.result) ? this.#mapResult(out) : this.#wrapped(out);
  }

  /** A result ends all queries. */
  #mapResult(out: Out): Out | Frames {
    this.#echo = null;
    this.#isOwnPrompt = false;
    const frames = [this.#wrapped(out), ...this.#queries.map(({ end }) => end)];
    this.#queries = nothing;
    return frames.length === 1 ? out : { frames };
  }
}

/** Creates a filter that passes every frame at first. */
export function createConnectionFilter(): ConnectionFilter {
  return new FrameFilter();
}
