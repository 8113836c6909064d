// Our own options on the command lines of the stand-ins: `--patchbay-…`, which the programs they stand in for do not have.
import { GatewayError } from '../core/model/errors.ts';

/** An option of ours as it was read. */
export interface OwnOption {
  readonly name: string;
  readonly value: string;
  /** The words that it is made of. */
  readonly length: number;
}

/** Whether the word is meant for us. */
export function isOwnOption(word: string): boolean {
  return word.startsWith('--patchbay-');
}

/**
 * Reads `--name value` or `--name=value`. `known` holds the options there are, and what follows each. One that is
 * misspelt or has no value is `invalid`, for it would choose nobody and reach the agent.
 */
export function readOwnOption(known: ReadonlyMap<string, string>, word: string, next: string | undefined): OwnOption {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const what = known.get(name);
  if (what === undefined) {
    throw new GatewayError('invalid', `there is no option ${name}; there are ${[...known.keys()].join(', ')}`);
  }
  const value = equals < 0 ? next : word.slice(equals + 1);
  // The next option is no value: it was forgotten.
  if (value === undefined || value === '' || (equals < 0 && value.startsWith('-'))) {
    throw new GatewayError('invalid', `${name} needs ${what}`);
  }
  return { name, value, length: equals < 0 ? 2 : 1 };
}
