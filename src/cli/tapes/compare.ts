// `patchbay compare`: what changed on the wire between two tapes. compare-run.ts does the work.
import { Command } from 'commander';
import type { CompareOptions } from './compare-run.ts';

const help = `
Frames are compared by direction and kind: kinds that are new or gone, fields that are new or gone, values of other types,
another order, and other counts where whole groups of frames came more or less often. Contents are not compared, nor are
ids, times, places and versions.

Examples:
  patchbay compare pi-0.73.jsonl pi-0.87.jsonl
  patchbay compare before.jsonl after.jsonl --json | jq -r .change | sort | uniq -c

Exit codes: 0 nothing changed, 1 something changed, 2 wrong usage or no tape.`;

/** The `compare` command. */
export function compareCommand(): Command {
  return new Command('compare')
    .description('tell what changed on the wire between two tapes')
    .argument('<a>', 'the first tape, e.g. of the older version')
    .argument('<b>', 'the second tape')
    .option('--json', 'write a JSON object for each change')
    .option('--conn <name>', 'the connection, if the tapes hold several; default: the first')
    .addHelpText('after', help)
    .action(async (a: string, b: string, options: CompareOptions) => {
      const { compare } = await import('./compare-run.ts');
      await compare(a, b, options);
    });
}
