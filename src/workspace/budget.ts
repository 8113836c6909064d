// The remaining budget of one prompt for contexts, and the sentences for contexts that were left out.
import { limits } from './limits.ts';
import type { Effort } from './walk.ts';

/** The remaining budget, shared by all contexts of a prompt. */
export interface Budget extends Effort {
  /** Bytes that the prompt may still carry. */
  bytes: number;
  /** UTF-16 units of text that may still be searched for line ends, to find the lines that a client names. */
  search: number;
}

/** The text of a context for the model, and a sentence for the user if the context is incomplete. */
export interface FoundText {
  readonly text: string | null;
  readonly problem?: string;
}

export function newBudget(): Budget {
  return { bytes: limits.prompt, search: limits.searches, visits: limits.visits, tries: limits.tries };
}

/** A number of bytes, in words. */
export function inWords(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes >= 1024 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;
}

export const isFull = `a prompt carries ${inWords(limits.prompt)} of contexts`;

/** Charges the text to the budget and returns it; null if the prompt has no room. */
export function paid(text: string, budget: Budget): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > budget.bytes) return null;
  budget.bytes -= bytes;
  return text;
}

/** Longest client text quoted in a sentence. */
const longestName = 200;

/** Quotes client text for a sentence. */
export function named(path: string): string {
  return JSON.stringify(path.length > longestName ? `${path.slice(0, longestName)}…` : path);
}

/** The sentence for a context that was left out. */
export function leftOut(kind: string, path: string, fault: string): FoundText {
  return { text: null, problem: `The ${kind} ${named(path)} was left out: ${fault}.` };
}
