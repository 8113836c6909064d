// `patchbay record`: stands between a client and an agent, on stdio or in front of a WebSocket, and tapes both. record-run.ts does the work.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { RecordOptions } from './record-run.ts';

const help = `
A client starts \`patchbay record -o t.jsonl -- pi --mode rpc\` where it started \`pi --mode rpc\`. All bytes pass
untouched and at once, in both directions and on stderr; signals and the exit code pass too. The tape holds everything that
was said, also secrets: only its owner can read it. \`patchbay redact\` makes a copy to give away.

With --url, clients connect to the address on stderr instead of to the agent's WebSocket, and every message passes to there and
is taped; headers and subprotocols pass too. It listens on this machine alone, until SIGINT or SIGTERM.

Examples:
  patchbay record -o t.jsonl -- pi --mode rpc
  patchbay record -o eca.jsonl --protocol eca -- eca server
  patchbay record -o ws.jsonl --url 'ws://127.0.0.1:8137/v1/claude/ws?session=one'
  patchbay replay t.jsonl

Exit codes: that of the program, or its signal; 2 wrong usage; 126 or 127 if the program cannot be started.`;

/** The `record` command. */
export function recordCommand(): Command {
  return new Command('record')
    .description('tape what a client and an agent say to each other')
    .requiredOption('-o, --output <file>', 'the tape; must not exist')
    .option('-f, --force', 'replace an existing tape')
    .option('--scrub', 'replace secrets when the program has ended, as patchbay redact does')
    .option('--protocol <protocol>', 'the protocol of the agent, noted in the tape; default: replay finds out')
    .addOption(
      new Option('--framing <framing>', 'how the bytes are cut into rows')
        .choices(['detect', 'lines', 'content-length'])
        .default('detect'),
    )
    .option('--url <url>', 'stand in front of this WebSocket instead of a program: ws:// or wss://')
    .option('--port <port>', 'with --url: the port to listen on; default: any', portOf)
    .argument('[command...]', 'the program and its arguments, after --')
    .addHelpText('after', help)
    .action(async (command: string[], options: RecordOptions) => {
      const { record } = await import('./record-run.ts');
      await record(command, options);
    });
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/u.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('must be a port, 0 to 65535');
  return Number(text);
}
