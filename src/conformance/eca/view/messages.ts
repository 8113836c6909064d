// What a trace of JSON-RPC holds: requests with their answers, notifications, and what is none of these, for both sides.
// Knows no method of ECA. Pure; takes any trace.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace, TraceFrame } from '../../check/rule.ts';

/** An id as JSON-RPC allows it; others are ids of nothing. */
export type RpcId = string | number;

/** A frame and its place in the trace. */
export interface InTrace {
  /** Index in the trace. */
  readonly frame: number;
}

/** A frame as it came. */
export interface RawFrame extends InTrace, Pick<TraceFrame, 'text' | 'isFault'> {
  readonly json: unknown;
}

/** A message that tells something: a request without an id. */
export interface Notification extends InTrace {
  readonly method: string;
  /** Empty where there are none; names that were written with dashes are joined. */
  readonly params: Dictionary;
  /** As they came. */
  readonly rawParams: unknown;
}

/** A message that wants an answer. */
export interface Request extends Notification {
  readonly id: RpcId;
  /** All that bear its id and came behind it, while it was the last of that id. */
  readonly answers: readonly Response[];
  /** A frame before it could not be read, and nothing was answered since: whoever reads may have lost it too. */
  readonly isExcused: boolean;
}

/** A message that answers. */
export interface Response extends InTrace {
  readonly id: unknown;
  readonly json: Dictionary;
  readonly result: unknown;
  readonly error: unknown;
  /** What it answers, if anything. */
  readonly request?: Request;
}

/** All that one side has said. */
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

/** Whether JSON-RPC has that id; ECA servers drop numbers below zero. */
export function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
}

/** Whether a client, or an agent, may say that: an object of JSON-RPC. */
export function isMessage(json: unknown): json is Dictionary {
  if (!isDictionary(json) || json.jsonrpc !== '2.0') return false;
  if (typeof json.method === 'string') return json.id === undefined || isRpcId(json.id);
  return json.method === undefined && 'id' in json && ('result' in json || 'error' in json);
}

/** Servers take the names of params with dashes as well (docs/protocols/eca.md 5.4). */
export function camelCaseParams(params: unknown): Dictionary {
  const entries = Object.entries(dictionaryOf(params));
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()), value]),
  );
}

/** Reads a trace. */
export function messagesIn(trace: Trace): Messages {
  const empty = (): Open<Side> => ({ frames: [], requests: [], notifications: [], answers: [] });
  const sides = { client: empty(), agent: empty() };
  const last = { client: new Map<unknown, Open<Request>>(), agent: new Map<unknown, Open<Request>>() };
  /** That side has said what is no message, and was not answered since. */
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
