// Posts frames over HTTP, in order and in batches: the sending half of an SSE client.
import type { EventEnvelope } from '../../core/contract/adapter/event-envelope.ts';
import type { Out } from '../../core/contract/channel.ts';
import { messageOf } from '../../core/model/errors.ts';
import { bytesOf } from '../framing/frame.ts';
import { mostFrames } from '../framing/frame-count.ts';
import type { FrameSink } from '../framing/framing.ts';
import { encodeLine, jsonlDecoder } from '../framing/jsonl.ts';

/** Most bytes in one post, beside {@link mostFrames}. The server accepts 8 MiB. */
const batchBytes = 1024 * 1024;

/** Where to post. */
export interface PostTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly maxFrameBytes: number;
  /** How frames are wrapped. Absent: they are sent bare. */
  readonly envelope?: EventEnvelope | undefined;
}

/** Receives the results of posts. */
export interface PostListener extends FrameSink {
  drained(): void;
  /** A post failed with all its frames. It is never repeated, because the server may have processed it (docs/faults.md F27). */
  failed(reason: string): void;
}

/** A queue of frames to post. */
export interface FramePoster {
  send(out: Out): void;
  /** Starts posting. Frames are kept until then. */
  start(): void;
  /** Bytes that the server has not accepted yet. */
  readonly buffered: number;
  /** Calls back once every frame is posted, or at once if posting is impossible. */
  finish(done: () => void): void;
}

/** Sends one request at a time to keep the order. Frames that arrive meanwhile go into the next request. */
export function createFramePoster(target: PostTarget, listener: PostListener): FramePoster {
  let waiting: Buffer[] = [];
  let buffered = 0;
  let isStarted = false;
  let isPosting = false;
  let finished = () => {};

  function takeBatch(): readonly Buffer[] {
    let bytes = 0;
    const end = waiting.findIndex((frame, place) => {
      bytes += frame.length;
      return bytes > batchBytes || place === mostFrames;
    });
    // A frame larger than a batch is posted alone.
    const count = end === -1 ? waiting.length : Math.max(1, end);
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  }

  async function postAll(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      await postFrames(target, batch, listener);
      buffered -= batch.reduce((sum, frame) => sum + frame.length, 0);
    }
    listener.drained();
    finished();
  }

  function post(): void {
    if (!isStarted || isPosting || waiting.length === 0) return;
    isPosting = true;
    postAll()
      .catch((thrown: unknown) => listener.failed(`could not send: ${problemOf(thrown)}`))
      .finally(() => {
        isPosting = false;
        post();
      });
  }

  return {
    send(out) {
      const bytes = bytesOf(out);
      waiting.push(bytes);
      buffered += bytes.length;
      process.nextTick(post);
    },
    start() {
      isStarted = true;
      post();
    },
    get buffered() {
      return buffered;
    },
    finish(done) {
      finished = done;
      if (!isStarted || buffered === 0) done();
      else post();
    },
  };
}

async function postFrames(target: PostTarget, frames: readonly Buffer[], sink: FrameSink): Promise<void> {
  const { type, body } = bodyOf(frames, target.envelope);
  const response = await fetch(target.url, {
    method: 'POST',
    headers: { ...target.headers, 'content-type': type },
    body,
    // A redirect would leak the token.
    redirect: 'error',
    signal: target.signal,
  });
  const answer = new Uint8Array(await response.arrayBuffer());
  if (response.ok) return;
  // Errors in the protocol come as lines. Any other body is an error of the gateway.
  if (response.headers.get('content-type') !== 'application/x-ndjson') {
    throw new Error(`the server answered ${response.status}`);
  }
  const decoder = jsonlDecoder(sink, { maxFrameBytes: target.maxFrameBytes });
  decoder.push(answer);
  decoder.end();
}

function bodyOf(
  frames: readonly Buffer[],
  envelope: EventEnvelope | undefined,
): { type: string; body: string | Buffer } {
  if (envelope?.post !== undefined) {
    return { type: 'application/json', body: envelope.post(frames.map((frame) => frame.toString())) };
  }
  const [only] = frames;
  if (only !== undefined && frames.length === 1) return { type: 'application/json', body: only };
  return { type: 'application/x-ndjson', body: Buffer.concat(frames.map((frame) => bytesOf(encodeLine([frame])))) };
}

/** Describes a failed fetch. The TypeError only says `fetch failed`; its cause has the reason. */
export function problemOf(thrown: unknown): string {
  const error = thrown instanceof TypeError && thrown.cause !== undefined ? thrown.cause : thrown;
  // A failure on several addresses is an AggregateError without a message.
  return messageOf(error) || (error instanceof Error && 'code' in error ? String(error.code) : 'no connection');
}
