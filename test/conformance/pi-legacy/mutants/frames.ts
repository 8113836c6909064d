// Building blocks of pi-legacy mutants: changes to frames in a line or two.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor } from '../../support/intercept.ts';
import { changesOutput } from '../../support/mutant.ts';

export type Change = (frame: Dictionary) => Dictionary | null;

/** Changes frames of this type. */
export const of = (type: string, change: Change) =>
  changesOutput((frame) => (frame.type === type ? change(frame) : frame));
/** The frame without these fields. */
export function less(frame: Dictionary, ...names: readonly string[]): Dictionary {
  return Object.fromEntries(Object.entries(frame).filter(([name]) => !names.includes(name)));
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const roleOf = (frame: Dictionary) => dictionaryOf(frame.message).role;

/** Changes messages of this role in all lines but updates. */
export function everywhere(role: string, change: (message: Dictionary) => Dictionary): () => Interceptor {
  const changed = (message: unknown) => (dictionaryOf(message).role === role ? change(dictionaryOf(message)) : message);
  return changesOutput((frame) => {
    switch (frame.type) {
      case 'message_start':
      case 'message_end':
        return { ...frame, message: changed(frame.message) };
      case 'turn_end':
        return { ...frame, message: changed(frame.message), toolResults: list(frame.toolResults).map(changed) };
      case 'agent_end':
        return { ...frame, messages: list(frame.messages).map(changed) };
      default:
        return frame;
    }
  });
}

/** Changes blocks of this type in messages of this role. */
export const blocks = (role: string, type: string, change: (block: Dictionary) => Dictionary) =>
  everywhere(role, (message) => ({
    ...message,
    content: list(message.content).map((block) =>
      dictionaryOf(block).type === type ? change(dictionaryOf(block)) : block,
    ),
  }));

/** Changes updates of this type. */
export const updates = (type: string, change: (event: Dictionary, frame: Dictionary) => Dictionary) =>
  of('message_update', (frame) => {
    const event = dictionaryOf(frame.assistantMessageEvent);
    return String(event.type).startsWith(type) ? change(event, frame) : frame;
  });
/** Changes the event of updates of this type. */
export const events = (type: string, change: (event: Dictionary) => Dictionary) =>
  updates(type, (event, frame) => ({ ...frame, assistantMessageEvent: change(event) }));

/** Adds lines before or after matching ones. */
export function adds(
  fits: (frame: Dictionary) => boolean,
  more: (frame: Dictionary) => { readonly before?: readonly Dictionary[]; readonly after?: readonly Dictionary[] },
): () => Interceptor {
  return () => ({
    out(frame) {
      if (!fits(frame)) return [frame];
      const { before = [], after = [] } = more(frame);
      return [...before, frame, ...after];
    },
  });
}
