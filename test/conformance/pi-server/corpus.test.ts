// The rules of pi-servers and of their clients against recordings of the real server. A table lists the server's known
// violations.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { piServerAgent } from '../../../src/conformance/pi-server/agent.ts';
import { piServerClient } from '../../../src/conformance/pi-server/client.ts';
import { judgeTrace, readTraceFile } from '../../../src/conformance/trace/trace-file.ts';

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi-server');
const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.jsonl')) : [];

/** Known violations of the real server (docs/protocols/pi-server.md 3.1, 4.4, 7.7, 23): the messages, by rule. */
const known: ReadonlyMap<string, RegExp> = new Map([
  // Row 4: until 2.1 stdout carries the server's log as well.
  ['pi-server/frame-object', /^\d{4}-\d\d-\d\dT\S+ +(?:INFO|WARN|ERROR|DEBUG) /u],
  // Row 13: a numeric type comes back as the command.
  ['pi-server/response-shape', /"command":(?!")/u],
]);

/** Violations at MUST and SHOULD, without the known ones. */
function breaches(set: CheckSet, traces: readonly Trace[]): string[] {
  const levels = new Map(descriptionsOf(set).map(({ id, level }) => [id, level]));
  const results = judgeTrace([set], traces).flatMap((judged) => judged.results);
  return results.flatMap(({ id, breaches: found = [], conversations }) =>
    found.flatMap(({ conversation, message, says }) => {
      const text = conversations[conversation]?.log[message]?.text ?? '';
      return levels.get(id) === 'MAY' || known.get(id)?.test(text) ? [] : [`${id}: ${says}: ${text.slice(0, 200)}`];
    }),
  );
}

const tracesIn = (file: string) => readTraceFile(readFileSync(join(folder, file), 'utf8'));

describe.skipIf(files.length === 0)('parts of recordings of the real server (absent without the corpus)', () => {
  const sets: readonly CheckSet[] = [piServerAgent, piServerClient];
  // For each beginning all rules read the recording again.
  const step = process.env.PATCHBAY_CONFORMANCE === 'all' ? 1 : 13;

  /**
   * Violations in parts of a recording beyond those of the whole. The recorded clients are probes, which send much that
   * is wrong on purpose.
   */
  function more(file: string, set: CheckSet, parts: readonly Trace[]): string[] {
    const whole = new Set(breaches(set, tracesIn(file)));
    return breaches(set, parts).filter((breach) => !whole.has(breach));
  }

  test.each(files)('%s: one side alone shows no violation', (file) => {
    for (const side of ['agent', 'client'])
      for (const isComplete of [true, false])
        for (const set of sets) {
          const alone = tracesIn(file).map(({ frames }) => ({
            isComplete,
            frames: frames.filter(({ by }) => by === side),
          }));
          expect(more(file, set, alone)).toEqual([]);
        }
  });

  test.each(files)('%s: the rest from any frame on shows no new violation', (file) => {
    for (const { frames } of tracesIn(file))
      for (let from = 1; from < frames.length; from += step)
        for (const set of sets) {
          const rest = { isComplete: false, frames: frames.slice(from) };
          expect([from, ...more(file, set, [rest])]).toEqual([from]);
        }
  });
});

describe.skipIf(files.length === 0)('recordings of the real server (absent without the corpus)', () => {
  const heard = new Set<string>();

  test.each(files)('%s', (file) => {
    const traces = tracesIn(file);
    const [judged] = judgeTrace([piServerAgent], traces);
    for (const { id, verdict } of judged?.results ?? []) if (verdict === 'passed') heard.add(id);
    expect(breaches(piServerAgent, traces)).toEqual([]);
  });

  test('nearly every rule applies to them', () => {
    const silent = piServerAgent.rules.filter(({ id }) => !heard.has(id)).map(({ id }) => id);
    expect(silent).toEqual([]);
  });
});
