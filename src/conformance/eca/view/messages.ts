// What ECA makes of JSON-RPC. docs/protocols/eca.md 5.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { isMessageOf, type RpcDialect } from '../../check/json-rpc.ts';

/** Whether JSON-RPC allows the id; ECA servers drop negative numbers. */
export function isRpcId(id: unknown): id is string | number {
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
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

export const ecaDialect: RpcDialect = { isRpcId, paramsOf: camelCaseParams };

/** Whether the value is a message. */
export const isMessage = (json: unknown): json is Dictionary => isMessageOf(ecaDialect, json);
