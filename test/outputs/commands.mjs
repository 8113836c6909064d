// What the commands print: reports about recordings and lists of checks, and the filter over the lines of agents.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { clientsOf } from './dialects.mjs';
import { agentSide } from './sides.mjs';
import { newWorld, unplaced } from './world.mjs';

const forms = ['json', 'junit', 'tap', 'html', 'markdown'];
const checkedProtocols = ['pi', 'pi-legacy', 'pi-server', 'eca', 'claude', 'rpc-message'];

/** Each run is a module of its own. */
let runs = 0;

/** Runs the command line of a build in this process, which is many times faster than a process for each. */
function createCommandLine(tree) {
  const program = path.join(tree, 'dist/cli/main.js');
  const main = pathToFileURL(program).href;
  const require = createRequire(main);
  // Earlier builds have programs that are ES modules: these are done when they are imported.
  const isCommonJs = existsSync(path.join(tree, 'dist/cli/package.json'));
  for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
  return async (...given) => {
    const { argv } = process;
    const writers = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
    let text = '';
    const write = (chunk) => {
      text += String(chunk);
      return true;
    };
    for (const { stream } of writers) stream.write = write;
    // A command may set a timer that ends its process, which is ours.
    process.exit = () => {};
    process.argv = [argv[0], main, ...given];
    process.exitCode = 0;
    try {
      runs += 1;
      if (isCommonJs) {
        delete require.cache[require.resolve(program)];
        await require(program).ended;
      } else {
        await import(`${main}?${runs}`);
      }
    } finally {
      process.argv = argv;
      for (const writer of writers) writer.stream.write = writer.write;
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
    }
    const code = process.exitCode;
    process.exitCode = 0;
    return `${text}exit code ${code}\n`;
  };
}

/** One report for each recording and side; first what was found, then every form of it with all its words. */
export async function* reports(tree, recordings) {
  const command = createCommandLine(tree);
  const { folder } = newWorld();
  const out = path.join(folder, 'reports');
  mkdirSync(out, { recursive: true });
  process.chdir(folder);
  const files = forms.flatMap((form) => [`--${form}`, path.join(out, form)]);
  for (const { name, protocol, file, isBare, isTrace, rows } of recordings) {
    if (file === undefined || !checkedProtocols.includes(protocol)) continue;
    for (const side of isBare ? ['agent'] : ['agent', 'client']) {
      for (const form of forms) rmSync(path.join(out, form), { force: true });
      // The report names what it is about: not by where it lies on this machine.
      writeFileSync(path.join(folder, 'trace.jsonl'), isTrace ? readFileSync(file) : rows.map(traceLine).join(''));
      const how = isBare ? ['--by', side] : ['--as', side];
      const table = await command('conformance', protocol, ...how, '--trace', 'trace.jsonl', '--verbose', ...files);
      const written = forms.map((form) => `== ${form}\n${textOf(path.join(out, form))}`);
      const of = `${name} | ${protocol} | ${side}`;
      yield { kind: 'verdicts', of, text: verdictsIn(textOf(path.join(out, 'json'))) };
      yield { kind: 'report', of, text: unplaced(`${table}${written.join('')}`) };
    }
  }
}

const traceLine = ({ dir, line, conn }) => `${JSON.stringify({ dir, line, conn })}\n`;

/** What a report found, without a sentence: which checks, how they went, and where in the recording. */
function verdictsIn(json) {
  if (json === '') return 'no report\n';
  const { version, results, conversations } = JSON.parse(json);
  const lines = results.map(({ id, section, level, basis, verdict, breaches = [], conversations: places }) =>
    [
      id,
      section,
      level,
      basis,
      verdict,
      ...breaches.map((breach) => `${breach.conversation}/${breach.message}`),
      `in ${places}`,
    ].join(' '),
  );
  return [`version ${version}`, ...lines, JSON.stringify(conversations), ''].join('\n');
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The checks of every protocol: their ids, and with all their words. */
export async function* lists(tree) {
  const command = createCommandLine(tree);
  const text = await command('conformance', '--list');
  const json = await command('conformance', '--list', '--json');
  const sets = JSON.parse(json.replace(/exit code \d+\n$/u, ''));
  for (const { protocol, side, version, checks } of sets) {
    const lines = checks.map(({ id, section, level, basis, covers = [] }) =>
      [id, section, level, basis, ...covers].join(' '),
    );
    yield { kind: 'checks', of: `list | ${protocol} | ${side}`, text: [`version ${version}`, ...lines, ''].join('\n') };
  }
  yield { kind: 'list', of: 'list', text: `${text}${json}` };
}

/** The filter over all that agents of a protocol say in these recordings: bytes, as a program reads and writes them. */
export async function* filtered(tree, { adapters }, recordings) {
  const main = path.join(tree, 'dist/cli/main.js');
  for (const protocol of [...adapters.values()].filter(agentSide).map(({ id }) => id)) {
    const said = recordings
      .filter((one) => one.protocol === protocol && one.frames === undefined)
      .flatMap(({ rows }) => rows);
    const lines = said.filter(({ dir }) => dir === 'out').map(({ line }) => `${line}\n`);
    if (lines.length === 0) continue;
    for (const { frontend, options, name } of clientsOf(adapters)) {
      const chosen = Object.entries(options).flatMap(([key, value]) => ['--client', `${key}=${value}`]);
      const words = [main, 'translate', '--from', protocol, '--to', frontend, '--losses', '--cwd', '/', ...chosen];
      const { stdout, stderr } = await run(words, lines.join(''));
      const of = `all | ${protocol} | ${name}`;
      yield { kind: 'filter', of, text: stdout };
      yield { kind: 'filter-notes', of, text: stderr };
    }
  }
}

function run(words, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'pipe'] });
    const texts = { stdout: [], stderr: [] };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => texts[name].push(chunk));
    child.once('error', reject);
    child.once('close', () =>
      resolve({ stdout: Buffer.concat(texts.stdout), stderr: Buffer.concat(texts.stderr).toString() }),
    );
    child.stdin.on('error', () => {}).end(input);
  });
}
