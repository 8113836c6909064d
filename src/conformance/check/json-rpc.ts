// Reads a trace as JSON-RPC: the requests with their answers, the notifications, and all other frames, for each side.
import type { Dictionary } from '../../core/model/content.ts';
import { isDictionary } from '../../core/model/dictionary.ts';
import type { Trace, TraceFrame } from './rule.ts';

/** An id of a request; null in some protocols only. */
export type RpcId = string | number | null;

/** The base of everything that is read from one frame of the trace. */
export interface InTrace {
  /** Index of the frame in the trace. */
  readonly frame: number;
}

/** A frame as it came. */
export interface RawFrame extends InTrace, Pick<TraceFrame, 'text' | 'isFault'> {
  readonly json: unknown;
}

/** A message without an id. */
export interface Notification extends InTrace {
  readonly method: string;
  /** As the protocol reads them; empty if there are none. */
  readonly params: Dictionary;
  /** Params as they came. */
  readonly rawParams: unknown;
}

/** A message that requires an answer. */
export interface Request extends Notification {
  readonly id: RpcId;
  /** All later answers with this id, up to the next request that reuses the id. */
  readonly answers: readonly Response[];
  /** A frame that is no message came before, and nothing was answered since: the reader may have lost this one too. */
  readonly isExcused: boolean;
}

/** An answer. */
export interface Response extends InTrace {
  readonly id: unknown;
  readonly json: Dictionary;
  readonly result: unknown;
  readonly error: unknown;
  /** The request that it answers, if any. */
  readonly request?: Request;
}

/** All messages of one side. */
export interface Side {
  readonly frames: readonly RawFrame[];
  readonly requests: readonly Request[];
  readonly notifications: readonly Notification[];
  readonly answers: readonly Response[];
}

/** Both sides. */
export interface Messages {
  readonly client: Side;
  readonly agent: Side;
}

/** What a protocol makes of JSON-RPC. */
export interface RpcDialect {
  isRpcId(id: unknown): id is RpcId;
  paramsOf(params: unknown): Dictionary;
  /** A text that is passed over and loses nothing, though it is no message. */
  isBlank?(text: string): boolean;
}

type Open<Type> = { -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key] };

/** Whether the value is a JSON-RPC message. */
export function isMessageOf({ isRpcId }: RpcDialect, json: unknown): json is Dictionary {
  if (!isDictionary(json) || json.jsonrpc !== '2.0') return false;
  if (typeof json.method === 'string') return json.id === undefined || isRpcId(json.id);
  return json.method === undefined && 'id' in json && ('result' in json || 'error' in json);
}

/** Reads a trace. */
export function messagesIn(trace: Trace, dialect: RpcDialect): Messages {
  const empty = (): Open<Side> => ({ frames: [], requests: [], notifications: [], answers: [] });
  const sides = { client: empty(), agent: empty() };
  const last = { client: new Map<unknown, Open<Request>>(), agent: new Map<unknown, Open<Request>>() };
  /** Sides that have sent what is no message, until one of their requests is answered; until then they are excused. */
  const isInDoubt = { client: false, agent: false };

  function answer(by: 'client' | 'agent', frame: number, json: Dictionary): void {
    const other = by === 'client' ? 'agent' : 'client';
    const ask = last[other].get(json.id);
    const { id, result, error } = json;
    const response: Response = { frame, id, json, result, error, ...(ask ? { request: ask } : {}) };
    sides[by].answers.push(response);
    ask?.answers.push(response);
    if (ask !== undefined) isInDoubt[other] = false;
  }

  for (const [frame, { by, text, json, isFault }] of trace.frames.entries()) {
    const own = sides[by];
    own.frames.push({ frame, text, json, ...(isFault === true ? { isFault } : {}) });
    if (!isMessageOf(dialect, json)) {
      isInDoubt[by] ||= dialect.isBlank?.(text) !== true;
      continue;
    }
    const { id, method } = json;
    if (typeof method !== 'string') {
      answer(by, frame, json);
      continue;
    }
    const notice = { frame, method, params: dialect.paramsOf(json.params), rawParams: json.params };
    if (!dialect.isRpcId(id)) {
      own.notifications.push(notice);
      continue;
    }
    const ask: Open<Request> = { ...notice, id, answers: [], isExcused: isInDoubt[by] };
    own.requests.push(ask);
    last[by].set(id, ask);
  }
  return sides;
}
