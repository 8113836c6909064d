// The command line of the `pi` executable, read as pi reads it. Pure: knows no file, no environment and no agent.
import { isOwnOption, readOwnOption } from '../own-options.ts';

/** One of pi's options: what follows it, and who knows it. */
interface Flag {
  readonly names: readonly string[];
  /** `optional`: a word that looks neither like an option nor like a file. */
  readonly value?: 'always' | 'optional';
  /** pi 0.13.2 has it too; a newer one would be a message to it, or take the next word along. */
  readonly legacy?: true;
  /** pi then does something else than to serve; with `--print` only when no mode is given. */
  readonly instead?: true;
  /** Says nothing to an agent of another kind: it asks for what such an agent does anyway. */
  readonly idle?: true;
}

/** The options of pi 0.54.2 (its `--help`), which are also those of 0.13.2 and still those of 1.5.2. */
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

/** The words with which pi manages its packages, as the first of the line. */
const subcommands: ReadonlySet<string> = new Set(['install', 'remove', 'update', 'list', 'config']);

/** Our own options, which pi does not have, and what follows each. */
const own: ReadonlyMap<string, string> = new Map([
  ['--patchbay-agent', 'a name'],
  ['--patchbay-config', 'a file'],
  ['--patchbay-dialect', 'a name'],
]);

/** One option as it was given. */
export interface Given {
  /** The first of its names, or what was written where pi 0.54 has no such option. */
  readonly name: string;
  /** The words of the line that it is made of. */
  readonly words: readonly string[];
  readonly legacy: boolean;
  readonly idle: boolean;
}

/** A command line of pi. */
export interface PiArgv {
  readonly help: boolean;
  readonly version: boolean;
  /** What pi would do something else for than to serve on stdin and stdout, as people say it; null: it would serve. */
  readonly instead: string | null;
  /** By first name, ours too. Where an option is given twice the last one counts, as for pi. */
  readonly values: ReadonlyMap<string, string>;
  readonly given: readonly Given[];
  /** The line without our own options, word for word. */
  readonly words: readonly string[];
}

/**
 * Reads the words behind the program's name. What pi would not understand is kept and passed on; an option of ours that
 * is misspelt or has no value is `invalid`, for it would choose nobody and reach the agent.
 */
export function parsePiArgv(argv: readonly string[]): PiArgv {
  const values = new Map<string, string>();
  const given: Given[] = [];
  const words: string[] = [];
  /** What pi would rather do; the first one is told. */
  const errands: string[] = subcommands.has(argv[0] ?? '') ? argv.slice(0, 1) : [];
  /** What only a pi without a mode would do. */
  const talks: string[] = [];

  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const next = argv[at + 1];
    if (isOwnOption(word)) {
      const { name, value, length } = readOwnOption(own, word, next);
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

/** The model that the line asks for. */
export interface ModelWish {
  readonly provider?: string;
  readonly model?: string;
  readonly thinking?: string;
}

const thinkingSuffix = /^(.+):(off|minimal|low|medium|high|xhigh)$/u;

/** Reads `--provider x --model y`, and pi's short forms `x/y` and `y:high`. Patterns stay as they are. */
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
