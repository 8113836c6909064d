// The recorded talks of ECA clients with ECA servers: read, and nothing more. Knows nothing of the gateway.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Said } from './judged-eca.ts';

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'eca');

/** `mark`: the name of what follows; `in-raw`: bytes as they were sent; `note`: what was not on the wire. */
const Row = z.object({ dir: z.enum(['in', 'out', 'mark', 'in-raw', 'note']), msg: z.unknown() });
export type EcaRow = z.infer<typeof Row>;

/** Which clients the server was made for. */
export type Era = 'first' | 'modern';

/** One recording. */
export interface EcaTrace {
  readonly name: string;
  readonly era: Era;
  readonly rows: readonly EcaRow[];
  /** The messages of both sides. */
  readonly talk: readonly Said[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The message in raw bytes: what stands behind the header, where that is JSON. */
function messageIn(raw: unknown): unknown {
  try {
    return typeof raw === 'string' ? JSON.parse(raw.slice(raw.indexOf('{'))) : undefined;
  } catch {
    return undefined;
  }
}

function traceOf(file: string): EcaTrace {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const rows = lines.filter((line) => line !== '').map((line) => Row.parse(JSON.parse(line)));
  const talk = rows.flatMap(({ dir, msg }): Said[] => {
    if (dir === 'out') return [{ by: 'server', message: msg }];
    const message = dir === 'in-raw' ? messageIn(msg) : msg;
    return isRecord(message) && dir !== 'mark' && dir !== 'note' ? [{ by: 'client', message }] : [];
  });
  // The models left the answer to initialize when the newer era began (docs/protocols/eca.md 1.3).
  const greets = rows.some(
    ({ dir, msg }) => dir === 'out' && isRecord(msg) && isRecord(msg.result) && 'models' in msg.result,
  );
  return { name: file.replace('.jsonl', ''), era: greets ? 'first' : 'modern', rows, talk };
}

/** All recordings at hand; none where there is no corpus. */
export const ecaTraces: readonly EcaTrace[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map(traceOf)
  : [];
