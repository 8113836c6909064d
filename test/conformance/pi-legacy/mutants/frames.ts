// How the frames of an agent of pi-legacy are changed, in a line or two for each broken one.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { changesOutput } from '../../support/mutant.ts';
import type { Interceptor } from '../../support/intercept.ts';

export type Change = (frame: Dictionary) => Dictionary | null;

/** Frames of that type. */
export const of = (type: string, change: Change) =>
  changesOutput((frame) => (frame.type === type ? change(frame) : frame));
/** Without those fields. */
export function less(frame: Dictionary, ...names: readonly string[]): Dictionary {
  return Object.fromEntries(Object.entries(frame).filter(([name]) => !names.includes(name)));
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const roleOf = (frame: Dictionary) => dictionaryOf(frame.message).role;

/** Messages of that role, wherever a line repeats them, updates apart. */
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

/** Blocks of that type in messages of that role. */
export const blocks = (role: string, type: string, change: (block: Dictionary) => Dictionary) =>
  everywhere(role, (message) => ({
    ...message,
    content: list(message.content).map((block) =>
      dictionaryOf(block).type === type ? change(dictionaryOf(block)) : block,
    ),
  }));

/** Updates of that type. */
export const updates = (type: string, change: (event: Dictionary, frame: Dictionary) => Dictionary) =>
  of('message_update', (frame) => {
    const event = dictionaryOf(frame.assistantMessageEvent);
    return String(event.type).startsWith(type) ? change(event, frame) : frame;
  });
/** The same, of the event alone. */
export const events = (type: string, change: (event: Dictionary) => Dictionary) =>
  updates(type, (event, frame) => ({ ...frame, assistantMessageEvent: change(event) }));

/** More lines before or behind those that fit. */
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
