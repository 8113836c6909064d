// What ACP makes of JSON-RPC. docs/protocols/acp.md 1.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { isMessageOf, type Response, type RpcDialect, type RpcId } from '../../check/json-rpc.ts';

/** Whether the protocol allows the id (docs/protocols/acp.md 1.2). */
export function isRpcId(id: unknown): id is RpcId {
  return id === null || typeof id === 'string' || Number.isSafeInteger(id);
}

export const acpDialect: RpcDialect = { isRpcId, paramsOf: dictionaryOf, isBlank: (text) => text.trim() === '' };

/** Whether the value is a message. */
export const isMessage = (json: unknown): json is Dictionary => isMessageOf(acpDialect, json);

/** Whether the answer succeeded. */
export const isResult = ({ json }: Response): boolean => 'result' in json && !('error' in json);
