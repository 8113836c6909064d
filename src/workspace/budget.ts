// What one prompt may still carry and look at, and the words for where that ended. Knows no file.
import { limits } from './limits.ts';
import type { Effort } from './walk.ts';

/** Shared by all contexts of a prompt. */
export interface Budget extends Effort {
  /** Bytes that it may still carry. */
  bytes: number;
  /** UTF-16 units in which lines may still be looked for. */
  search: number;
}

/** What a model is told of a context, and its user where that is not all of it. */
export interface Told {
  readonly text: string | null;
  readonly problem?: string;
}

export function newBudget(): Budget {
  return { bytes: limits.prompt, search: limits.searches, visits: limits.visits, tries: limits.tries };
}

/** So many bytes, in words. */
export function inWords(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes >= 1024 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;
}

export const isFull = `a prompt carries ${inWords(limits.prompt)} of contexts`;

/** The text, paid for; null when the prompt has no room for it. */
export function paid(text: string, budget: Budget): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > budget.bytes) return null;
  budget.bytes -= bytes;
  return text;
}

/** Longest part of what a client said that a sentence repeats. */
const longestName = 200;

/** What the client itself said, for a sentence. */
export function named(said: string): string {
  return JSON.stringify(said.length > longestName ? `${said.slice(0, longestName)}…` : said);
}

/** The sentence for what is not there at all. */
export function leftOut(kind: string, said: string, fault: string): Told {
  return { text: null, problem: `The ${kind} ${named(said)} was left out: ${fault}.` };
}
