#!/usr/bin/env node
// `patchbay-eca`: stands in for the `eca` executable, with any agent behind it. An editor changes the path of its server and
// nothing else.
import { constants, homedir } from 'node:os';
import { chooseAgent } from './eca/agent.ts';
import { type EcaArgv, parseEcaArgv } from './eca/argv.ts';
import { ecaHelp, spokenVersion } from './eca/help.ts';
import { watchEditor } from './editor-watch.ts';
import { whenOrphaned } from './orphan.ts';
import { ownVersion, tellFailure } from './program.ts';
import { serveStdio } from './serve-stdio.ts';

// Whoever started us may stop listening to our log; that ends nothing.
process.stderr.on('error', () => {});

const program = 'patchbay-eca';

async function run(argv: EcaArgv): Promise<void> {
  if (argv.help) {
    process.stdout.write(ecaHelp);
    return;
  }
  if (argv.version) {
    process.stdout.write(`eca ${spokenVersion}\n`);
    remark(`agent-patchbay ${ownVersion}, which speaks as eca ${spokenVersion} does`);
    return;
  }
  if (!argv.serves) {
    // As eca does it, but not where an editor looks for frames.
    process.stderr.write(ecaHelp);
    process.exitCode = 2;
    return;
  }
  const { config, opening, remarks } = chooseAgent(argv, {
    env: process.env,
    self: process.argv[1] ?? '',
    home: homedir(),
  });
  for (const sentence of remarks) remark(sentence);
  const editor = watchEditor();
  await serveStdio({
    config,
    frontend: 'eca',
    client: {},
    verbose: argv.verbose || (process.env.PATCHBAY_VERBOSE ?? '') !== '',
    // That an agent cannot be woken is told by its loss, and to the editor by the frontend.
    opening: { commands: opening, settled: () => {}, lost: remark, stopsWithInput: true },
    wrap: editor.wrap,
    failure: AbortSignal.any([whenOrphaned(process.stdin), editor.gone]),
    signalCode: (signal) => 128 + constants.signals[signal],
  });
}

function remark(sentence: string): void {
  process.stderr.write(`${program}: ${sentence}\n`);
}

try {
  await run(parseEcaArgv(process.argv.slice(2)));
} catch (thrown) {
  tellFailure(program, thrown);
}
