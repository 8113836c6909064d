// `patchbay agents`: lists the configured agents and their commands. agents-run.ts does the work.
import { Command } from 'commander';
import type { AgentsOptions } from './agents-run.ts';

/** The `agents` command. */
export function agentsCommand(): Command {
  return new Command('agents')
    .description('list the configured agents and the protocols')
    .option('--config <file>', 'configuration file (default: ./patchbay.json if it exists)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  patchbay agents --json')
    .action(async (options: AgentsOptions) => {
      const { listAgents } = await import('./agents-run.ts');
      listAgents(options);
    });
}
