// The command line of the `eca` executable, with our own options in it. Pure: knows no file, no environment and no agent.
import { GatewayError } from '../../core/model/errors.ts';
import { isOwnOption, readOwnOption } from '../own-options.ts';

/** One of eca's options. */
interface Flag {
  readonly names: readonly string[];
  /** What follows it. */
  readonly value?: string;
}

/** The options of eca 0.155.1; that of the first era has the same. */
const flags: readonly Flag[] = [
  { names: ['--help', '-h'] },
  { names: ['--version'] },
  { names: ['--verbose'] },
  { names: ['--log-level'], value: 'a level' },
  { names: ['--config-file'], value: 'a file' },
];
const flagByName: ReadonlyMap<string, Flag> = new Map(flags.flatMap((flag) => flag.names.map((name) => [name, flag])));

const logLevels: readonly string[] = ['error', 'warn', 'info', 'debug'];

/** Our own options, which eca does not have, and what follows each. */
const own: ReadonlyMap<string, string> = new Map([
  ['--patchbay-agent', 'a name'],
  ['--patchbay-config', 'a file'],
]);

/** A command line of eca. */
export interface EcaArgv {
  readonly help: boolean;
  readonly version: boolean;
  /** Everything that can be told of the traffic goes to stderr. */
  readonly verbose: boolean;
  /** Whether it is to serve; otherwise nobody has said what to do. */
  readonly serves: boolean;
  /** By first name, ours too; of several the last one counts. */
  readonly values: ReadonlyMap<string, string>;
  /** eca's options, word for word, for an eca behind us. */
  readonly words: readonly string[];
}

/**
 * Reads the words behind the program's name. Throws `invalid` for an option or a command that there is not, for one without
 * its value, and for a log level that eca does not know.
 */
export function parseEcaArgv(line: readonly string[]): EcaArgv {
  const argv = line.flatMap(wordsOf);
  const values = new Map<string, string>();
  const given = new Set<string>();
  const words: string[] = [];
  const commands: string[] = [];

  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (isOwnOption(word)) {
      const { name, value, length } = readOwnOption(own, word, argv[at + 1]);
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
  if (stranger !== undefined) throw new GatewayError('invalid', `there is no command ${stranger}; there is server`);
  const level = values.get('--log-level');
  if (level !== undefined && !logLevels.includes(level)) {
    throw new GatewayError('invalid', `--log-level is ${logLevels.join(', ')}, not ${level}`);
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
 * Editors keep the arguments in one string and cut it at blanks, so that empty words come about; the first eca-vscode
 * passes all of it as one word.
 */
function wordsOf(word: string): readonly string[] {
  return /^--(?:[^\s=]+\s|.*\s--)/u.test(word) ? word.trim().split(/\s+/u) : word === '' ? [] : [word];
}

interface GivenFlag {
  readonly flag: Flag;
  /** The name as it was written. */
  readonly written: string;
  /** The words that it is made of. */
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
    throw new GatewayError('invalid', `there is no option ${written}; there are ${known}`);
  }
  if (flag.value === undefined) {
    if (equals >= 0) throw new GatewayError('invalid', `${written} takes no value`);
    return { flag, written, taken: [word], value: undefined };
  }
  const value = equals < 0 ? next : word.slice(equals + 1);
  // The next option is no value: it was forgotten.
  if (value === undefined || value === '' || (equals < 0 && value.startsWith('-'))) {
    throw new GatewayError('invalid', `${written} needs ${flag.value}`);
  }
  return { flag, written, taken: equals < 0 ? [word, value] : [word], value };
}
