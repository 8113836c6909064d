// A Vitest that stays: it runs the tests that its parent names, as often as asked, and keeps what has not changed compiled.
// argv: the tree's root; how many failures end a run, 0 for any number.
import path from 'node:path';
import { createVitest } from 'vitest/node';

const [root, bail] = process.argv.slice(2);
const config = path.join(root, 'test/mutants/vitest.config.ts');
/** The nearest tests come first, and Vitest leaves them so. */
const sequencer = class {
  sort = async (files) => files;
  shard = async (files) => files;
};
const options = { root, config, watch: false, bail: Number(bail), reporters: [{}], sequence: { sequencer } };
const vitest = await createVitest('test', options);
const project = vitest.getRootProject();

/** `red`: a test failed. `broken`: failed before any test of its own ran. `green`: tests ran, and all of them passed. */
function verdictOf(module) {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  if (states.includes('failed')) return 'red';
  if (!module.ok()) return 'broken';
  // A file of which no test ran has said nothing.
  return states.includes('passed') ? 'green' : 'silent';
}

process.on('message', async ({ tests, changed }) => {
  for (const file of changed) vitest.invalidateFile(path.join(root, file));
  // Vitest would report what came of the runs before, too.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const specifications = tests.map((test) => project.createSpecification(path.join(root, test)));
  const { testModules } = await vitest.runTestSpecifications(specifications);
  process.send(testModules.map((module) => [path.relative(root, module.moduleId), verdictOf(module)]));
});
process.send('ready');
// The parent is gone, and nobody else ends a run.
process.on('disconnect', () => process.exit());
