// Building blocks of pi-server mutants: the parts of a frame. Re-exports the helpers of all protocols.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';

export { changesInput, changesOutput, dropsOutput, type Mutant } from '../../support/mutant.ts';

export const dataOf = (frame: Dictionary): Dictionary => dictionaryOf(frame.data);
export const isResponse = (frame: Dictionary, ...commands: readonly string[]): boolean =>
  frame.type === 'response' && (commands.length === 0 || commands.includes(String(frame.command)));

/** The phase of a lifecycle frame; empty for other frames. */
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

/** The command without its id and key, as text. */
export function payloadOf({ id: _id, idempotencyKey: _key, ...payload }: Dictionary): string {
  return JSON.stringify(payload);
}
