// Building blocks of pi mutants: changes to answers, events and messages.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../src/core/model/dictionary.ts';
import { changesOutput } from '../../support/mutant.ts';

/** Changes the data of successful answers to this command. */
export const answers = (command: string, change: (data: Dictionary) => unknown) =>
  changesOutput((frame) =>
    frame.type === 'response' && frame.command === command && frame.success === true && isDictionary(frame.data)
      ? { ...frame, data: change(frame.data) }
      : frame,
  );

/** Changes all answers to this command. */
export const responses = (command: string, change: (frame: Dictionary) => Dictionary) =>
  changesOutput((frame) => (frame.type === 'response' && frame.command === command ? change(frame) : frame));

/** Changes events of this type. */
export const events = (type: string, change: (frame: Dictionary) => Dictionary | null) =>
  changesOutput((frame) => (frame.type === type ? change(frame) : frame));

/** Changes updates of this type. */
export const updates = (kind: string, change: (event: Dictionary) => Dictionary) =>
  events('message_update', (frame) => {
    const event = dictionaryOf(frame.assistantMessageEvent);
    return event.type === kind ? { ...frame, assistantMessageEvent: change(event) } : frame;
  });

/** Changes messages of this role in every line, so that all lines agree. */
export const messages = (role: string, change: (message: Dictionary) => Dictionary) => {
  const one = (message: unknown) => (isDictionary(message) && message.role === role ? change(message) : message);
  const all = (list: unknown) => (Array.isArray(list) ? list.map(one) : list);
  return changesOutput((frame) => {
    const { data, message, toolResults, messages: many } = frame;
    return {
      ...frame,
      ...(message === undefined ? {} : { message: one(message) }),
      ...(toolResults === undefined ? {} : { toolResults: all(toolResults) }),
      ...(many === undefined ? {} : { messages: all(many) }),
      ...(isDictionary(data) && data.messages !== undefined ? { data: { ...data, messages: all(data.messages) } } : {}),
    };
  });
};

/** Removes a field. */
export const drop =
  (...names: readonly string[]) =>
  (frame: Dictionary): Dictionary =>
    without(frame, ...names);
/** Sets a field. */
export const put =
  (fields: Dictionary) =>
  (frame: Dictionary): Dictionary => ({ ...frame, ...fields });
