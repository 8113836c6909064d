// Reads a trace as JSON-RPC: the requests with their answers, the notifications, and all other frames, for each side.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace, TraceFrame } from '../../check/rule.ts';

/** A valid JSON-RPC id. */
export type RpcId = string | number;

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
  /** Params, with dashed names converted to camel case; empty if there are none. */
  readonly params: Dictionary;
  /** Params as they came. */
  readonly rawParams: unknown;
}

/** A message that requires an answer. */
export interface Request extends Notification {
  readonly id: RpcId;
  /** All later answers with this id, up to the next request that reuses the id. */
  readonly answers: readonly Response[];
  /** An unreadable frame came before, and nothing was answered since: the reader may have lost this request too. */
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

type Open<Type> = { -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key] };

/** Whether JSON-RPC allows the id; ECA servers drop negative numbers. */
export function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
}

/** Whether the value is a JSON-RPC message. */
export function isMessage(json: unknown): json is Dictionary {
  if (!isDictionary(json) || json.jsonrpc !== '2.0') return false;
  if (typeof json.method === 'string') return json.id === undefined || isRpcId(json.id);
  return json.method === undefined && 'id' in json && ('result' in json || 'error' in json);
}

/** Servers also accept param names with dashes (docs/protocols/eca.md 5.4). */
export function camelCaseParams(params: unknown): Dictionary {
  const given = dictionaryOf(params);
  const entries = Object.entries(given);
  if (entries.every(([name]) => !name.includes('-'))) return given;
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()), value]),
  );
}

/** Reads a trace. */
export function messagesIn(trace: Trace): Messages {
  const empty = (): Open<Side> => ({ frames: [], requests: [], notifications: [], answers: [] });
  const sides = { client: empty(), agent: empty() };
  const last = { client: new Map<unknown, Open<Request>>(), agent: new Map<unknown, Open<Request>>() };
  /**
   * A side is in doubt after it has sent a frame that is no message, until one of its requests is answered. Its
   * requests are excused meanwhile.
   */
  const isInDoubt = { client: false, agent: false };

  for (const [frame, { by, text, json, isFault }] of trace.frames.entries()) {
    const other = by === 'client' ? 'agent' : 'client';
    const own = sides[by];
    own.frames.push({ frame, text, json, ...(isFault === true ? { isFault } : {}) });
    if (!isMessage(json)) {
      isInDoubt[by] = true;
      continue;
    }
    const { id, method } = json;
    if (typeof method !== 'string') {
      const ask = last[other].get(id);
      const answer: Response = {
        frame,
        id,
        json,
        result: json.result,
        error: json.error,
        ...(ask ? { request: ask } : {}),
      };
      own.answers.push(answer);
      ask?.answers.push(answer);
      if (ask !== undefined) isInDoubt[other] = false;
      continue;
    }
    const notice = { frame, method, params: camelCaseParams(json.params), rawParams: json.params };
    if (!isRpcId(id)) {
      own.notifications.push(notice);
      continue;
    }
    const ask: Open<Request> = { ...notice, id, answers: [], isExcused: isInDoubt[by] };
    own.requests.push(ask);
    last[by].set(id, ask);
  }
  return sides;
}
