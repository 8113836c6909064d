// `patchbay translate`: filters agent frames of one protocol into client frames of another. translate-run.ts does the
// work.
import { Command } from 'commander';
import { collect } from '../agents/agent-options.ts';
import type { ExplainOptions } from './translate-explain.ts';
import type { TranslateOptions } from './translate-run.ts';

const help = `
Input and output hold one JSON frame per line. An input line may also be a row of a tape, {"dir":"in"|"out","line":"…"}
or {"dir","msg"}. Commands in a tape are translated too, as far as the client’s protocol has them: their answers come
where the agent gave them. --tape writes a tape of both sides, --explain columns for a reader.

Examples:
  patchbay translate --from pi --to claude < trace.jsonl
  pi --mode rpc < prompts.jsonl | patchbay translate --from pi --to rpc-message --losses
  patchbay translate --from pi --to claude --explain < t.jsonl | less -R`;

/** The `translate` command. */
export function translateCommand(): Command {
  return new Command('translate')
    .description('translate frames of an agent into frames for a client')
    .requiredOption('--from <protocol>', 'protocol of the agent whose frames are read')
    .requiredOption('--to <protocol>', 'protocol of the client whose frames are written')
    .option('--losses', 'report on stderr the losses and the frames that were not understood, by kind')
    .option('--tape', 'write a tape: what the client asks, and what it is told')
    .option('--explain', 'write columns: frame of the tape, canonical event, frames for the client; and what was lost')
    .option('--json', 'with --explain: write a JSON object for each frame of the tape')
    .option(
      '--cwd <folder>',
      'working directory of the agent, for protocols that state it; default: the current directory',
    )
    .option('--client <name=value>', 'an option of the client’s protocol; may be repeated', collect, {})
    .option('--option <name=value>', 'an option of the agent’s adapter; may be repeated', collect, {})
    .addHelpText('after', help)
    .action(async (options: TranslateOptions & ExplainOptions & { readonly explain?: boolean }) => {
      if (options.explain === true) {
        const { explain } = await import('./translate-explain.ts');
        await explain(options);
        return;
      }
      const { translate } = await import('./translate-run.ts');
      await translate(options);
    });
}
