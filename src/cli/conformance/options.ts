// The options of `patchbay conformance`, as they are on the command line. Does nothing.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Transport } from '../../conformance/check/check.ts';
import type { CheckSet } from '../../conformance/check/sets.ts';

/** What the options give. */
export interface ConformanceOptions {
  readonly as?: CheckSet['side'];
  readonly url: readonly string[];
  readonly token?: string;
  readonly transport?: Exclude<Transport, 'memory'>;
  readonly listen?: true | number;
  readonly stdio?: boolean;
  readonly trace: readonly string[];
  readonly whole?: boolean;
  readonly by?: 'agent' | 'client';
  readonly list?: boolean;
  readonly only: readonly string[];
  readonly knownFailing?: string;
  /** `true`: to stdout. */
  readonly json?: true | string;
  readonly junit?: true | string;
  readonly tap?: true | string;
  readonly html?: string;
  readonly markdown?: string;
  readonly explanations?: string;
  readonly label?: string;
  readonly model?: boolean;
  readonly prompts?: 'model' | 'demo' | 'none';
  readonly script?: string;
  readonly cwd?: string;
  readonly bounds?: string;
  readonly atOnce?: number;
  readonly patience: number;
  readonly verbose?: boolean;
}

/** Adds them. */
export function withConformanceOptions(command: Command): Command {
  return command
    .argument('[protocol]', 'what is spoken; see --list')
    .argument('[command...]', 'the program that is judged and its arguments, after `--`')
    .addOption(
      new Option('--as <side>', 'which side is judged (default: agent; of recordings both)').choices([
        'agent',
        'client',
      ]),
    )
    .option(
      '--url <url>',
      'an agent that listens: ws://…, or http://… for server-sent events (`/events` and `/frames` follow, `{session}` becomes a new name); may be repeated',
      append,
      [],
    )
    .option('--token <token>', 'the bearer token: of that agent, or for clients of ours (default: a new one)')
    .addOption(
      new Option('--transport <name>', 'which way, where an agent can be reached in several').choices([
        'websocket',
        'sse',
        'stdio',
      ]),
    )
    .option('--listen [port]', 'clients: wait for them over WebSocket and server-sent events (default)', port)
    .option('--stdio', 'clients: be the agent on our own stdin and stdout, for whoever starts us')
    .option('--trace <file>', 'judge what was recorded; may be repeated', append, [])
    .option('--whole', 'recordings: nothing was owed any more when they ended')
    .addOption(
      new Option('--by <side>', 'recordings: they hold the bare lines of that side').choices(['agent', 'client']),
    )
    .option('--list', 'list the checks and do nothing')
    .option('--only <pattern>', 'checks whose ids hold that word, or match it with `*`; may be repeated', append, [])
    .option('--known-failing <file>', 'ids that are expected not to pass, one a line; stale ones fail the run')
    .option('--json [file]', 'the report as JSON (without a file on stdout, and the table on stderr)')
    .option('--junit [file]', 'the same as JUnit XML')
    .option('--tap [file]', 'the same as TAP 14')
    .option('--html <file>', 'the same as one page, with the failing messages')
    .option('--markdown <file>', 'the same as a page of documentation')
    .option('--explanations <file>', 'for that page: JSON, why checks fail, by their ids or patterns with `*`')
    .option('--label <words>', 'what the reports call who is judged (default: the program or the address)')
    .option('--model', 'bring a fake Messages API for the agent along (default for pi, pi-legacy and claude)')
    .option('--no-model', 'bring none: the agent has a model of its own')
    .addOption(
      new Option(
        '--prompts <words>',
        'what the agent is prompted: words for the fake model, for our demo agent, or none',
      ).choices(['model', 'demo', 'none']),
    )
    .option('--script <file>', 'JSON, what to prompt by word, on top of those')
    .option('--cwd <folder>', 'where the program runs (default: a new folder, for clients here)')
    .option('--bounds <variable>', 'the agent reads bounds as JSON from that variable of its environment')
    .option('--at-once <count>', 'checks at the same time (default 8, programs on stdio 2)', wholeNumber)
    .option('--patience <ms>', 'how long a check waits for anything', wholeNumber, 10_000)
    .option('--verbose', 'a line for each check as it ends, and all of them in the table');
}

function append(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('must be a whole number above 0');
  return number;
}

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/u.test(text) || number > 65535) throw new InvalidArgumentError('must be a number from 0 to 65535');
  return number;
}
