// `patchbay translate`: filters agent frames of one protocol into client frames of another. translate-run.ts does the
// work.
import { Command } from 'commander';
import { collect } from './agent-options.ts';
import type { TranslateOptions } from './translate-run.ts';

const help = `
Input and output hold one JSON frame per line. An input line may also be a row of a trace, {"dir":"in"|"out","line":"…"}
or {"dir","msg"}; rows with "dir":"in" go to the agent and are skipped.

Examples:
  patchbay translate --from pi --to claude < trace.jsonl
  pi --mode rpc < prompts.jsonl | patchbay translate --from pi --to rpc-message --losses`;

/** The `translate` command. */
export function translateCommand(): Command {
  return new Command('translate')
    .description('translate frames of an agent into frames for a client')
    .requiredOption('--from <protocol>', 'protocol of the agent whose frames are read')
    .requiredOption('--to <protocol>', 'protocol of the client whose frames are written')
    .option('--losses', 'report on stderr the losses and the frames that were not understood, by kind')
    .option(
      '--cwd <folder>',
      'working directory of the agent, for protocols that state it; default: the current directory',
    )
    .option('--client <name=value>', 'an option of the client’s protocol; may be repeated', collect, {})
    .option('--option <name=value>', 'an option of the agent’s adapter; may be repeated', collect, {})
    .addHelpText('after', help)
    .action(async (options: TranslateOptions) => {
      const { translate } = await import('./translate-run.ts');
      await translate(options);
    });
}
