// Building blocks of the mutants for rules.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import { changesOutput, dataOf, eventOf, isResponse, phaseOf, withData } from './mutant.ts';

export const isFailure = (frame: Dictionary) => isResponse(frame) && frame.success === false;
/** Whether the frame is this lifecycle step of a command of this type. */
export const isStep = (frame: Dictionary, phase: string, type?: string) =>
  phaseOf(frame) === phase && (type === undefined || dataOf(frame).commandType === type);
export const isEvent = (frame: Dictionary, type: string) => eventOf(frame).type === type;

/** Replaces matching frames by several. */
export const puts =
  (fits: (frame: Dictionary) => boolean, instead: (frame: Dictionary) => readonly Dictionary[]) => () => ({
    out: (frame: Dictionary) => (fits(frame) ? instead(frame) : [frame]),
  });
/** Holds the first matching frames back until a releasing one, and sends them after it. */
export const delays =
  (fits: (frame: Dictionary) => boolean, frees: (frame: Dictionary) => boolean) => (): Interceptor => {
    const held = new Map<Link, Dictionary[]>();
    return {
      out(frame, link) {
        const own = held.get(link) ?? [];
        if (fits(frame)) {
          held.set(link, [...own, frame]);
          return [];
        }
        if (own.length === 0 || !frees(frame)) return [frame];
        held.delete(link);
        return [frame, ...own];
      },
    };
  };
/** Changes the session version in responses and `finished` steps. */
export const versions = (change: (version: number, frame: Dictionary) => number) =>
  changesOutput((frame) => {
    const { sessionVersion } = frame.type === 'response' ? frame : dataOf(frame);
    if (typeof sessionVersion !== 'number') return frame;
    const changed = { sessionVersion: change(sessionVersion, frame) };
    return frame.type === 'response' ? { ...frame, ...changed } : withData(frame, changed);
  });
export const commandOf = (frame: Dictionary) => (frame.type === 'response' ? frame.command : dataOf(frame).commandType);
