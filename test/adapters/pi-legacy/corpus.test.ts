// Recorded lines of pi 0.13.2 through the backend: the thin machine reads them as the one for every dialect does.
// What they mean is tested there (../pi/corpus.test.ts).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { piLegacy } from '../../../src/adapters/pi-legacy/index.ts';
import { readTrace } from '../../support/translate.ts';
import { bench } from '../pi/harness.ts';

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi', '0.13.2');
const names = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];

test(names.length === 0 ? `no traces at ${corpus}: nothing was checked` : `${names.length} traces`, () => {
  expect(names.length === 0 || names.length > 10).toBe(true);
});

describe.each(names)('%s', (name) => {
  const rows = readTrace(readFileSync(path.join(corpus, name), 'utf8'));
  const lines = rows.flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));

  test('means what the adapter pi takes it for', () => {
    const [own, other] = [bench({}, piLegacy), bench()];
    own.feed(...lines);
    other.feed(...lines);
    other.end();
    // The other one waits for what may prolong a run; here nothing is held back.
    expect(own.events()).toEqual(other.events());
    expect(own.timers()).toEqual({});
    expect(own.notes().filter((note) => note.startsWith('violation'))).toEqual([]);
  });
});
