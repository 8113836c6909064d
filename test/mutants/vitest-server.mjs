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
/** The last run ended early, at its first failure. */
let isCut = false;
const reporter = {
  onTestRunEnd(_modules, _errors, reason) {
    isCut = reason === 'interrupted';
  },
};
const options = { root, config, watch: false, bail: Number(bail), reporters: [reporter], sequence: { sequencer } };
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
  const verdicts = testModules.map((module) => [path.relative(root, module.moduleId), verdictOf(module)]);
  // A failure ends the run, sometimes before it is reported. Then any of the files may have failed.
  const isLost = isCut && !verdicts.some(([, verdict]) => verdict === 'red');
  process.send(isLost ? tests.map((test) => [test, 'red']) : verdicts);
});
process.send('ready');
// The parent is gone, and nobody else ends a run.
process.on('disconnect', () => process.exit());
