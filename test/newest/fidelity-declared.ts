// Where the newest pi behind the gateway says otherwise than by itself, each with its reason. The words are those of the lines that only
// one side says: `-` pi by itself, `+` behind the gateway.
import type { Declared } from './cell.ts';

const differs = (words: RegExp, why: string): Declared => ({ is: 'differs', words, why });

/** By scenario. */
export const differences: ReadonlyMap<string, Declared> = new Map([
  [
    'bad: a prompt without words',
    differs(
      /^- .*"error":"Cannot read properties of undefined \(reading 'startsWith'\)".*\n\+ .*"error":"prompt: message: .*expected string[^\n]*$/u,
      'such a prompt does not reach pi; the refusal says what is missing',
    ),
  ],
]);
