// `patchbay translate`: a filter from one protocol's agent frames to another's client frames. translate-run.ts does the work.
import { Command } from 'commander';
import { collect } from './agent-options.ts';
import type { TranslateOptions } from './translate-run.ts';

const help = `
One JSON frame a line in and out. A line may also be a row of a trace, {"dir":"in"|"out","line":"…"} or {"dir","msg"}:
rows that go to the agent are passed over.

Examples:
  patchbay translate --from pi --to claude < trace.jsonl
  pi --mode rpc < prompts.jsonl | patchbay translate --from pi --to rpc-message --losses`;

/** The command. */
export function translateCommand(): Command {
  return new Command('translate')
    .description('translate frames of an agent into frames for a client')
    .requiredOption('--from <protocol>', 'protocol of the agent whose frames come in')
    .requiredOption('--to <protocol>', 'protocol of the client that reads what goes out')
    .option('--losses', 'count on stderr what did not cross, and say what was not understood')
    .option('--cwd <folder>', 'where the agent worked, for clients that are told; default where this is started')
    .option('--client <name=value>', 'an option of the client’s protocol; may be repeated', collect, {})
    .option('--option <name=value>', 'an option of the agent’s adapter; may be repeated', collect, {})
    .addHelpText('after', help)
    .action(async (options: TranslateOptions) => {
      const { translate } = await import('./translate-run.ts');
      await translate(options);
    });
}
