// `npm run test:mutants`: puts one mutant after the other into a copy of the tree and looks whether a test fails. README.md has the options.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openJournal } from './journal.mjs';
import { judge } from './judge.mjs';
import { findFile, readList, writeList } from './list.mjs';
import { readImporters } from './related.mjs';
import { copyTree, createTester } from './scratch.mjs';
import { isKilled, table } from './table.mjs';

const { values: asked } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    shard: { type: 'string', default: '1/1' },
    resume: { type: 'string' },
    record: { type: 'boolean', default: false },
    limit: { type: 'string', default: '30' },
    list: { type: 'string', default: fileURLToPath(new URL('mutants.tsv', import.meta.url)) },
  },
});
const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

const [part, parts] = asked.shard.split('/').map(Number);
const all = readList(asked.list);
const isAskedFor = (/** @type {import('./list.mjs').Mutant} */ { id, room }) =>
  asked.only.length === 0 || asked.only.some((only) => only === id || `${room}/`.startsWith(`${only}/`));
const chosen = all.filter(isAskedFor).filter((_, index) => index % parts === part - 1);
if (chosen.length === 0) throw new Error(`no mutant of ${asked.only.join(', ')} in part ${asked.shard}`);

const { root, files, remove } = copyTree(fileURLToPath(new URL('../..', import.meta.url)));
const tester = createTester(root, 1);
process.once('exit', () => {
  tester.close();
  remove();
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const journal = openJournal(asked.resume, root, files);
const left = chosen.filter((mutant) => journal.get(mutant) === undefined);
if (left.length < chosen.length) say(`${chosen.length - left.length} are known from ${asked.resume}`);

/** All killers once without a mutant: how long that may take, ms. */
const baselineMs = 30 * 60_000;

/** Which of the recorded killers pass without a mutant. */
async function tryKillers() {
  const found = left.map(({ killer }) => findFile(root, killer, files));
  const killers = [...new Set(found.filter((killer) => killer !== null))];
  say(`${killers.length} tests without a mutant ...`);
  const every = createTester(root, 0);
  const together = killers.length === 0 ? [] : (await every.run(killers, baselineMs)).green;
  every.close();
  /** @type {Map<string, boolean>} */
  const green = new Map();
  for (const killer of killers) {
    const passes = together.includes(killer) || (await tester.run([killer])).green.includes(killer);
    green.set(killer, passes);
    if (!passes) say(`${killer} does not pass without a mutant: it kills none`);
  }
  return green;
}

const green = await tryKillers();
const context = { root, files, importers: readImporters(root, files), limit: Number(asked.limit), tester, green };
for (const [index, mutant] of left.entries()) {
  const started = performance.now();
  const judgement = await judge(context, mutant);
  journal.set(mutant, judgement);
  const { verdict, killer, why } = judgement;
  const by = killer === mutant.killer ? '' : ` (${killer ?? why})`;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${index + 1}/${left.length} ${seconds.padStart(5)} s ${mutant.id} ${mutant.file}: ${verdict}${by}`);
}

if (asked.record) {
  // Where each mutant stands now, and which test kills it now.
  const now = (/** @type {import('./list.mjs').Mutant} */ mutant) => {
    const { file = mutant.file, killer = mutant.killer } = journal.get(mutant) ?? {};
    return { ...mutant, file, killer };
  };
  writeList(asked.list, all.map(now));
}
process.stdout.write(table(chosen, journal));
process.exit(chosen.every((mutant) => isKilled(journal.get(mutant))) ? 0 : 1);
