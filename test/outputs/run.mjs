// `npm run outputs -- [--tree folder] [--into folder] [--only word] [--chunks] folder…`: a hash of each output of a build.
// See README.md.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { filtered, lists, reports } from './commands.mjs';
import { compareChunks } from './compare-chunks.mjs';
import { plays } from './plays.mjs';
import { recordingsIn } from './recordings.mjs';
import { tours } from './tours.mjs';
import { translations } from './translations.mjs';
import { standStill } from './world.mjs';

const own = path.resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tree: { type: 'string', default: own },
    into: { type: 'string' },
    only: { type: 'string', default: '' },
    chunks: { type: 'boolean', default: false },
  },
});
const tree = path.resolve(values.tree);
const into = values.into === undefined ? null : path.resolve(values.into);
const folders = [path.join(own, 'fixtures'), ...positionals];
if (values.chunks) process.exit((await compareChunks(tree, folders, values.only)) ? 0 : 1);

const started = process.hrtime.bigint();
const seconds = () => Number((process.hrtime.bigint() - started) / 1_000_000n) / 1000;

standStill();
const build = await import(pathToFileURL(path.join(tree, 'dist/index.js')).href);
const all = [...tours, ...folders.flatMap((folder) => recordingsIn(folder))];
const recordings = all.filter(({ name }) => name.includes(values.only));

const lines = [];
const kinds = new Map();

async function take(outputs) {
  for await (const { kind, of, text } of outputs) {
    const hash = createHash('sha256').update(text).digest('hex');
    lines.push(`${kind} | ${of} | ${text.length} ${hash}`);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (into !== null) write(path.join(into, `${kind} | ${of}`.replaceAll('/', '∕')), text);
  }
}

function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

for (const [what, outputs] of [
  ['translations', translations(build, recordings)],
  ['plays', plays(build, recordings)],
  ['reports', reports(tree, recordings)],
  ['lists', lists(tree)],
  ['filter', filtered(tree, build, recordings)],
]) {
  await take(outputs);
  process.stderr.write(`${seconds().toFixed(0).padStart(4)} s  ${what}\n`);
}

lines.sort();
const totalOf = (chosen) => createHash('sha256').update(chosen.join('\n')).digest('hex');
const totals = [...kinds].sort().map(([kind, count]) => {
  const chosen = lines.filter((line) => line.startsWith(`${kind} | `));
  return `total ${kind} | ${count} | ${totalOf(chosen)}`;
});
process.stdout.write(`${[...lines, ...totals, `total | ${lines.length} | ${totalOf(lines)}`].join('\n')}\n`);
