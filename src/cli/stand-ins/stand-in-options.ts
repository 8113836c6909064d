// Reads the `--patchbay-…` options of the stand-ins, which the replaced programs do not have.
import { GatewayError } from '../../core/model/errors.ts';

/** A parsed `--patchbay-…` option. */
export interface StandInOption {
  readonly name: string;
  readonly value: string;
  /** Number of command-line words the option consists of: 1 or 2. */
  readonly length: number;
}

/** Whether the word is a `--patchbay-…` option. */
export function isStandInOption(word: string): boolean {
  return word.startsWith('--patchbay-');
}

/**
 * Reads `--name value` or `--name=value`. `known` maps each option to a description of its value. Throws `invalid` for
 * an unknown option and for a missing value; otherwise the option would be ignored here and passed to the agent.
 */
export function readStandInOption(
  known: ReadonlyMap<string, string>,
  word: string,
  next: string | undefined,
): StandInOption {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const what = known.get(name);
  if (what === undefined) {
    throw new GatewayError(
      'invalid',
      `unknown option ${name}; the options of Patchbay are ${[...known.keys()].join(', ')}`,
    );
  }
  const value = equals < 0 ? next : word.slice(equals + 1);
  // A word that starts with a dash is the next option: the value is missing.
  if (value === undefined || value === '' || (equals < 0 && value.startsWith('-'))) {
    throw new GatewayError('invalid', `${name} needs ${what}`);
  }
  return { name, value, length: equals < 0 ? 2 : 1 };
}
