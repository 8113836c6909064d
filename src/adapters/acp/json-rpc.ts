// The envelope of JSON-RPC 2.0, in both directions: classifies incoming messages, and writes answers, errors, requests and
// notifications. Both sides send requests, and their ids are separate (docs/protocols/acp.md 1.2).
import { z } from 'zod';
import { isDictionary } from '../../core/model/dictionary.ts';

/** The id of a request. Returned with the type that it came with: 0, "0" and null are three ids. */
export const RpcId = z.union([z.string(), z.int(), z.null()]);
export type RpcId = z.infer<typeof RpcId>;

/** The error codes of JSON-RPC and of ACP (docs/protocols/acp.md 1.8). */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  cancelled: -32_800,
  loginNeeded: -32_000,
  notFound: -32_002,
} as const;

/** An error in an answer. Codes are any integer: agents pass on those of their provider (docs/protocols/acp.md 1.8). */
export const RpcError = z.looseObject({
  code: z.number().catch(rpcCodes.internal),
  message: z.string().catch(''),
  data: z.unknown().optional(),
});
export type RpcError = z.infer<typeof RpcError>;

/** A message of the peer. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly id: RpcId; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: RpcId; readonly error: RpcError }
  /** Not JSON-RPC. `id`: the id to answer with. */
  | { readonly kind: 'fault'; readonly id: RpcId; readonly message: string };

/** Classifies a JSON value. A missing `jsonrpc` is accepted. There are no batches (docs/protocols/acp.md 1.3). */
export function readMessage(json: unknown): RpcMessage {
  if (!isDictionary(json)) return { kind: 'fault', id: null, message: 'a message must be a JSON object' };
  const { method, params, error } = json;
  const hasId = Object.hasOwn(json, 'id');
  const id = RpcId.safeParse(json.id);
  const fault = (message: string): RpcMessage => ({ kind: 'fault', id: id.data ?? null, message });
  if (hasId && !id.success) return fault('an id must be a string, an integer or null');
  if (typeof method === 'string') {
    return id.success ? { kind: 'request', id: id.data, method, params } : { kind: 'notification', method, params };
  }
  if (method !== undefined || !id.success) return fault('a message must have a method, or be an answer');
  if (error !== undefined && error !== null) {
    return { kind: 'error', id: id.data, error: RpcError.catch({ code: rpcCodes.internal, message: '' }).parse(error) };
  }
  if (!Object.hasOwn(json, 'result')) return fault('an answer must have a result or an error');
  return { kind: 'result', id: id.data, result: json.result };
}

/** An answer. */
export function resultMessage(id: RpcId, result: unknown): object {
  return { jsonrpc: '2.0', id, result };
}

/** An error, as the answer to a request. Null id: the message had none that could be read. */
export function errorMessage(id: RpcId, code: number, message: string, data?: unknown): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** A request. */
export function requestMessage(id: RpcId, method: string, params: object): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** A notification. */
export function notificationMessage(method: string, params: object): object {
  return { jsonrpc: '2.0', method, params };
}
