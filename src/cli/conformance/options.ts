// Declares the options of `patchbay conformance`.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Transport } from '../../conformance/check/check.ts';
import type { CheckSet } from '../../conformance/check/sets.ts';
import { programsAtOnce, usuallyAtOnce } from '../../conformance/runner/at-once.ts';
import { messageOf } from '../../core/model/errors.ts';

/** A version of the sets of a protocol. */
export interface PinnedSet {
  readonly protocol: string;
  readonly version: string;
}

/** The parsed options. */
export interface ConformanceOptions {
  readonly as?: CheckSet['side'];
  readonly url: readonly string[];
  readonly ready?: RegExp;
  readonly token?: string;
  readonly transport?: Exclude<Transport, 'memory'>;
  readonly listen?: true | number;
  readonly stdio?: boolean;
  readonly trace: readonly string[];
  readonly whole?: boolean;
  readonly by?: 'agent' | 'client';
  readonly list?: boolean;
  readonly only: readonly string[];
  readonly set?: PinnedSet;
  readonly asOf?: string;
  readonly knownFailing?: string;
  /** A file name, or `true` for stdout. */
  readonly json?: true | string;
  readonly junit?: true | string;
  readonly tap?: true | string;
  readonly html?: string;
  readonly markdown?: string;
  readonly badge?: string;
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

/** Adds the options and arguments to the command. */
export function withConformanceOptions(command: Command): Command {
  return command
    .argument('[protocol]', 'the protocol to check; see --list')
    .argument('[command...]', 'the program to judge and its arguments, after `--`')
    .addOption(
      new Option('--as <side>', 'the side to judge (default: agent; for recordings both)').choices(['agent', 'client']),
    )
    .option(
      '--url <url>',
      'address of an agent: ws://…, or http://… for server-sent events (`/events` and `/frames` are appended, `{session}` is replaced by a new name); may be repeated',
      append,
      [],
    )
    .option(
      '--ready <pattern>',
      'the program listens: a regular expression for the line that names its address, which replaces `{ready}` in --url (default: is the address); a group `token` is its token. `{port}` in the command and in --url becomes a free port',
      regularExpression,
    )
    .option(
      '--token <token>',
      'the bearer token: of the agent, or the one that clients must send to us (default: a new one)',
    )
    .addOption(
      new Option('--transport <name>', 'the transport, if an agent can be reached over several').choices([
        'websocket',
        'sse',
        'stdio',
      ]),
    )
    .option('--listen [port]', 'clients: wait for them over WebSocket and server-sent events (default)', port)
    .option('--stdio', 'clients: be the agent on our own stdin and stdout, for a client that starts us')
    .option('--trace <file>', 'judge a recording; may be repeated', append, [])
    .option('--whole', 'recordings: they are complete, so that a missing answer at the end is a failure')
    .addOption(
      new Option('--by <side>', 'recordings: they hold only the plain lines of this side').choices(['agent', 'client']),
    )
    .option('--list', 'list the checks and run none')
    .option(
      '--only <pattern>',
      'only checks whose ids contain this word, or match it with `*`; may be repeated',
      append,
      [],
    )
    .option('--set <protocol@version>', 'the checks as they were in that version of their set, e.g. pi@1', pinnedSet)
    .option(
      '--as-of <version>',
      'only checks that describe this version of the program or an older one, e.g. 0.31.1',
      programVersion,
    )
    .option(
      '--known-failing <file>',
      'ids of checks that are expected not to pass, one per line; a stale id fails the run',
    )
    .option('--json [file]', 'the report as JSON (without a file: to stdout, and the table to stderr)')
    .option('--junit [file]', 'the same as JUnit XML')
    .option('--tap [file]', 'the same as TAP 14')
    .option('--html <file>', 'the same as an HTML page, with the failing messages')
    .option('--markdown <file>', 'the same as a page of documentation')
    .option('--badge <file>', 'the number of checks that passed, as an SVG for a README')
    .option(
      '--explanations <file>',
      'for --markdown: JSON with reasons for failures, by check id or by pattern with `*`',
    )
    .option('--label <words>', 'name of the judged peer in the reports (default: the program or the address)')
    .option('--model', 'give the agent a fake Messages API (default for pi, pi-legacy and claude)')
    .option('--no-model', 'give it none: the agent has its own model')
    .addOption(
      new Option(
        '--prompts <words>',
        'the prompts for the agent: those for the fake model, for our demo agent, or none',
      ).choices(['model', 'demo', 'none']),
    )
    .option('--script <file>', 'JSON file with further prompts by scenario word')
    .option(
      '--cwd <folder>',
      'working directory of the program (default: a new folder; for clients the current directory)',
    )
    .option('--bounds <variable>', 'environment variable from which the agent reads its limits as JSON')
    .option(
      '--at-once <count>',
      `number of checks at the same time (default ${usuallyAtOnce}, for programs on stdio ${programsAtOnce})`,
      wholeNumber,
    )
    .option('--patience <ms>', 'how long a check waits for a frame', wholeNumber, 10_000)
    .option('--verbose', 'print a line for each check as it ends, and all checks in the table');
}

function append(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('must be a whole number above 0');
  return number;
}

function regularExpression(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (thrown) {
    throw new InvalidArgumentError(messageOf(thrown));
  }
}

function pinnedSet(text: string): PinnedSet {
  const [, protocol, version] = /^([a-z-]+)@([1-9]\d{0,3})$/u.exec(text) ?? [];
  if (protocol === undefined || version === undefined) throw new InvalidArgumentError('must be e.g. pi@1');
  return { protocol, version };
}

function programVersion(text: string): string {
  if (!/^\d{1,6}(\.\d{1,6}){0,2}$/u.test(text)) throw new InvalidArgumentError('must be e.g. 0.31.1');
  return text;
}

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/u.test(text) || number > 65535) throw new InvalidArgumentError('must be a number from 0 to 65535');
  return number;
}
