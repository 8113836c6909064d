// `patchbay replay`: plays one side of a tape on stdio. replay-run.ts does the work.
import { Command, InvalidArgumentError, Option } from 'commander';
import { addFaultOptions, faultHelp } from './fault-option.ts';
import type { ReplayOptions } from './replay-run.ts';

const help = `
Plays the agent's side of a tape on stdin and stdout: each frame goes when the client has said what it had said before that
frame on the tape, after the pause of the tape. Ids that the client chooses are put into the answers. A request in another
order or with other words gets the next unused answer of its kind; a request that the tape does not hold is refused in the
tape's protocol. A request that never comes is given up after --patience, once a later one has come.
With --as client the client's side is played, to a program after -- or on stdin and stdout.
With --fault something goes wrong between the two sides, as with \`patchbay chaos\`.
${faultHelp}

Examples:
  patchbay replay t.jsonl
  patchbay replay t.jsonl --speed max --match strict
  patchbay replay t.jsonl --as client -- pi --mode rpc
  patchbay replay t.jsonl --fault 'drop @type=agent_end' --seed=7
An agent for every client, in patchbay.json:
  {"agents":{"taped":{"protocol":"replay","file":"t.jsonl"}}}

Exit codes: that of the taped agent; 3 if the other side left the tape (the list is on stderr); 1 failure while running;
2 wrong usage.`;

/** The `replay` command. */
export function replayCommand(): Command {
  const command = new Command('replay')
    .description('play the agent’s or the client’s side of a tape')
    .argument('<tape>', 'the tape')
    .argument('[command...]', 'with --as client: the agent and its arguments, after --')
    .addOption(new Option('--as <side>', 'the side that is played').choices(['agent', 'client']).default('agent'))
    .option('--speed <x>', 'how many times faster than the tape, or max', speedOf, 1)
    .option('--idle <ms>', 'cut longer pauses to this, ms', milliseconds)
    .option('--step', 'send one frame for each Enter on the terminal, or each SIGUSR2')
    .addOption(
      new Option('--match <level>', 'what counts as the frame of the tape')
        .choices(['strict', 'shape', 'kind'])
        .default('shape'),
    )
    .option('--patience <ms>', 'give up a request that was overtaken after this, ms', milliseconds, 1000)
    .option(
      '--linger <ms>',
      'with --as client: leave when an agent was silent for so long at the end, ms',
      milliseconds,
      30_000,
    )
    .option('--conn <name>', 'the connection, if the tape holds several; default: the first')
    .option('--protocol <protocol>', 'the protocol of the tape; default: as the tape says or looks')
    .addHelpText('after', help);
  return addFaultOptions(command).action(async (tape: string, argv: string[], options: ReplayOptions) => {
    const { replay } = await import('./replay-run.ts');
    await replay(tape, argv, options);
  });
}

/** `max` is `Infinity`. */
export function speedOf(text: string): number {
  const speed = text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
  if (!(speed > 0)) throw new InvalidArgumentError('must be a number above 0, or max');
  return speed;
}

function milliseconds(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('must be a number of ms');
  return Number(text);
}
