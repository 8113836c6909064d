// Recordings of pi 0.13.2 and its client through both sides: each is sent what the other said. The normalisations are
// those of the README.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsIn } from '../../support/judged.ts';
import { runsOf } from '../../support/judges/pi-runs.ts';
import { readTrace } from '../../support/translate.ts';
import { parsed, play } from '../pi/replay.ts';

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi', '0.13.2');
const names = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];

type Json = Record<string, unknown>;

/** README, "Normalised": the copies of a message in its updates, and scratch fields of blocks. */
function bare(line: Json): unknown {
  const isUpdate = line.type === 'message_update';
  const dropped = (name: string) =>
    name === 'partialJson' || (isUpdate && ['partial', 'message', 'index'].includes(name));
  return JSON.parse(JSON.stringify(line), (name, value) => (dropped(name) ? undefined : value));
}

/** What a client must say for pi to take it; the others are answered here (README, "From clients"). */
function isCommand(line: string): boolean {
  const { type, message } = parsed(line) ?? {};
  if (type === 'prompt') return typeof message === 'string' && message !== '';
  return type === 'abort' || type === 'compact';
}

test(names.length === 0 ? `no traces at ${corpus}: nothing was checked` : `${names.length} traces`, () => {
  expect(names.length === 0 || names.length > 10).toBe(true);
});

describe.each(names)('%s', (name) => {
  const rows = readTrace(readFileSync(path.join(corpus, name), 'utf8'));
  const lines = (dir: 'in' | 'out') => rows.flatMap((row) => (row.dir === dir ? [row.line] : []));
  const isMixed = runsOf(lines('out')).mixed;
  const played = play(rows, 'legacy');
  const fromPi = played.toClient.filter((_, at) => !played.own.has(at));
  // pi's own complaints about lines that never reach it here.
  const printed = lines('out')
    .map((line) => parsed(line) ?? {})
    .filter((line) => line.type !== 'error');

  test.skipIf(isMixed)('the client is told what pi printed (skipped where two runs mix)', () => {
    expect(fromPi.filter(({ type }) => type !== 'error').map(bare)).toEqual(printed.map(bare));
  });

  test('pi is told what the client said, but for what would spoil it', () => {
    const said = lines('in').filter(isCommand).map(parsed);
    // The second of two prompts at once waits, which a recording cannot.
    expect(played.toAgent).toEqual(isMixed ? said.slice(0, 1) : said);
  });

  test('each line that pi does not get is answered', () => {
    const refused = lines('in').filter((line) => !isCommand(line));
    expect([...played.own.values()]).toEqual(refused);
  });

  test.skipIf(isMixed)('the judge is content (skipped where two runs mix)', () => {
    if (name === 'bad_input.jsonl') return;
    expect(faultsIn('pi-legacy', played.toClient)).toEqual([]);
  });
});
