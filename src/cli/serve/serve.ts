// `patchbay serve`: serves any number of clients over HTTP, WebSocket and SSE. serve-run.ts does the work.
import { Command, InvalidArgumentError } from 'commander';
import { collectWord, withAgentOptions } from '../agents/agent-options.ts';
import type { ServeOptions } from './serve-run.ts';

const help = `
Examples:
  patchbay serve --port 8137
  patchbay serve --agent pi --config ./patchbay.json --json
  patchbay serve --backend pi -- pi --mode rpc --no-session
  patchbay serve --journal ~/.local/state/patchbay/journal
  patchbay serve --store redis://10.0.0.5:6379/0 --advertise http://10.0.0.1:8137

The token comes from PATCHBAY_TOKEN, --token-file or --token; without any, a new token is generated and printed. Prefer the
variable or the file: every user of the machine can read a command line. \`tokens\` of the configuration adds tokens with
fewer rights. PATCHBAY_STORE holds the address of a store with a password, PATCHBAY_NODE_SECRET the secret that gateways share
(32 characters or more). Beyond loopback a token has at least 16 characters.`;

/** The `serve` command. */
export function serveCommand(): Command {
  return withAgentOptions(new Command('serve'))
    .description('serve agents over HTTP: WebSocket, SSE and a small REST interface')
    .option('--host <host>', 'address to listen on (default 127.0.0.1)')
    .option('--port <port>', 'port to listen on (default: any free one)', portNumber)
    .option('--token <token>', 'the bearer token that clients must send; other users of the machine can read it here')
    .option('--token-file <file>', 'a file that holds the token')
    .option(
      '--origin <origin>',
      'origin of a web page that may connect, e.g. http://localhost:5173; may be repeated',
      collectWord,
      [],
    )
    .option('--record <folder>', 'write a tape of each agent that is started or connected to into this folder')
    .option('--journal <dir>', 'keep sessions in this folder, so that they are there after a restart')
    .option('--store <address>', 'keep sessions in this Redis, with other gateways: redis://host:port/database?prefix=')
    .option('--advertise <url>', 'where the other gateways of the store reach this one: http://host:port')
    .option('--node <name>', 'the name of this gateway among the nodes of the configuration')
    .option('--no-inspector', 'no page at /')
    .option('--json', 'print one JSON line when ready instead of text')
    .option('--verbose', 'log repairs and losses too')
    .addHelpText('after', help)
    .action(async (command: string[], options: ServeOptions) => {
      const { serve } = await import('./serve-run.ts');
      await serve(command, options);
    });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65535) throw new InvalidArgumentError('must be a number from 0 to 65535');
  return port;
}
