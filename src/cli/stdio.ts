// `patchbay stdio`: one client on our own stdin and stdout.
import { Command } from 'commander';
import { type AgentOptions, collect, configFrom, withAgentOptions } from './agent-options.ts';
import { watchEditor } from './editor-watch.ts';
import { type ServeOptions, serveStdio } from './serve-stdio.ts';

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
    .action((command: string[], { frontend, client, verbose, ...agent }: StdioOptions) =>
      serveStdio({ config: configFrom(agent, command), frontend, client, verbose, ...watchOf(frontend) }),
    );
}

/** Clients that name their process are watched. */
function watchOf(frontend: string): Pick<ServeOptions, 'wrap' | 'failure'> {
  if (frontend !== 'eca') return {};
  const { wrap, gone } = watchEditor();
  return { wrap, failure: gone };
}
