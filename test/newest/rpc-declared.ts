// What is otherwise with an agent that is no pi, or with the gateway before one, as data: each with its reason.
import type { Declared } from './cell.ts';

/** Steps that the agent, or the gateway for it, refuses, by the words of the refusal. */
export const refusals: ReadonlyMap<string, ReadonlyMap<string, Declared>> = new Map();

/** A part of an answer that is not there. */
export interface Lack {
  readonly agent: string;
  /** A line of `shapeDifferences`. */
  readonly line: RegExp;
  readonly why: string;
}
export const lacks: readonly Lack[] = [];
