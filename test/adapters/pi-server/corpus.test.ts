// Recorded conversations of real clients and servers of two versions: our frontend takes what the server took and refuses what it
// refused, in the same words but for the differences below; and what the server said fits our schemas of the wire.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventSchemas, requestSchemas } from '../../../src/adapters/pi-server/wire/events.ts';
import { dataSchemas, Response } from '../../../src/adapters/pi-server/wire/responses.ts';
import { connect, type Json } from './client.ts';

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi-server');
const files = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];

const Row = z.object({ dir: z.enum(['in', 'out', 'note']), line: z.string(), conn: z.unknown().optional() });
type Row = z.infer<typeof Row>;
const Failure = z.looseObject({
  type: z.literal('response'),
  command: z.unknown(),
  success: z.literal(false),
  error: z.string(),
});
type Failure = z.infer<typeof Failure>;

function rowsOf(file: string): Row[] {
  const lines = readFileSync(path.join(corpus, file), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => Row.parse(JSON.parse(line)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the server refused before it admitted it. Longer frames than its limit never became lines. */
function refusalIn({ dir, line }: Row): Failure | null {
  const failure = dir === 'out' ? Failure.safeParse(parsed(line)).data : undefined;
  if (failure === undefined || failure.error.startsWith('Message size ')) return null;
  return failure.error.startsWith('Validation failed: ') || failure.command === 'unknown' ? failure : null;
}

/** Lines that were recorded in short: their answer stands alone. */
const isAbbreviated = (row: Row | undefined) => row?.dir === 'note' && row.line.startsWith('sent (abbreviated)');

/** Commands of newer servers, which are not in the document. */
const newer = new Set(['get_tree', 'navigate_tree', 'get_startup_recovery', 'get_command_history']);

/** Where we say something else, and why. */
const differences: readonly { readonly theirs: RegExp; readonly ours: string; readonly why: string }[] = [
  {
    theirs: /^Cannot (?:read properties of null|use 'in' operator) /u,
    ours: 'Validation failed: root: Command must be an object',
    why: 'an error of its own program, where the newer version says this',
  },
  {
    theirs: /^Invalid JSON$/u,
    ours: 'any',
    why: 'the newer version on stdio; the older one says what the parser says',
  },
];

function sameWords(theirs: string, ours: unknown): boolean {
  if (theirs === ours) return true;
  return differences.some((one) => one.theirs.test(theirs) && (one.ours === 'any' || one.ours === ours));
}

const idOf = (line: unknown) =>
  JSON.stringify(typeof line === 'object' && line !== null && 'id' in line ? line.id : null);

/** What differs between our answers and theirs, line by line. */
function compare(rows: readonly Row[]): { differing: string[]; refused: number; taken: number } {
  const differing: string[] = [];
  const client = connect();
  let [refused, taken] = [0, 0];
  const open = new Map(
    rows.flatMap((row, at): [number, { conn: unknown; failure: Failure }][] => {
      const failure = refusalIn(row);
      return failure === null || isAbbreviated(rows[at - 1]) ? [] : [[at, { conn: row.conn, failure }]];
    }),
  );
  for (const [at, row] of rows.entries()) {
    if (row.dir !== 'in') continue;
    const { delivered, sent } = client.raw(row.line);
    taken += delivered.length;
    const [ours] = sent;
    if (ours === undefined || newer.has(String(ours.command))) continue;
    const found = [...open].find(
      ([place, { conn, failure }]) => place > at && conn === row.conn && idOf(failure) === idOf(ours),
    );
    if (found === undefined) {
      differing.push(`taken by the server: ${row.line.slice(0, 200)}`);
      continue;
    }
    open.delete(found[0]);
    refused += 1;
    const { command, error } = found[1].failure;
    if (!sameWords(error, ours.error)) differing.push(`${error} / ${String(ours.error)}`);
    // A response names its command with a word, whatever the command was (docs/protocols/pi-server.md 4.4, 23.2).
    if (ours.command !== (typeof command === 'string' ? command : 'unknown')) {
      differing.push(`${String(command)} / ${String(ours.command)}`);
    }
  }
  for (const { failure } of open.values())
    differing.push(`refused by the server alone: ${JSON.stringify(failure).slice(0, 200)}`);
  return { differing, refused, taken };
}

/** What of the server's own frames does not fit; null for those that newer servers have added. */
function faultIn(text: string): string | null {
  const frame = z.looseObject({ type: z.string() }).safeParse(parsed(text)).data;
  // The older version writes its log between the frames (docs/protocols/pi-server.md 3.1).
  if (frame === undefined) return null;
  const schema = schemaFor(frame);
  const issue = schema?.safeParse(frame).error?.issues[0];
  return issue === undefined ? null : `${frame.type} ${issue.path.join('.')}: ${issue.message}`;
}

function schemaFor(frame: Json): z.ZodType | undefined {
  if (frame.type === 'event') {
    const { event } = eventSchemas.event.parse(frame);
    const request =
      event.type === 'extension_ui_request'
        ? new Map(Object.entries(requestSchemas)).get(String(event.method))
        : undefined;
    return request === undefined ? eventSchemas.event : eventSchemas.event.extend({ event: request });
  }
  if (frame.type !== 'response')
    return new Map<string, z.ZodType>(Object.entries(eventSchemas)).get(String(frame.type));
  const data =
    frame.success === true
      ? new Map<string, z.ZodType>(Object.entries(dataSchemas)).get(String(frame.command))
      : undefined;
  return data === undefined ? Response.extend({ command: z.unknown() }) : Response.extend({ data });
}

test(files.length === 0 ? `no traces at ${corpus}: nothing was checked` : `${files.length} traces`, () => {
  const all = files.map((file) => compare(rowsOf(file)));
  const sum = (count: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + count(one), 0);
  if (files.length > 0) {
    expect(sum(({ taken }) => taken)).toBeGreaterThan(200);
    expect(sum(({ refused }) => refused)).toBeGreaterThan(30);
  }
});

describe('commands', () => {
  test.each(files)('%s', (file) => expect(compare(rowsOf(file)).differing).toEqual([]));
});

describe('frames of the server', () => {
  test.each(files)('%s', (file) => {
    const faults = rowsOf(file).flatMap(({ dir, line }) => (dir === 'out' ? (faultIn(line) ?? []) : []));
    expect(faults).toEqual([]);
  });
});
