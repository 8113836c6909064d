// Parses the command line of the `claude` executable as Claude Code does: `--name value` and `--name=value`; unknown
// options are kept. Pure.
import { GatewayError } from '../../../core/model/errors.ts';
import { isStandInOption, readStandInOption } from '../stand-in-options.ts';

/** An option of Claude Code. */
interface Flag {
  readonly names: readonly string[];
  /**
   * Which values follow. `optional`: the next word, unless it looks like an option. `many`: all words up to the next
   * option.
   */
  readonly value?: 'always' | 'optional' | 'many';
  /** The option concerns our client side: never passed to the agent. */
  readonly ours?: true;
  /** An agent of another protocol may ignore the option: such an agent already behaves this way. */
  readonly idle?: true;
}

/** The options of Claude Code 2.1.330, and further ones that the SDK 0.3.330 passes. */
const flags: readonly Flag[] = [
  { names: ['--print', '-p'], ours: true },
  { names: ['--output-format'], value: 'always', ours: true },
  { names: ['--input-format'], value: 'always', ours: true },
  { names: ['--include-partial-messages'], ours: true },
  { names: ['--replay-user-messages'], ours: true },
  { names: ['--verbose'], ours: true },
  { names: ['--help', '-h'], ours: true },
  { names: ['--version', '-v'], ours: true },

  { names: ['--model'], value: 'always' },
  { names: ['--permission-mode'], value: 'always' },
  { names: ['--dangerously-skip-permissions'] },
  { names: ['--thinking'], value: 'always' },
  { names: ['--max-thinking-tokens'], value: 'always' },
  { names: ['--effort'], value: 'always' },
  { names: ['--continue', '-c'] },
  { names: ['--resume', '-r'], value: 'optional' },
  { names: ['--session-id'], value: 'always' },
  { names: ['--fork-session'] },

  { names: ['--permission-prompt-tool'], value: 'always', idle: true },
  { names: ['--allow-dangerously-skip-permissions'], idle: true },
  { names: ['--setting-sources'], value: 'always', idle: true },
  { names: ['--strict-mcp-config'], idle: true },
  { names: ['--no-session-persistence'] },
  { names: ['--disable-slash-commands'], idle: true },
  { names: ['--thinking-display'], value: 'always', idle: true },
  { names: ['--include-hook-events'], idle: true },
  { names: ['--await-initialize'], idle: true },
  // The `initialize` request itself is answered by the frontend.
  { names: ['--initialize-fields'], value: 'always', idle: true },
  { names: ['--managed-settings-in-initialize'], idle: true },
  { names: ['--session-mirror'], idle: true },
  { names: ['--debug', '-d'], value: 'optional', idle: true },
  { names: ['--debug-file'], value: 'always', idle: true },
  { names: ['--mcp-debug'], idle: true },
  { names: ['--bare'], idle: true },
  { names: ['--brief'], idle: true },
  { names: ['--ide'], idle: true },
  { names: ['--no-chrome'], idle: true },

  { names: ['--add-dir'], value: 'many' },
  { names: ['--agent'], value: 'always' },
  { names: ['--agents'], value: 'always' },
  { names: ['--allowedTools', '--allowed-tools'], value: 'many' },
  { names: ['--disallowedTools', '--disallowed-tools'], value: 'many' },
  { names: ['--tools'], value: 'many' },
  { names: ['--append-system-prompt'], value: 'always' },
  { names: ['--append-system-prompt-file'], value: 'always' },
  { names: ['--system-prompt'], value: 'always' },
  { names: ['--system-prompt-file'], value: 'always' },
  { names: ['--betas'], value: 'many' },
  { names: ['--channels'], value: 'always' },
  { names: ['--chrome'] },
  { names: ['--fallback-model'], value: 'always' },
  { names: ['--file'], value: 'many' },
  { names: ['--from-pr'], value: 'optional' },
  { names: ['--json-schema'], value: 'always' },
  { names: ['--managed-settings'], value: 'always' },
  { names: ['--max-budget-usd'], value: 'always' },
  { names: ['--max-turns'], value: 'always' },
  { names: ['--mcp-config'], value: 'many' },
  { names: ['--name', '-n'], value: 'always' },
  { names: ['--permission-prompts'], value: 'always' },
  { names: ['--plugin-dir'], value: 'always' },
  { names: ['--plugin-dir-no-mcp'], value: 'always' },
  { names: ['--project-config-root'], value: 'always' },
  { names: ['--resume-drops-turn'], value: 'always' },
  { names: ['--resume-session-at'], value: 'always' },
  { names: ['--rewind-files'], value: 'always' },
  { names: ['--settings'], value: 'always' },
  { names: ['--task-budget'], value: 'always' },
  { names: ['--tmux'] },
  { names: ['--worktree', '-w'], value: 'optional' },
];
const flagByName: ReadonlyMap<string, Flag> = new Map(flags.flatMap((flag) => flag.names.map((name) => [name, flag])));

/** The `--patchbay-…` options, each with a description of its value. */
const own: ReadonlyMap<string, string> = new Map([
  ['--patchbay-agent', 'a name'],
  ['--patchbay-config', 'a file'],
]);

const Formats = {
  input: ['text', 'stream-json'],
  output: ['text', 'json', 'stream-json'],
} as const;

/** The formats of prompts and answers. */
export type InputFormat = (typeof Formats.input)[number];
export type OutputFormat = (typeof Formats.output)[number];

/** An option as given. */
export interface Given {
  /** The first name of the option, or the word as written if Claude Code has no such option. */
  readonly name: string;
  /** The command-line arguments of the option. */
  readonly words: readonly string[];
  readonly ours: boolean;
  readonly idle: boolean;
}

/** A parsed command line of Claude Code. */
export interface ClaudeArgv {
  readonly help: boolean;
  readonly version: boolean;
  readonly print: boolean;
  readonly input: InputFormat;
  readonly output: OutputFormat;
  /** Words outside options, in order: a prompt, or a command such as `auth status`. */
  readonly words: readonly string[];
  /** Option values by the first name of the option, `--patchbay-…` included. The last one of several counts. */
  readonly values: ReadonlyMap<string, string>;
  readonly given: readonly Given[];
  has(name: string): boolean;
}

/**
 * Parses the arguments after the program name. Throws `invalid` for an unknown format, and for a `--patchbay-…` option
 * that is unknown or has no value.
 */
export function parseClaudeArgv(argv: readonly string[]): ClaudeArgv {
  const values = new Map<string, string>();
  const given: Given[] = [];
  const words: string[] = [];

  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (!isOption(word)) {
      // An empty word has no meaning, as in `--replay-user-messages ''`.
      if (word !== '') words.push(word);
      continue;
    }
    if (isStandInOption(word)) {
      const { name, value, length } = readStandInOption(own, word, argv[at + 1]);
      values.set(name, value);
      at += length - 1;
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const written = equals < 0 ? word : word.slice(0, equals);
    const flag = flagByName.get(written);
    const name = flag?.names[0] ?? written;
    const taken = equals < 0 ? valuesAfter(flag, argv, at) : [];
    at += taken.length;
    const value = equals < 0 ? taken.at(-1) : word.slice(equals + 1);
    if (value !== undefined) values.set(name, value);
    given.push({ name, words: [word, ...taken], ours: flag?.ours === true, idle: flag?.idle === true });
  }

  const has = (name: string) => given.some((flag) => flag.name === name);
  return {
    help: has('--help'),
    version: has('--version'),
    print: has('--print'),
    input: formatOf('--input-format', Formats.input, values),
    output: formatOf('--output-format', Formats.output, values),
    words,
    values,
    given,
    has,
  };
}

/** A single dash is a word, not an option. */
function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/**
 * The values of an option among the following words. An unknown option takes one, because the SDK passes `--name
 * value`.
 */
function valuesAfter(flag: Flag | undefined, argv: readonly string[], at: number): readonly string[] {
  const rest = argv.slice(at + 1);
  const free = rest.findIndex(isOption);
  const words = free < 0 ? rest : rest.slice(0, free);
  if (flag === undefined) return words.slice(0, 1);
  switch (flag.value) {
    case undefined:
      return [];
    case 'always':
      return rest.slice(0, 1);
    case 'optional':
      return words.slice(0, 1);
    case 'many':
      return words;
    default:
      return flag.value satisfies never;
  }
}

function formatOf<Format extends string>(
  name: string,
  formats: readonly [Format, ...Format[]],
  values: ReadonlyMap<string, string>,
): Format {
  const wanted = values.get(name);
  const format = wanted === undefined ? formats[0] : formats.find((known) => known === wanted);
  if (format !== undefined) return format;
  throw new GatewayError('invalid', `${name} must be ${formats.join(' or ')}, not ${wanted}`);
}
