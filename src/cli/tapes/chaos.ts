// `patchbay chaos`: stands between a client and an agent on stdio, and makes the faults that it is told. chaos-run.ts does
// the work.
import { Command, Option } from 'commander';
import type { ChaosOptions } from './chaos-run.ts';
import { addFaultOptions, faultHelp } from './fault-option.ts';

const help = `
A client starts \`patchbay chaos --fault … -- pi --mode rpc\` where it started \`pi --mode rpc\`. What no fault touches
passes as it came; stderr, signals and the exit code pass too. \`--seed=…\` is told on stderr: the same number makes the
same faults at the same frames.
${faultHelp}

Examples:
  patchbay chaos --fault 'delay 200ms @every 5' -- pi --mode rpc
  patchbay chaos --fault 'drop @type=agent_end' --fault 'split 1 p0.1' --seed=7 -- pi --mode rpc
  patchbay chaos --fault 'kill @t=3s' --log faults.jsonl -- eca server

Exit codes: that of the program, or its signal; 1 after a reset; 2 wrong usage; 126 or 127 if the program cannot be
started.`;

/** The `chaos` command. */
export function chaosCommand(): Command {
  const command = new Command('chaos')
    .description('break what a client and an agent say to each other, on purpose and repeatably')
    .addOption(
      new Option('--framing <framing>', 'how the bytes are cut into frames')
        .choices(['detect', 'lines', 'content-length'])
        .default('detect'),
    )
    .option('--log <file>', 'write a row for each fault that happened; replaces the file')
    .argument('<command...>', 'the agent and its arguments, after --')
    .addHelpText('after', help);
  return addFaultOptions(command).action(async (argv: string[], options: ChaosOptions) => {
    const { chaos } = await import('./chaos-run.ts');
    await chaos(argv, options);
  });
}
