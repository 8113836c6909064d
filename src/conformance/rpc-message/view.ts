// A trace of the rpc-message dialect, sorted once for all rules. Messages come bare or in the envelope of a query
// (docs/protocols/rpc-message.md 3, 8). Malformed messages are kept as they are.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import type { Trace } from '../check/rule.ts';
import { begunAt, readStream, type Stream, stepOf } from '../claude/view/stream.ts';
import { type Calls, readCalls } from '../claude/view/tool-calls.ts';

/** A message of the dialect. */
export interface StreamedMessage {
  readonly frame: number;
  readonly type: string;
  readonly json: Dictionary;
  /** Id of the request that it belongs to; undefined for a bare message. */
  readonly query: unknown;
}

/** An answer: a result or an error. */
export interface Reply {
  readonly frame: number;
  readonly json: Dictionary;
}

/** A request of the client with its answers. */
export interface Request {
  readonly frame: number;
  readonly json: Dictionary;
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
  readonly replies: Reply[];
  readonly streamed: StreamedMessage[];
  /** Frames of `complete`. */
  readonly completes: number[];
}

/** A trace of this dialect. */
export interface View {
  readonly trace: Trace;
  /** The trace holds `connect`, so no request is older than the trace. */
  readonly isFromStart: boolean;
  /** Lines of the agent that are neither message nor envelope. */
  readonly noise: readonly { readonly frame: number; readonly says: string }[];
  readonly messages: readonly StreamedMessage[];
  readonly requests: readonly Request[];
  /** Envelopes, `stream` and `complete`, as they came. */
  readonly envelopes: readonly Reply[];
  readonly replies: readonly Reply[];
  /** Envelopes and answers to no request. */
  readonly strays: readonly Reply[];
  readonly stream: Stream;
  readonly calls: Calls;
}

/** Reads a trace. */
export function readView(trace: Trace): View {
  const noise: { frame: number; says: string }[] = [];
  const messages: StreamedMessage[] = [];
  const envelopes: Reply[] = [];
  const replies: Reply[] = [];
  const strays: Reply[] = [];
  const requests: Request[] = [];

  function readAgent(json: Dictionary, frame: number): void {
    const request = requests.findLast(({ id }) => id === json.id);
    const { type } = json;
    if (type === 'stream' || type === 'complete') {
      envelopes.push({ frame, json });
      if (request === undefined) strays.push({ frame, json });
      if (type === 'complete') request?.completes.push(frame);
      else {
        const data = dictionaryOf(json.data);
        const message = { frame, type: String(data.type), json: data, query: json.id };
        messages.push(message);
        request?.streamed.push(message);
      }
    } else if (typeof type === 'string') messages.push({ frame, type, json, query: undefined });
    else if ('result' in json || 'error' in json) {
      replies.push({ frame, json });
      if (request === undefined) strays.push({ frame, json });
      else request.replies.push({ frame, json });
    } else noise.push({ frame, says: 'neither a message nor an answer' });
  }

  trace.frames.forEach(({ by, json, isFault, text }, frame) => {
    if (by === 'client') {
      if (!isDictionary(json) || typeof json.method !== 'string') return;
      const { id, method, params } = json;
      requests.push({ frame, json, id, method, params, replies: [], streamed: [], completes: [] });
    } else if (isFault !== true && isDictionary(json)) readAgent(json, frame);
    else noise.push({ frame, says: `${text.slice(0, 80)} is no message` });
  });
  const asked = new Set(requests.map(({ id }) => id));
  const begun = begunAt(messages, ({ query }) => query !== undefined && asked.has(query));
  return {
    trace,
    isFromStart: requests.some(({ method }) => method === 'connect'),
    noise,
    messages,
    requests,
    envelopes,
    replies,
    strays,
    stream: readStream(messages.flatMap(stepOf), begun),
    calls: readCalls(messages, begun),
  };
}

/** Requests that begin a turn. */
export function isQuery({ method }: Request): boolean {
  return method === 'query' || method === 'queryWithContent';
}
