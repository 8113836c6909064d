#!/usr/bin/env node
// The command line: one file per command, each parses arguments and calls the gateway. Exit codes: 0 done,
// 1 it failed while running, 2 it was called wrongly.
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { GatewayError, messageOf } from '../core/errors.ts';
import { agentsCommand } from './agents.ts';
import { serveCommand } from './serve.ts';
import { stdioCommand } from './stdio.ts';
import { translateCommand } from './translate.ts';

// Whoever started us may stop listening to our log; that ends nothing.
process.stderr.on('error', () => {});

const examples = `
Examples:
  patchbay serve                                          the demo agent over HTTP, WebSocket and SSE
  patchbay serve --backend pi -- pi --mode rpc            the same for pi, one child per session
  patchbay stdio --frontend claude --backend pi -- pi --mode rpc
                                                          one client on stdin and stdout
  patchbay translate --from pi --to claude < trace.jsonl  a filter, no session
  patchbay agents                                         what is configured

Exit codes: 0 done, 1 failed while running, 2 called wrongly.`;

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

const program = new Command('patchbay')
  .description('A protocol gateway for coding agents: any client plugs into any agent.')
  .version(version())
  .addHelpText('after', examples)
  .showHelpAfterError('(see --help)')
  .exitOverride();
for (const command of [serveCommand(), stdioCommand(), translateCommand(), agentsCommand()]) {
  program.addCommand(command.exitOverride().showHelpAfterError('(see --help)'));
}

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    // Help and version are told by an error as well.
    process.exitCode = thrown.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`patchbay: ${messageOf(thrown)}\n`);
    const isUsage = thrown instanceof GatewayError && (thrown.code === 'invalid' || thrown.code === 'not-found');
    process.exitCode = isUsage ? 2 : 1;
  }
}
