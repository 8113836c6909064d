#!/usr/bin/env node
// `patchbay-acp`: an agent for clients of the Agent Client Protocol, with any agent behind it. A client changes only the
// command of its agent.
import './compile-cache.ts';
import { constants, homedir } from 'node:os';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import { ownVersion, tellFailure } from './program.ts';
import { chooseAgent } from './stand-ins/acp/agent.ts';
import { type AcpArgv, parseAcpArgv } from './stand-ins/acp/argv.ts';
import { acpHelp } from './stand-ins/acp/help.ts';
import { whenParentExits } from './stand-ins/parent-exit.ts';
import { stateFolder, storedIdsIn } from './stand-ins/stored-ids.ts';
import { serveStdio } from './stdio/serve-stdio.ts';

// The parent process may close the log pipe. A failed log write must not end the gateway.
process.stderr.on('error', () => {});

const program = 'patchbay-acp';

async function run(argv: AcpArgv): Promise<void> {
  if (argv.help) {
    process.stdout.write(acpHelp);
    return;
  }
  if (argv.version) {
    process.stdout.write(`${ownVersion}\n`);
    return;
  }
  const { config, opening, remarks } = chooseAgent(argv, {
    env: process.env,
    self: process.argv[1] ?? '',
    home: homedir(),
  });
  for (const sentence of remarks) remark(sentence);
  if (argv.cwd !== undefined) enter(argv.cwd);
  await serveStdio({
    config,
    frontend: 'acp',
    client: {},
    conversations: storedIdsIn(stateFolder('acp-sessions')),
    verbose: argv.verbose || (process.env.PATCHBAY_VERBOSE ?? '') !== '',
    // A failed start is reported as the loss of the agent, and to the client by the frontend.
    opening: { commands: opening, settled: () => {}, lost: remark, stopsWithInput: true },
    failure: whenParentExits(process.stdin),
    signalCode: (signal) => 128 + constants.signals[signal],
  });
}

function enter(folder: string): void {
  try {
    process.chdir(folder);
  } catch (thrown) {
    throw new GatewayError('invalid', `--cwd ${folder}: ${messageOf(thrown)}`);
  }
}

function remark(sentence: string): void {
  process.stderr.write(`${program}: ${sentence}\n`);
}

async function main(): Promise<void> {
  try {
    await run(parseAcpArgv(process.argv.slice(2)));
  } catch (thrown) {
    tellFailure(program, thrown);
  }
}

void main();
