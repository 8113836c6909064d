#!/usr/bin/env node
// `patchbay-pi`: replaces the `pi` executable in RPC mode, with any agent behind it. A client changes only the path of
// the program.
import './compile-cache.ts';
import { constants, homedir } from 'node:os';
import type { Command } from '../core/model/command.ts';
import { GatewayError, type Outcome } from '../core/model/errors.ts';
import { ownVersion, tellFailure } from './program.ts';
import { chooseAgent } from './stand-ins/pi/agent.ts';
import { type PiArgv, parsePiArgv } from './stand-ins/pi/argv.ts';
import { serveStdio } from './stdio/serve-stdio.ts';

// The parent process may close the log pipe. A failed log write must not end the gateway.
process.stderr.on('error', () => {});

/** The frontend of each dialect, and the version of pi with this dialect. Clients check the version first. */
const dialects = new Map([
  ['growing', { frontend: 'pi', client: { dialect: 'growing' }, version: '0.54.2' }],
  ['delta-only', { frontend: 'pi', client: { dialect: 'delta-only' }, version: '0.87.1' }],
  ['legacy', { frontend: 'pi-legacy', client: {}, version: '0.13.2' }],
]);

const help = `patchbay-pi: a stand-in for pi --mode rpc, with any agent behind it

Usage:
  patchbay-pi --mode rpc [pi's own options]

A program that starts \`pi --mode rpc …\` starts \`patchbay-pi --mode rpc …\` instead. Only RPC mode is served;
--mode rpc may be left out.

Which agent answers (the first of these that is given):
  --patchbay-agent <name>, PATCHBAY_AGENT     an agent of the configuration, or demo
  --patchbay-config <file>, PATCHBAY_CONFIG   the default agent of this configuration file
  the configuration of the user               its default agent
  a pi on the PATH that is not this program, started with the same command line
  the demo agent

The configuration of the user is XDG_CONFIG_HOME/agent-patchbay/patchbay.json, by default
~/.config/agent-patchbay/patchbay.json. A patchbay.json in the working directory is not read: a project must not choose
which programs are started.

The dialect of pi's protocol: --patchbay-dialect, PATCHBAY_PI_DIALECT
  growing      each update repeats the message so far, as pi does up to 0.83 (default)
  delta-only   each update carries only the new part, as pi does since 0.84
  legacy       the protocol of pi 0.13.2, without responses

If the agent is a program with the protocol pi or pi-legacy, pi's options are appended to its command; the last one of
several counts. For any other agent, --provider, --model, --thinking and --session become requests if the agent supports
them. Options without effect are listed on stderr. PATCHBAY_VERBOSE=1 logs repairs and losses too.

--version prints the version of pi that has the chosen dialect.

Exit codes: 0 success, 1 failure while running (e.g. the agent program ended before its first frame), 2 wrong usage,
128 plus the signal number after a signal.

Examples:
  PATCHBAY_AGENT=demo patchbay-pi --mode rpc --no-session
  patchbay-pi --mode rpc --provider anthropic --model claude-sonnet-4-5
  echo '{"type":"prompt","message":"hello"}' | PATCHBAY_AGENT=demo patchbay-pi --mode rpc
`;

async function run(argv: PiArgv): Promise<void> {
  if (argv.help) {
    process.stdout.write(help);
    return;
  }
  const dialect = dialectOf(argv);
  if (argv.version) {
    process.stdout.write(`${dialect.version}\n`);
    remark(`agent-patchbay ${ownVersion}, speaking the dialect of pi ${dialect.version}`);
    return;
  }
  if (argv.instead !== null) {
    throw new GatewayError('invalid', `only --mode rpc is served here; start pi itself for ${argv.instead}`);
  }
  const { config, name, opening, remarks } = chooseAgent(argv, {
    env: process.env,
    self: process.argv[1] ?? '',
    home: homedir(),
  });
  for (const sentence of remarks) remark(sentence);
  await serveStdio({
    config,
    frontend: dialect.frontend,
    client: dialect.client,
    verbose: (process.env.PATCHBAY_VERBOSE ?? '') !== '',
    opening: { commands: opening, settled: tellRefusal, lost: remark },
    ...(config.agents[name]?.command === undefined ? {} : { endsWithAgent: 'silent' }),
    signalCode: (signal) => 128 + constants.signals[signal],
  });
}

function dialectOf({ values }: PiArgv) {
  const name = values.get('--patchbay-dialect') ?? (process.env.PATCHBAY_PI_DIALECT || 'growing');
  const dialect = dialects.get(name);
  if (dialect !== undefined) return dialect;
  throw new GatewayError('invalid', `no dialect named ${name}; the dialects are ${[...dialects.keys()].join(', ')}`);
}

function tellRefusal(command: Command, outcome: Outcome): void {
  // The query only starts the agent. A failed start is reported as the loss of the agent.
  if (!outcome.ok && command.type !== 'query')
    remark(`${command.type} at the start was refused: ${outcome.error.message}`);
}

function remark(sentence: string): void {
  process.stderr.write(`patchbay-pi: ${sentence}\n`);
}

async function main(): Promise<void> {
  try {
    await run(parsePiArgv(process.argv.slice(2)));
  } catch (thrown) {
    tellFailure('patchbay-pi', thrown);
  }
}

void main();
