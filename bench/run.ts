// `npm run bench [-- P1 P4 …] [--write]`: measures, prints each figure as soon as it is known and the table at the end,
// and fails when a result was wrong. No figure fails a run: they depend on the machine. `--quick`: the rows P8, P10 and
// P12 in a small size.
import { writeFileSync } from 'node:fs';
import { document } from './document.ts';
import { describeMachine } from './machine.ts';
import { type Figure, lineOf, table, WrongResult } from './report.ts';
import { families } from './rows/index.ts';
import { isQuick } from './size.ts';

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const known = families.flatMap((family) => family.rows);
const strange = wanted.filter((row) => !known.includes(row));
if (strange.length > 0) {
  process.stderr.write(`no row ${strange.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}

const machine = describeMachine();
const chosen = families.filter(({ rows }) => wanted.length === 0 || rows.some((row) => wanted.includes(row)));
const figures: Figure[] = [];
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0).padStart(3);

for (const family of chosen) {
  const progress = (text: string) => process.stderr.write(`${seconds()} s  ${family.rows.join(' ')}: ${text}\n`);
  progress('begins');
  try {
    for await (const figure of family.run(progress)) {
      figures.push(figure);
      process.stderr.write(`${lineOf(figure)}\n`);
    }
  } catch (thrown) {
    const what = thrown instanceof WrongResult ? 'wrong result' : 'failed';
    process.stderr.write(
      `${family.rows.join(' ')}: ${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
    );
    process.exitCode = 1;
  }
}

if (figures.some(({ wrong }) => wrong === true)) process.exitCode = 1;
const shown = figures.filter(({ row }) => wanted.length === 0 || wanted.includes(row));
process.stdout.write(`${machine.join('\n')}\n\n${table(shown)}`);
process.stderr.write(`${seconds()} s in all\n`);
if (process.argv.includes('--write') && !isQuick && process.exitCode !== 1) {
  writeFileSync('docs/performance.md', document(machine, shown, chosen));
}
