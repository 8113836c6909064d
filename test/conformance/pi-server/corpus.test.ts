// The rules of pi-servers and of their clients against recordings of the real server: what it does otherwise is in the table.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptionsOf } from '../../../src/conformance/sets.ts';
import { judgeTrace, readTraceFile } from '../../../src/conformance/trace-file.ts';
import { piServerAgent } from '../../../src/conformance/pi-server/agent.ts';

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi-server');
const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.jsonl')) : [];

/** Faults of the real server (reference, sections 8 and 9), by rule: the messages that have them. */
const known: ReadonlyMap<string, RegExp> = new Map([
  // Row 4: until 2.1 its stdout carries its log as well.
  ['pi-server/frame-object', /^\d{4}-\d\d-\d\dT\S+ +(?:INFO|WARN|ERROR|DEBUG) /u],
  // Row 13: a type that is a number comes back as the command.
  ['pi-server/response-shape', /"command":(?!")/u],
]);

describe.skipIf(files.length === 0)('recordings of the real server (absent without the corpus)', () => {
  const heard = new Set<string>();

  test.each(files)('%s', (file) => {
    const [judged] = judgeTrace([piServerAgent], readTraceFile(readFileSync(join(folder, file), 'utf8')));
    const levels = new Map(descriptionsOf(piServerAgent).map(({ id, level }) => [id, level]));
    const wrong: string[] = [];
    for (const { id, verdict, breaches = [], exchanges } of judged?.results ?? []) {
      if (verdict === 'passed') heard.add(id);
      if (levels.get(id) === 'MAY') continue;
      for (const { conversation, message, says } of breaches) {
        const text = exchanges[conversation]?.log[message]?.text ?? '';
        if (!known.get(id)?.test(text)) wrong.push(`${id}: ${says}: ${text.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('nearly every rule has something to say about them', () => {
    const silent = piServerAgent.rules.filter(({ id }) => !heard.has(id)).map(({ id }) => id);
    expect(silent).toEqual([]);
  });
});
