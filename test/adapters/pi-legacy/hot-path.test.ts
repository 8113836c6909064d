// The hot path of a legacy agent: its growing lines are recognised without being parsed, and mean the same. What lines
// may look like is tested in ../pi/hot-path.test.ts; here is that this machine takes part.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenarioLines, scenarioNames } from '../../support/fixtures.ts';
import { isFull } from '../../support/full.ts';
import { cut, pass, saidByAll } from '../../support/hot-path.ts';
import { readTrace } from '../../support/translate.ts';

const bytesOf = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));
const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi', '0.13.2');
const traces = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];
const printed = (name: string) =>
  readTrace(readFileSync(path.join(corpus, name), 'utf8')).flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));

const streams: [string, Buffer][] = [
  ...scenarioNames.map((name): [string, Buffer] => [name, bytesOf(scenarioLines(name, 'pi-legacy'))]),
  ...traces.map((name): [string, Buffer] => [`0.13.2/${name}`, bytesOf(printed(name))]),
];

describe.each(['claude', 'pi', 'pi-legacy'])('for clients of %s', (to) => {
  test.each(streams)('%s is told as the slow path tells it', (_, bytes) => {
    const { said } = pass([bytes], { from: 'pi-legacy', to, way: 'slow' });
    const lengths = fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 4 });
    fc.assert(
      fc.property(lengths, fc.boolean(), (sizes, reusedChunks) => {
        expect(saidByAll(cut(bytes, sizes), { from: 'pi-legacy', to, reusedChunks })).toEqual(said);
      }),
      { numRuns: isFull ? 10 : 2 },
    );
  });
});

test('most deltas are recognised', () => {
  const lines = scenarioLines('text', 'pi-legacy');
  const deltas = lines.filter((line) => line.includes('"text_delta"')).length;
  const { recognised } = pass([bytesOf(lines)], { from: 'pi-legacy', to: 'claude', way: 'burst' });
  // The first of each block teaches.
  expect(recognised).toBe(deltas - 2);
});
