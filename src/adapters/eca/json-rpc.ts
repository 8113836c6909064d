// The envelope of JSON-RPC 2.0: classifies incoming messages, and writes answers, errors and notifications.
import { z } from 'zod';
import { isDictionary } from '../../core/model/dictionary.ts';
import type { ErrorCode } from '../../core/model/errors.ts';

/** A string, or an integer that a JavaScript number represents exactly. Returned with the type that it came with. */
export const RpcId = z.union([z.string(), z.int()]);
export type RpcId = z.infer<typeof RpcId>;

/**
 * The error codes of JSON-RPC. Real ECA servers stay silent or answer -32603 where these are finer
 * (docs/protocols/eca.md 5.3, 5.6).
 */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** A message from the client. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  /** `isError`: there is an `error` member other than null. */
  | { readonly kind: 'response'; readonly id: RpcId; readonly isError: boolean; readonly result: unknown }
  /** Not JSON-RPC. `id`: the id to answer with, if there is one. */
  | { readonly kind: 'fault'; readonly id: RpcId | null; readonly message: string };

/** Classifies a JSON value. ECA has no batches (docs/protocols/eca.md 5.2). */
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

/**
 * An answer. It has no `error` member: some clients take even a null one for a failure (docs/protocols/eca.md 2.13).
 */
export function resultFrame(id: RpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** An error, as the answer to a request. Null id: the message was no request. */
export function errorFrame(id: RpcId | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

/** A request to the client. */
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
