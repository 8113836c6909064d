// `patchbay stdio`: one client on our own stdin and stdout.
import { Console } from 'node:console';
import { Command } from 'commander';
import { createGateway } from '../gateway.ts';
import { createLog } from '../log.ts';
import { stdioChannel } from '../transports/stdio.ts';
import { type AgentOptions, collect, configFrom, withAgentOptions } from './agent-options.ts';
import { onSignals } from './signals.ts';

interface StdioOptions extends AgentOptions {
  readonly frontend: string;
  readonly client: Readonly<Record<string, string>>;
  readonly verbose?: boolean;
}

const help = `
Examples:
  patchbay stdio --frontend claude --agent demo
  patchbay stdio --frontend claude --backend pi -- pi --mode rpc --no-session
  echo '{"type":"user","message":{"role":"user","content":"hello"}}' | patchbay stdio --frontend claude`;

/** The command. */
export function stdioCommand(): Command {
  return withAgentOptions(new Command('stdio'))
    .description('serve one client on stdin and stdout')
    .requiredOption('--frontend <protocol>', 'protocol of the client')
    .option(
      '--client <name=value>',
      'an option of the client’s protocol, e.g. partialMessages=false; may be repeated',
      collect,
      {},
    )
    .option('--verbose', 'log repairs and losses to stderr')
    .addHelpText('after', help)
    .action((command: string[], options: StdioOptions) => serveStdio(command, options));
}

async function serveStdio(command: readonly string[], options: StdioOptions): Promise<void> {
  // stdout is the protocol: whatever a package prints must not get between the frames (threat T30).
  globalThis.console = new Console(process.stderr);
  const config = configFrom(options, command);
  const log = createLog(options.verbose === true ? 'debug' : 'error', (line) => process.stderr.write(line));
  const gateway = createGateway(config, { log });
  const channel = stdioChannel({
    input: process.stdin,
    output: process.stdout,
    label: 'stdio',
    maxFrameBytes: config.limits.clientFrameBytes,
  });
  const served = gateway.serveClient(channel, { frontend: options.frontend, options: options.client });
  onSignals(async (reason) => {
    gateway.close(reason);
    await served;
  }, 10_000);
  // An agent inside this process holds nothing open: without this Node would leave in the middle of a silent run.
  const stayAlive = setInterval(() => {}, 60_000);
  try {
    await served;
  } finally {
    clearInterval(stayAlive);
    gateway.close('the client is gone');
  }
}
