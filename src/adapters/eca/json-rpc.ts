// The envelope of JSON-RPC 2.0: what kind of message came in, and how answers, errors and notifications go out. Pure;
// knows no method.
import { z } from 'zod';
import { isDictionary } from '../../core/model/dictionary.ts';
import type { ErrorCode } from '../../core/model/errors.ts';

/** Strings or integers that survive a number; given back with the type that they came with. */
export const RpcId = z.union([z.string(), z.int()]);
export type RpcId = z.infer<typeof RpcId>;

/** The error codes of JSON-RPC. Real ECA is silent, or says -32603, where these are finer (docs/protocols/eca.md 5.3, 5.6). */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** A message of the client. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  /** `isError`: any `error` member but null. */
  | { readonly kind: 'response'; readonly id: RpcId; readonly isError: boolean; readonly result: unknown }
  /** No JSON-RPC; `id`: to whom that can be said. */
  | { readonly kind: 'fault'; readonly id: RpcId | null; readonly message: string };

/** Sorts a JSON value. Batches are no ECA (docs/protocols/eca.md 5.2). */
export function readMessage(json: unknown): RpcMessage {
  if (!isDictionary(json)) return { kind: 'fault', id: null, message: 'a message must be a JSON object' };
  const id = RpcId.safeParse(json.id);
  const fault = (message: string): RpcMessage => ({ kind: 'fault', id: id.data ?? null, message });
  if (json.jsonrpc !== '2.0') return fault('a message must have "jsonrpc": "2.0"');
  const hasId = Object.hasOwn(json, 'id');
  if (hasId && !id.success) return fault('an id must be a string or an integer');
  const { method, params } = json;
  if (typeof method === 'string') {
    return id.success ? { kind: 'request', id: id.data, method, params } : { kind: 'notification', method, params };
  }
  const isAnswer = method === undefined && id.success && ('result' in json || 'error' in json);
  if (!isAnswer) return fault('a message must have a method, or be an answer');
  const isError = json.error !== undefined && json.error !== null;
  return { kind: 'response', id: id.data, isError, result: json.result };
}

/** Never with an `error` member: some clients take even a null one for a failure (docs/protocols/eca.md 2.13). */
export function resultFrame(id: RpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** An error, as the answer to a request or, with a null id, to what was none. */
export function errorFrame(id: RpcId | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

/** A request of ours. */
export function requestFrame(id: RpcId, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** A notification. */
export function notificationFrame(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** The JSON-RPC code of a refusal. */
export function rpcCodeOf(code: ErrorCode): number {
  return code === 'invalid' ? rpcCodes.invalidParams : rpcCodes.internal;
}
