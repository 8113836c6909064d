// The form of a reason why a mutant is legal.

/** What a mutant changes, as a pattern over its name; in which protocols, where not in all; and why it is legal. */
export interface Reason {
  readonly pattern: RegExp;
  readonly protocols?: readonly string[];
  readonly why: string;
}

/** A pattern for one of these ways to change a field with one of these names. */
export const field = (ways: string, ...names: readonly string[]): RegExp =>
  new RegExp(`^(?:${ways}) \\S+ (?:.*\\.)?(?:${names.join('|')})$`, 'u');

/** All ways to change a value. */
export const anyWay = 'remove|retype|null|other|truncate';
