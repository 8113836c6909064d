// `patchbay stdio`: serves one client on our stdin and stdout. stdio-run.ts does the work.
import { Command } from 'commander';
import { collect, withAgentOptions } from '../agents/agent-options.ts';
import type { StdioOptions } from './stdio-run.ts';

const help = `
Examples:
  patchbay stdio --frontend claude --agent demo
  patchbay stdio --frontend claude --backend pi -- pi --mode rpc --no-session
  echo '{"type":"user","message":{"role":"user","content":"hello"}}' | patchbay stdio --frontend claude`;

/** The `stdio` command. */
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
    .action(async (command: string[], options: StdioOptions) => {
      const { stdio } = await import('./stdio-run.ts');
      await stdio(command, options);
    });
}
