// Parses a prompt as a script: text in, steps out, as plain data.
import { type Amount, type VerbName, verbByName } from './script-verbs.ts';

/** One step of a script. `echo` repeats the prompt. */
export interface Step {
  readonly verb: VerbName | 'echo';
  /** The verb's number, 0 for verbs without a number. */
  readonly amount: number;
}

/**
 * The steps of a prompt. Verbs run in the order of the text, in upper or lower case, with or without a slash. Any other
 * word, and a prompt without a word, adds one echo at the end.
 */
export function parseScript(prompt: string): Step[] {
  const steps: Step[] = [];
  const words = prompt.toLowerCase().split(/\s+/u).filter(Boolean);
  let others = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const verb = verbByName.get(word.replace(/^\//u, ''));
    if (verb === undefined) {
      others += 1;
      continue;
    }
    const given = verb.amount === undefined ? null : readAmount(words[at + 1], verb.amount);
    if (given !== null) at += 1;
    steps.push({ verb: verb.name, amount: given ?? verb.amount?.fallback ?? 0 });
  }
  return others > 0 || steps.length === 0 ? [...steps, { verb: 'echo', amount: 0 }] : steps;
}

function readAmount(word: string | undefined, { least, most }: Amount): number | null {
  if (word === undefined || !/^\d+$/u.test(word)) return null;
  return Math.min(most, Math.max(least, Number(word)));
}
