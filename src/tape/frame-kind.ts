// What a frame is, and how alike two frames are. Knows the habits of the protocols, not the protocols.
import { dictionaryIn, dictionaryOf, isDictionary } from '../core/model/dictionary.ts';

/** A frame as replay and comparison see it. */
export interface KnownFrame {
  /** Frames of the same kind may stand for each other: `prompt`, `control_request initialize`, `answer 7`. */
  readonly kind: string;
  /** Null unless the frame is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | null;
  /** The frame answers a frame of the other side. */
  readonly isAnswer: boolean;
}

/** Reads a frame. Never throws. */
export function knownFrame(text: string): KnownFrame {
  const json = dictionaryIn(text);
  if (json === null) return { kind: text.trim() === '' ? 'blank' : 'text', json, isAnswer: false };
  const { type, method } = json;
  if (typeof method === 'string') return { kind: method, json, isAnswer: false };
  if (typeof type !== 'string') return { kind: `answer ${String(json.id ?? '')}`, json, isAnswer: true };
  if (type === 'response') return { kind: `response ${String(json.command ?? '')}`, json, isAnswer: true };
  if (type.endsWith('_response')) {
    const id = json.request_id ?? json.id ?? dictionaryOf(json.response).request_id ?? '';
    return { kind: `${type} ${String(id)}`, json, isAnswer: true };
  }
  const inner = [json.subtype, dictionaryOf(json.request).subtype, innerType(json)].find(
    (one) => typeof one === 'string',
  );
  return { kind: inner === undefined ? type : `${type} ${String(inner)}`, json, isAnswer: false };
}

function innerType({ event, assistantMessageEvent }: Readonly<Record<string, unknown>>): unknown {
  return dictionaryOf(event).type ?? dictionaryOf(assistantMessageEvent).type;
}

/** Keys whose values name something: they differ between two runs, and answers repeat them. */
export const idKey = /^(?:id|uuid)$|(?:Id|ID|_id|Uuid|_uuid)$/u;
/** Keys whose values differ between any two runs. */
const variableKey =
  /^(?:cwd|pid|timestamp|ts|version|hostname)$|(?:At|_at|Time|_time|Timestamp|Version|_version|Ms|_ms)$/u;

/** The value under the key differs between any two runs: ids, times, places, versions. */
export function isVariable(key: string): boolean {
  return idKey.test(key) || variableKey.test(key);
}

/** How alike two frames of one kind are: equal but for ids, times, places and versions; of one shape; or neither. */
export type Likeness = { readonly level: 'equal' } | { readonly level: 'shape' | 'kind'; readonly path: string };

/** Compares a frame with one of the same kind. `path` is the first place that differs. */
export function likeness(one: KnownFrame, other: KnownFrame): Likeness {
  if (one.json === null || other.json === null) return { level: 'equal' };
  let value: string | undefined;
  let shape: string | undefined;
  const walk = (left: unknown, right: unknown, path: string): void => {
    if (shape !== undefined) return;
    if (isDictionary(left) && isDictionary(right)) {
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
        const [a, b] = [own(left, key), own(right, key)];
        if (isVariable(key) && !isDictionary(a) && !isDictionary(b)) continue;
        walk(a, b, path === '' ? key : `${path}.${key}`);
      }
    } else if (Array.isArray(left) && Array.isArray(right)) {
      if (left.length !== right.length) value ??= path;
      for (let at = 0; at < Math.min(left.length, right.length); at += 1) walk(left[at], right[at], `${path}[${at}]`);
    } else if (left !== right) {
      value ??= path;
      if (sortOf(left) !== sortOf(right)) shape ??= path;
    }
  };
  walk(one.json, other.json, '');
  if (shape !== undefined) return { level: 'kind', path: shape };
  return value === undefined ? { level: 'equal' } : { level: 'shape', path: value };
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function sortOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
