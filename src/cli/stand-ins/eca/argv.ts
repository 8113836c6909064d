// Parses the command line of the `eca` executable, including the `--patchbay-…` options. Pure.
import { GatewayError } from '../../../core/model/errors.ts';
import { isStandInOption, readStandInOption } from '../stand-in-options.ts';

/** An option of eca. */
interface Flag {
  readonly names: readonly string[];
  /** Description of its value; undefined for an option without a value. */
  readonly value?: string;
}

/** The options of eca 0.155.1; the first versions of eca have the same ones. */
const flags: readonly Flag[] = [
  { names: ['--help', '-h'] },
  { names: ['--version'] },
  { names: ['--verbose'] },
  { names: ['--log-level'], value: 'a level' },
  { names: ['--config-file'], value: 'a file' },
];
const flagByName: ReadonlyMap<string, Flag> = new Map(flags.flatMap((flag) => flag.names.map((name) => [name, flag])));

const logLevels: readonly string[] = ['error', 'warn', 'info', 'debug'];

/** The `--patchbay-…` options, each with a description of its value. */
const own: ReadonlyMap<string, string> = new Map([
  ['--patchbay-agent', 'a name'],
  ['--patchbay-config', 'a file'],
]);

/** A parsed command line of eca. */
export interface EcaArgv {
  readonly help: boolean;
  readonly version: boolean;
  /** Log all repairs and losses to stderr. */
  readonly verbose: boolean;
  /** The command `server` was given; eca has no other command. */
  readonly serves: boolean;
  /** Option values by the first name of the option, `--patchbay-…` included. The last one of several counts. */
  readonly values: ReadonlyMap<string, string>;
  /** eca's options, verbatim, for an eca agent. */
  readonly words: readonly string[];
}

/**
 * Parses the arguments after the program name. Throws `invalid` for an unknown option or command, a missing value, and
 * an unknown log level.
 */
export function parseEcaArgv(line: readonly string[]): EcaArgv {
  const argv = line.flatMap(wordsOf);
  const values = new Map<string, string>();
  const given = new Set<string>();
  const words: string[] = [];
  const commands: string[] = [];

  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (isStandInOption(word)) {
      const { name, value, length } = readStandInOption(own, word, argv[at + 1]);
      values.set(name, value);
      at += length - 1;
      continue;
    }
    if (!word.startsWith('-')) {
      commands.push(word);
      continue;
    }
    const { flag, written, taken, value } = readFlag(word, argv[at + 1]);
    at += taken.length - 1;
    given.add(flag.names[0] ?? written);
    if (value !== undefined) values.set(flag.names[0] ?? written, value);
    words.push(...taken);
  }

  const [command, ...more] = commands;
  const [stranger] = command === 'server' ? more : commands;
  if (stranger !== undefined)
    throw new GatewayError('invalid', `unknown command ${stranger}; the only command is server`);
  const level = values.get('--log-level');
  if (level !== undefined && !logLevels.includes(level)) {
    throw new GatewayError('invalid', `--log-level must be one of ${logLevels.join(', ')}, not ${level}`);
  }
  return {
    help: given.has('--help'),
    version: given.has('--version'),
    verbose: given.has('--verbose') || level === 'debug',
    serves: command === 'server',
    values,
    words,
  };
}

/**
 * Splits and drops words as editors require: editors split an argument string at blanks, which leaves empty words;
 * early versions of eca-vscode pass the whole string as one word.
 */
function wordsOf(word: string): readonly string[] {
  return /^--(?:[^\s=]+\s|.*\s--)/u.test(word) ? word.trim().split(/\s+/u) : word === '' ? [] : [word];
}

interface GivenFlag {
  readonly flag: Flag;
  /** The name as written. */
  readonly written: string;
  /** The command-line arguments of the option. */
  readonly taken: readonly string[];
  readonly value: string | undefined;
}

/** Reads `--name`, `--name value` or `--name=value`. */
function readFlag(word: string, next: string | undefined): GivenFlag {
  const equals = word.indexOf('=');
  const written = equals < 0 ? word : word.slice(0, equals);
  const flag = flagByName.get(written);
  if (flag === undefined) {
    const known = [...flagByName.keys(), ...own.keys()].join(', ');
    throw new GatewayError('invalid', `unknown option ${written}; the options are ${known}`);
  }
  if (flag.value === undefined) {
    if (equals >= 0) throw new GatewayError('invalid', `${written} takes no value`);
    return { flag, written, taken: [word], value: undefined };
  }
  const value = equals < 0 ? next : word.slice(equals + 1);
  // A word that starts with a dash is the next option: the value is missing.
  if (value === undefined || value === '' || (equals < 0 && value.startsWith('-'))) {
    throw new GatewayError('invalid', `${written} needs ${flag.value}`);
  }
  return { flag, written, taken: equals < 0 ? [word, value] : [word], value };
}
