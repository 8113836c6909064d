// The rules of pi against recordings of the real pi. Violations are in a table with their reasons. The recordings are
// not ours to copy, so they stay outside of the project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Trace, TraceFrame } from '../../../src/conformance/check/rule.ts';
import { piAgent } from '../../../src/conformance/pi/agent.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');
/** 0.13.2 speaks the legacy protocol. */
const versions = ['0.54.2', '0.73.1', '0.87.1'].filter((version) => existsSync(join(corpus, version)));

/** Violations of the real pi, by version or recording and rule. */
const theirs: ReadonlyMap<string, string> = new Map([
  [
    '0.54.2 pi/failure-id',
    'Until 0.79.6 pi forgets the id of an unknown command, and of one in which something is thrown.',
  ],
  ['0.73.1 pi/failure-id', 'Until 0.79.6 pi forgets the id of an unknown command.'],
  ['0.54.2 pi/answered-once', 'Until 0.67.3 a prompt that was refused is answered again, with success.'],
  ['0.54.2/ext_misc pi/line-is-object', 'Until 0.61.0 what an extension prints goes into the stream of pi.'],
]);

function readTrace(file: string): Trace {
  const rows = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const frames = rows.map((row): TraceFrame => {
    const { dir, line } = JSON.parse(row) as { dir: 'in' | 'out'; line: string };
    const frame = { at: 0, by: dir === 'in' ? 'client' : 'agent', text: line } as const;
    try {
      return { ...frame, json: JSON.parse(line) };
    } catch {
      return frame;
    }
  });
  // Part of these recordings was cut off on purpose.
  return { frames, isComplete: false };
}

/** Violations of a recording by rule, with the first of each. */
function breachesIn(trace: Trace): Map<string, string> {
  const breaches = new Map<string, string>();
  for (const { id, level, judge } of piAgent.rules) {
    if (level === 'MAY') continue;
    for (const { frame, wrong } of judge(trace)) {
      if (wrong !== null && !breaches.has(id)) breaches.set(id, `${frame}: ${wrong}`);
    }
  }
  return breaches;
}

describe.skipIf(versions.length === 0)('recordings of the real pi', () => {
  const found = new Set<string>();
  let judged = 0;
  describe.each(versions)('%s', (version) => {
    const files = readdirSync(join(corpus, version)).filter((name) => name.endsWith('.jsonl'));
    test.each(files)('%s', (file) => {
      const name = `${version}/${basename(file, '.jsonl')}`;
      const breaches = [...breachesIn(readTrace(join(corpus, version, file)))];
      const known = ([id]: [string, string]) => theirs.has(`${name} ${id}`) || theirs.has(`${version} ${id}`);
      for (const breach of breaches.filter(known)) {
        found.add(`${name} ${breach[0]}`);
        found.add(`${version} ${breach[0]}`);
      }
      judged += 1;
      expect(breaches.filter((breach) => !known(breach))).toEqual([]);
    });
  });

  /** Known violations of recordings that are not available. */
  const elsewhere: ReadonlySet<string> = new Set(['0.73.1 pi/failure-id']);

  test('violate each rule that the table names', () => {
    console.log(`${judged} recordings of ${versions.join(', ')}; ${theirs.size} departures of theirs`);
    expect([...theirs.keys()].filter((name) => !found.has(name) && !elsewhere.has(name))).toEqual([]);
  });
});
