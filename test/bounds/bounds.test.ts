// Every collection that a peer can make grow has a bound (docs/limits.md 5.10): each row of the page is driven beyond it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentActs } from './agents.ts';
import { clientActs } from './clients.ts';
import { gatewayActs } from './gateways.ts';
import { inspectorActs } from './inspector.ts';
import { sessionActs } from './sessions.ts';
import { transportActs } from './transports.ts';

const acts = { ...agentActs, ...clientActs, ...sessionActs, ...transportActs, ...inspectorActs, ...gatewayActs };
const names = Object.keys(acts);

test.each(names)('%s', async (name) => {
  await acts[name]?.();
});

/** The first column of the table of docs/limits.md 5.10. */
function rowsIn(page: string): string[] {
  const table = page.slice(page.indexOf('| collection |'), page.indexOf('## 6'));
  return [...table.matchAll(/^\| (?!collection |-)([^|]+?) \|/gm)].map(([, name = '']) => name);
}

describe('the page', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/limits.md'), 'utf8');

  test('has a row for each of these, and nothing else', () => {
    expect(rowsIn(page).toSorted()).toEqual(names.toSorted());
  });

  test('says in each row where it is, what grows it, the bound and what is told', () => {
    const rows = page.split('\n').filter((line) => names.some((name) => line.startsWith(`| ${name} |`)));
    expect(
      rows.filter(
        (row) =>
          row
            .split('|')
            .map((cell) => cell.trim())
            .filter((cell) => cell !== '').length !== 5,
      ),
    ).toEqual([]);
  });
});
