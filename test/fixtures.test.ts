// fixtures/manifest.json says of every fixture where it came from, and of nothing else.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fixturesFolder } from './support/fixtures.ts';

const Entry = z.strictObject({
  /** Path inside fixtures; `*` is any text without a slash. */
  files: z.string(),
  /** `capture`: printed by a real program; `note` says which, in which version, by which command. */
  origin: z.enum(['hand-made', 'generated', 'capture']),
  /** The protocol's own document, and the sections that describe it. */
  rules: z.string().optional(),
  note: z.string().optional(),
});
const { fixtures: entries } = z
  .strictObject({ fixtures: z.array(Entry) })
  .parse(JSON.parse(readFileSync(path.join(fixturesFolder, 'manifest.json'), 'utf8')));

const files = readdirSync(fixturesFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(fixturesFolder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
  .filter((file) => file !== 'manifest.json');

/** Whether a path fits a pattern. */
function fits(file: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/gu, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`^${escaped}$`, 'u').test(file);
}

test('every fixture has exactly one origin', () => {
  const origins = files.map((file) => ({ file, entries: entries.filter((entry) => fits(file, entry.files)).length }));
  expect(
    origins.filter((one) => one.entries !== 1),
    'each file needs one entry in fixtures/manifest.json',
  ).toEqual([]);
  expect(files.length).toBeGreaterThan(100);
});

test('every entry has a file', () => {
  expect(entries.filter((entry) => !files.some((file) => fits(file, entry.files)))).toEqual([]);
});

test('captures say of what', () => {
  expect(entries.filter(({ origin, note }) => origin === 'capture' && note === undefined)).toEqual([]);
});
