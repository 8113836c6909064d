// Parses the command line of the `pi` executable as pi does. Pure.
import { isStandInOption, readStandInOption } from '../stand-in-options.ts';

/** An option of pi. */
interface Flag {
  readonly names: readonly string[];
  /** Whether a value follows. `optional`: the next word, unless it looks like an option (`-…`) or a file (`@…`). */
  readonly value?: 'always' | 'optional';
  /** pi 0.13.2 has the option too. It would take an unknown option as a prompt, or swallow the next word. */
  readonly legacy?: true;
  /** The option makes pi do something other than serve; `--print` only if no mode is given. */
  readonly instead?: true;
  /** An agent of another protocol may ignore the option: such an agent already behaves this way. */
  readonly idle?: true;
}

/** The options of pi 0.54.2 (its `--help`). They cover 0.13.2 and are unchanged in 1.5.2. */
const flags: readonly Flag[] = [
  { names: ['--mode'], value: 'always', legacy: true, idle: true },
  { names: ['--provider'], value: 'always', legacy: true },
  { names: ['--model'], value: 'always', legacy: true },
  { names: ['--thinking'], value: 'always', legacy: true },
  { names: ['--api-key'], value: 'always', legacy: true },
  { names: ['--system-prompt'], value: 'always', legacy: true },
  { names: ['--append-system-prompt'], value: 'always', legacy: true },
  { names: ['--continue', '-c'], legacy: true },
  { names: ['--session'], value: 'always', legacy: true },
  { names: ['--session-dir'], value: 'always' },
  { names: ['--no-session'], legacy: true, idle: true },
  { names: ['--models'], value: 'always', legacy: true },
  { names: ['--tools'], value: 'always', legacy: true },
  { names: ['--no-tools'] },
  { names: ['--extension', '-e'], value: 'always' },
  { names: ['--no-extensions', '-ne'], idle: true },
  { names: ['--skill'], value: 'always' },
  { names: ['--no-skills', '-ns'], idle: true },
  { names: ['--prompt-template'], value: 'always' },
  { names: ['--no-prompt-templates', '-np'], idle: true },
  { names: ['--theme'], value: 'always', idle: true },
  { names: ['--no-themes'], idle: true },
  { names: ['--verbose'], idle: true },
  { names: ['--print', '-p'], legacy: true, instead: true },
  { names: ['--resume', '-r'], legacy: true, instead: true },
  { names: ['--export'], value: 'always', legacy: true, instead: true },
  { names: ['--list-models'], value: 'optional', instead: true },
];
const flagByName: ReadonlyMap<string, Flag> = new Map(flags.flatMap((flag) => flag.names.map((name) => [name, flag])));

/** First arguments of pi's package commands. */
const subcommands: ReadonlySet<string> = new Set(['install', 'remove', 'update', 'list', 'config']);

/** The `--patchbay-…` options, each with a description of its value. */
const own: ReadonlyMap<string, string> = new Map([
  ['--patchbay-agent', 'a name'],
  ['--patchbay-config', 'a file'],
  ['--patchbay-dialect', 'a name'],
]);

/** An option as given. */
export interface Given {
  /** The first name of the option, or the word as written if pi 0.54 has no such option. */
  readonly name: string;
  /** The command-line arguments of the option. */
  readonly words: readonly string[];
  readonly legacy: boolean;
  readonly idle: boolean;
}

/** A parsed command line of pi. */
export interface PiArgv {
  readonly help: boolean;
  readonly version: boolean;
  /** The word or phrase that makes pi do something other than serve on stdin and stdout; null if pi would serve. */
  readonly instead: string | null;
  /**
   * Option values by the first name of the option, `--patchbay-…` included. The last one of several counts, as in pi.
   */
  readonly values: ReadonlyMap<string, string>;
  readonly given: readonly Given[];
  /** The command line without `--patchbay-…` options, verbatim. */
  readonly words: readonly string[];
}

/**
 * Parses the arguments after the program name. Keeps arguments that pi does not know, for the agent. Throws `invalid`
 * for a `--patchbay-…` option that is unknown or has no value.
 */
export function parsePiArgv(argv: readonly string[]): PiArgv {
  const values = new Map<string, string>();
  const given: Given[] = [];
  const words: string[] = [];
  /** Words that make pi do something other than serve; the first one is reported. */
  const errands: string[] = subcommands.has(argv[0] ?? '') ? argv.slice(0, 1) : [];
  /** The same, but only if no mode is given. */
  const talks: string[] = [];

  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const next = argv[at + 1];
    if (isStandInOption(word)) {
      const { name, value, length } = readStandInOption(own, word, next);
      values.set(name, value);
      at += length - 1;
      continue;
    }
    const flag = flagByName.get(word);
    const value = flag !== undefined && takes(flag, next) ? next : undefined;
    const taken = value === undefined ? [word] : [word, value];
    at += taken.length - 1;
    words.push(...taken);
    if (word.startsWith('@')) errands.push(word);
    else if (!word.startsWith('-')) talks.push(`the message ${JSON.stringify(word)}`);
    if (!word.startsWith('-')) continue;
    const name = flag?.names[0] ?? word;
    if (name === '--print') talks.push(word);
    else if (flag?.instead === true) errands.push(word);
    if (value !== undefined) values.set(name, value);
    given.push({ name, words: taken, legacy: flag?.legacy === true, idle: flag?.idle === true });
  }

  const mode = values.get('--mode');
  if (mode !== undefined && mode !== 'rpc') errands.push(`--mode ${mode}`);
  if (mode === undefined) errands.push(...talks);
  const has = (...names: string[]) => given.some(({ name }) => names.includes(name));
  return {
    help: has('--help', '-h'),
    version: has('--version', '-v'),
    instead: errands[0] ?? null,
    values,
    given,
    words,
  };
}

function takes({ value }: Flag, next: string | undefined): boolean {
  if (value === undefined || next === undefined) return false;
  return value === 'always' || !/^[-@]/u.test(next);
}

/** The model and thinking level that the command line requests. */
export interface ModelWish {
  readonly provider?: string;
  readonly model?: string;
  readonly thinking?: string;
}

const thinkingSuffix = /^(.+):(off|minimal|low|medium|high|xhigh)$/u;

/** Reads `--provider x --model y`, and pi's short forms `x/y` and `y:high`. Model patterns stay unchanged. */
export function modelWish({ values }: PiArgv): ModelWish {
  const [, name = values.get('--model'), suffix] = thinkingSuffix.exec(values.get('--model') ?? '') ?? [];
  const thinking = values.get('--thinking') ?? suffix;
  const given = values.get('--provider');
  const slash = given === undefined ? (name ?? '').indexOf('/') : -1;
  const provider = slash > 0 ? name?.slice(0, slash) : given;
  const model = slash > 0 ? name?.slice(slash + 1) : name;
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}
