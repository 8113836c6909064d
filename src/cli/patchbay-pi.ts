#!/usr/bin/env node
// `patchbay-pi`: stands in for the `pi` executable in RPC mode, with any agent behind it. A client changes the path of
// the program and nothing else.
import { constants } from 'node:os';
import type { Command } from '../core/model/command.ts';
import { GatewayError, type Outcome } from '../core/model/errors.ts';
import { chooseAgent } from './pi/agent.ts';
import { type PiArgv, parsePiArgv } from './pi/argv.ts';
import { ownVersion, tellFailure } from './program.ts';
import { serveStdio } from './serve-stdio.ts';

// Whoever started us may stop listening to our log; that ends nothing.
process.stderr.on('error', () => {});

/** How a dialect is spoken, and the version of pi that speaks it: clients look at that before anything else. */
const dialects = new Map([
  ['growing', { frontend: 'pi', client: { dialect: 'growing' }, version: '0.54.2' }],
  ['delta-only', { frontend: 'pi', client: { dialect: 'delta-only' }, version: '0.87.1' }],
  ['legacy', { frontend: 'pi-legacy', client: {}, version: '0.13.2' }],
]);

const help = `patchbay-pi: a stand-in for pi --mode rpc, with any agent behind it

Usage:
  patchbay-pi --mode rpc [pi's own options]

A program that starts \`pi --mode rpc …\` starts \`patchbay-pi --mode rpc …\` instead. Only --mode rpc is served, with or
without saying so.

Which agent answers, the first that is said:
  --patchbay-agent <name>, PATCHBAY_AGENT     an agent of the configuration, or demo
  --patchbay-config <file>, PATCHBAY_CONFIG   the default agent of that configuration
  ./patchbay.json                             its default agent
  a pi on the PATH that is not this program, started with the same command line
  the demo agent

Which dialect is spoken: --patchbay-dialect, PATCHBAY_PI_DIALECT
  growing      each update repeats the message so far, as pi does up to 0.83 (default)
  delta-only   updates carry what is new alone, as pi does since 0.84
  legacy       the protocol of pi 0.13.2, without responses

An agent of the protocol pi or pi-legacy that is a program gets pi's options behind its own; the last one counts. Any
other agent is asked for --provider, --model, --thinking and --session if it can do that; what is not heard is told
on stderr. PATCHBAY_VERBOSE=1 tells repairs and losses too.

--version prints the version of pi whose dialect is spoken.

Exit codes: 0 done, 1 failed while running, as when an agent that is a program ends before it said anything, 2 called
wrongly, 128 and the signal's number after a signal.

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
    remark(`agent-patchbay ${ownVersion}, which speaks as pi ${dialect.version} does`);
    return;
  }
  if (argv.instead !== null) {
    throw new GatewayError('invalid', `only --mode rpc is served here; start pi itself for ${argv.instead}`);
  }
  const { config, name, opening, remarks } = chooseAgent(argv, { env: process.env, self: process.argv[1] ?? '' });
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
  throw new GatewayError('invalid', `no dialect named ${name}; there are ${[...dialects.keys()].join(', ')}`);
}

function tellRefusal(command: Command, outcome: Outcome): void {
  // A question only wakes the agent; when that fails the agent is lost, which is told by itself.
  if (!outcome.ok && command.type !== 'query')
    remark(`${command.type} at the start was refused: ${outcome.error.message}`);
}

function remark(sentence: string): void {
  process.stderr.write(`patchbay-pi: ${sentence}\n`);
}

try {
  await run(parsePiArgv(process.argv.slice(2)));
} catch (thrown) {
  tellFailure('patchbay-pi', thrown);
}
