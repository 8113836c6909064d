// Connections of ACP as rows, and the recorded ones. Knows the wire and nothing of the gateway.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One message, read. */
export type Json = Record<string, unknown>;

/** A line of a connection. `in`: towards the agent. `json` is undefined for a line that is not JSON. */
export interface AcpRow {
  readonly dir: 'in' | 'out';
  readonly line: string;
  readonly json: unknown;
}

/** A recording: the connections of one scenario, one after the other. */
export interface AcpTrace {
  readonly program: string;
  readonly scenario: string;
  readonly connections: readonly (readonly AcpRow[])[];
}

/** Whether the value is a JSON object. */
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of keys. */
export const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isJson(inner) ? inner[key] : undefined), value);

/** A row of a message. */
export function rowOf(dir: AcpRow['dir'], json: unknown): AcpRow {
  return { dir, line: JSON.stringify(json), json };
}

/** The rows of what one side has written. The last line may have been cut off with its reader. */
export function rowsIn(dir: AcpRow['dir'], written: string): AcpRow[] {
  return written
    .split('\n')
    .slice(0, -1)
    .map((line) => ({ dir, line, json: JSON.parse(line) }));
}

const folder = process.env.PATCHBAY_CORPUS_ACP ?? '../shared/corpus-acp';

/** Why there are no recordings, or null. */
export const noAcpTraces: string | null = existsSync(folder) ? null : `no recordings in ${folder}`;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function readTrace(program: string, file: string): AcpTrace {
  const connections: AcpRow[][] = [[]];
  for (const row of readFileSync(path.join(folder, program, file), 'utf8').split('\n')) {
    const { dir, line, msg } = (row === '' ? {} : JSON.parse(row)) as Json;
    if (msg === 'new connection') connections.push([]);
    if ((dir === 'in' || dir === 'out') && typeof line === 'string') {
      connections.at(-1)?.push({ dir, line, json: parsed(line) });
    }
  }
  return { program, scenario: path.basename(file, '.jsonl'), connections };
}

/** The recordings of one program, by the folder's name. */
export function acpTraces(program: string): AcpTrace[] {
  if (noAcpTraces !== null) return [];
  return readdirSync(path.join(folder, program))
    .sort()
    .map((file) => readTrace(program, file));
}
