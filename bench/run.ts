// `npm run bench [-- P1 P4 …]`: measures, prints each figure as soon as it is known and the table at the end, and fails
// when a result was wrong. No figure fails a run: they depend on the machine. `--write`: all rows, into docs/performance.md
// and its plot. `--quick`: all rows in a small size, within a minute.
import { writeFileSync } from 'node:fs';
import { document } from './document.ts';
import { describeMachine } from './machine.ts';
import { plot } from './plot.ts';
import { type Figure, lineOf, reasons, table, WrongResult } from './report.ts';
import { families } from './rows/index.ts';
import { isQuick } from './size.ts';

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const known = families.flatMap((family) => family.rows);
const strange = wanted.filter((row) => !known.includes(row));
if (strange.length > 0) {
  process.stderr.write(`no row ${strange.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}

const isWriting = process.argv.includes('--write');
if (isWriting && (isQuick || wanted.length > 0)) {
  process.stderr.write('--write is for a run of all rows in their full size\n');
  process.exit(2);
}

const machine = describeMachine();
const chosen = families.filter(({ rows, isByName = false }) =>
  wanted.length === 0 ? !isByName || isQuick : rows.some((row) => wanted.includes(row)),
);
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
      if (Number.isNaN(figure.value)) throw new Error(`${figure.what}: nothing was measured`);
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
const size = isQuick
  ? 'QUICK: small inputs and single rounds; these figures show that the rows work and nothing else.\n\n'
  : '';
const missed = isQuick ? [] : reasons(shown).map((sentence) => `- ${sentence}\n`);
process.stdout.write(`${size}${machine.join('\n')}\n\n${table(shown)}\n${missed.join('')}`);
process.stderr.write(`${seconds()} s in all\n`);
if (isWriting && process.exitCode !== 1) {
  writeFileSync('docs/performance.md', document(machine, shown, families));
  writeFileSync('docs/performance.svg', plot(shown.flatMap(({ points = [] }) => points)));
}
