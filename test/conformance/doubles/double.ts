// What a broken pi-server is: a fault, and the checks that must find it. Helpers to write one in a line or two.
import type { Dictionary } from '../../../src/core/content.ts';
import { dictionaryOf } from '../../../src/core/dictionary.ts';
import type { Tamper } from './tamper.ts';

/** A correct server made wrong. */
export interface Double {
  /** What is wrong, as a sentence. */
  readonly fault: string;
  /** Checks that must fail, without `pi-server/`. */
  readonly caught: readonly string[];
  /** Checks that may fail, for they are about the same. */
  readonly kin?: readonly string[];
  /** A tamperer for one run. */
  make(): Tamper;
}

export const dataOf = (frame: Dictionary): Dictionary => dictionaryOf(frame.data);
export const isResponse = (frame: Dictionary, ...commands: readonly string[]): boolean =>
  frame.type === 'response' && (commands.length === 0 || commands.includes(String(frame.command)));

/** The phase of a lifecycle frame, without its prefix; empty for all others. */
export const phaseOf = ({ type }: Dictionary): string => /^command_(\w+)$/u.exec(String(type))?.[1] ?? '';
export const idOf = (frame: Dictionary): string => String(dataOf(frame).commandId);
export const eventOf = (frame: Dictionary): Dictionary => (frame.type === 'event' ? dictionaryOf(frame.event) : {});

/** The frame with other data. */
export const withData = (frame: Dictionary, data: Dictionary): Dictionary => ({
  ...frame,
  data: { ...dataOf(frame), ...data },
});
/** The frame with another event. */
export const withEvent = (frame: Dictionary, event: Dictionary): Dictionary => ({
  ...frame,
  event: { ...eventOf(frame), ...event },
});

/** Changes frames of the server, each by itself. */
export const says = (change: (frame: Dictionary) => Dictionary | null) => (): Tamper => ({
  out: (frame) => {
    const changed = change(frame);
    return changed === null ? [] : [changed];
  },
});
/** Changes commands, each by itself. */
export const takes = (change: (frame: Dictionary) => Dictionary | null) => (): Tamper => ({
  in: (frame) => {
    const changed = change(frame);
    return changed === null ? [] : [changed];
  },
});
/** Drops frames of the server. */
export const hides = (isIt: (frame: Dictionary) => boolean) => says((frame) => (isIt(frame) ? null : frame));

/** The command without its id and its key, as text. */
export function payloadOf({ id: _id, idempotencyKey: _key, ...payload }: Dictionary): string {
  return JSON.stringify(payload);
}
