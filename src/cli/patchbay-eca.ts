#!/usr/bin/env node
// `patchbay-eca`: replaces the `eca` executable, with any agent behind it. An editor changes only the path of its
// server.
import './compile-cache.ts';
import { constants, homedir } from 'node:os';
import { ownVersion, tellFailure } from './program.ts';
import { chooseAgent } from './stand-ins/eca/agent.ts';
import { type EcaArgv, parseEcaArgv } from './stand-ins/eca/argv.ts';
import { ecaHelp, spokenVersion } from './stand-ins/eca/help.ts';
import { whenParentExits } from './stand-ins/parent-exit.ts';
import { stateFolder, storedIdsIn } from './stand-ins/stored-ids.ts';
import { watchEditor } from './stdio/editor-watch.ts';
import { serveStdio } from './stdio/serve-stdio.ts';

// The parent process may close the log pipe. A failed log write must not end the gateway.
process.stderr.on('error', () => {});

const program = 'patchbay-eca';

async function run(argv: EcaArgv): Promise<void> {
  if (argv.help) {
    process.stdout.write(ecaHelp);
    return;
  }
  if (argv.version) {
    process.stdout.write(`eca ${spokenVersion}\n`);
    remark(`agent-patchbay ${ownVersion}, speaking the protocol of eca ${spokenVersion}`);
    return;
  }
  if (!argv.serves) {
    // As eca does, but on stderr, because an editor reads frames from stdout.
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
    conversations: storedIdsIn(stateFolder('eca-sessions')),
    verbose: argv.verbose || (process.env.PATCHBAY_VERBOSE ?? '') !== '',
    // A failed start is reported as the loss of the agent, and to the editor by the frontend.
    opening: { commands: opening, settled: () => {}, lost: remark, stopsWithInput: true },
    wrap: editor.wrap,
    failure: AbortSignal.any([whenParentExits(process.stdin), editor.gone]),
    signalCode: (signal) => 128 + constants.signals[signal],
  });
}

function remark(sentence: string): void {
  process.stderr.write(`${program}: ${sentence}\n`);
}

async function main(): Promise<void> {
  try {
    await run(parseEcaArgv(process.argv.slice(2)));
  } catch (thrown) {
    tellFailure(program, thrown);
  }
}

void main();
