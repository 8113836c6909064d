#!/usr/bin/env node
// The command line: one file per command; each parses its arguments and calls the gateway. Exit codes: 0 success,
// 1 failure while running, 2 wrong usage.
import './compile-cache.ts';
import { Command, CommanderError } from 'commander';
import { agentsCommand } from './agents/agents.ts';
import { conformanceCommand } from './conformance/conformance.ts';
import { ownVersion, tellFailure } from './program.ts';
import { serveCommand } from './serve/serve.ts';
import { stdioCommand } from './stdio/stdio.ts';
import { chaosCommand } from './tapes/chaos.ts';
import { compareCommand } from './tapes/compare.ts';
import { recordCommand } from './tapes/record.ts';
import { redactCommand } from './tapes/redact.ts';
import { replayCommand } from './tapes/replay.ts';
import { translateCommand } from './translate/translate.ts';

// The parent process may close the log pipe. A failed log write must not end the gateway.
process.stderr.on('error', () => {});

const examples = `
Examples:
  patchbay serve                                          the demo agent over HTTP, WebSocket and SSE
  patchbay serve --backend pi -- pi --mode rpc            the same for pi, one child per session
  patchbay stdio --frontend claude --backend pi -- pi --mode rpc
                                                          one client on stdin and stdout
  patchbay translate --from pi --to claude < trace.jsonl  a filter, no session
  patchbay record -o t.jsonl -- pi --mode rpc             tape a conversation, byte for byte
  patchbay replay t.jsonl                                 play the agent of a tape
  patchbay redact t.jsonl -o public.jsonl                 copy a tape without secrets
  patchbay compare a.jsonl b.jsonl                        what changed on the wire between two tapes
  patchbay chaos --fault 'drop p0.01' -- pi --mode rpc    break a conversation on purpose
  patchbay conformance pi -- pi --mode rpc                check an agent, or a client, against its protocol
  patchbay agents                                         list agents and protocols

Exit codes: 0 success, 1 failure while running, 2 wrong usage.`;

const program = new Command('patchbay')
  .description('A protocol gateway for coding agents: any client plugs into any agent.')
  .version(ownVersion)
  .addHelpText('after', examples)
  .showHelpAfterError('(see --help)')
  .exitOverride();
const commands = [
  serveCommand(),
  stdioCommand(),
  translateCommand(),
  recordCommand(),
  replayCommand(),
  redactCommand(),
  compareCommand(),
  chaosCommand(),
  conformanceCommand(),
  agentsCommand(),
];
for (const command of commands) {
  program.addCommand(command.exitOverride().showHelpAfterError('(see --help)'));
}

async function main(): Promise<void> {
  try {
    await program.parseAsync();
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // commander throws an error for --help and --version too.
      process.exitCode = thrown.exitCode === 0 ? 0 : 2;
    } else {
      tellFailure('patchbay', thrown);
    }
  }
}

/** Resolves when the command is done. For tools that run commands in their own process. */
export const ended = main();
