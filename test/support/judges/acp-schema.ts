// The judge of shape: each message of a connection against the JSON schema of version 1 that the protocol's own library ships.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { type AcpRow, isJson } from '../acp-traces.ts';
import type { Judged } from './acp-order.ts';

type Names = Readonly<Record<string, string>>;

/** Requests and notifications of clients, by method: the names of their schemas. */
const ofClients: Names = {
  initialize: 'Initialize',
  authenticate: 'Authenticate',
  logout: 'Logout',
  'session/new': 'NewSession',
  'session/load': 'LoadSession',
  'session/resume': 'ResumeSession',
  'session/list': 'ListSessions',
  'session/delete': 'DeleteSession',
  'session/close': 'CloseSession',
  'session/set_mode': 'SetSessionMode',
  'session/set_config_option': 'SetSessionConfigOption',
  'session/prompt': 'Prompt',
};
const ofAgents: Names = {
  'session/request_permission': 'RequestPermission',
  'elicitation/create': 'CreateElicitation',
  'fs/read_text_file': 'ReadTextFile',
  'fs/write_text_file': 'WriteTextFile',
};
const notifications: Names = {
  'session/update': 'SessionNotification',
  'session/cancel': 'CancelNotification',
  '$/cancel_request': 'CancelRequestNotification',
  'elicitation/complete': 'CompleteElicitationNotification',
};

/** A method may be called like a member of all objects. */
const named = (names: Names, method: string) => (Object.hasOwn(names, method) ? names[method] : undefined);

const Schema = z.looseObject({ $defs: z.record(z.string(), z.looseObject({})) });
const schemas = new Map<string, z.ZodType>();

function schemaOf(name: string): z.ZodType {
  const known = schemas.get(name);
  if (known !== undefined) return known;
  const file = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.json');
  // Branches for words that are yet to come have a `not`, which zod does not read. Nobody here uses such words.
  const readable = (key: string, value: unknown) => {
    if (Array.isArray(value)) return value.filter((branch) => !isJson(branch) || branch.not === undefined);
    return key === 'unevaluatedProperties' ? undefined : value;
  };
  const { $defs } = Schema.parse(JSON.parse(readFileSync(file, 'utf8'), readable));
  const definition = $defs[name];
  if (definition === undefined) throw new Error(`the schema has no ${name}`);
  const made = z.fromJSONSchema({ ...definition, $defs } as Parameters<typeof z.fromJSONSchema>[0]);
  schemas.set(name, made);
  return made;
}

function faultOf(name: string, value: unknown): string | null {
  const { success, error } = schemaOf(name).safeParse(value);
  return success ? null : `${name}: ${z.prettifyError(error).slice(0, 300)}`;
}

/** What does not fit the schema, a line each. Methods of vendors are passed over. `only`: judges one side. */
export function acpSchemaFaults(rows: readonly AcpRow[], { only }: Judged = {}): string[] {
  /** Open requests of both directions, with the names of their schemas. */
  const asked = new Map<string, string>();
  return rows.flatMap(({ dir, json }, place) => {
    const fault = rowFault(dir, json, asked);
    return fault === null || (only !== undefined && only !== dir) ? [] : [`${place} ${dir}: ${fault}`];
  });
}

function rowFault(dir: AcpRow['dir'], json: unknown, asked: Map<string, string>): string | null {
  if (!isJson(json) || json.jsonrpc !== '2.0') return 'no message of JSON-RPC';
  const { id, method, params } = json;
  const key = (from: AcpRow['dir']) => `${from} ${JSON.stringify(id)}`;
  if (typeof method === 'string') {
    if (id === undefined) {
      const name = named(notifications, method);
      return name === undefined ? null : faultOf(name, params);
    }
    const name = named(dir === 'in' ? ofClients : ofAgents, method);
    if (name === undefined) return null;
    asked.set(key(dir), name);
    return faultOf(`${name}Request`, params);
  }
  const name = asked.get(key(dir === 'in' ? 'out' : 'in'));
  if (json.error !== undefined) return 'result' in json ? 'a result and an error' : faultOf('Error', json.error);
  if (!('result' in json)) return 'neither a result nor an error';
  return name === undefined ? null : faultOf(`${name}Response`, json.result);
}
