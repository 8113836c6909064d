// How a frame of pi is changed, in a line: the answer to one command, one kind of event, every message that is said.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../src/core/model/dictionary.ts';
import { changesOutput } from '../../support/mutant.ts';

/** Changes the data of answers to that command that succeed. */
export const answers = (command: string, change: (data: Dictionary) => unknown) =>
  changesOutput((frame) =>
    frame.type === 'response' && frame.command === command && frame.success === true && isDictionary(frame.data)
      ? { ...frame, data: change(frame.data) }
      : frame,
  );

/** Changes the answers to that command, those that fail too. */
export const responses = (command: string, change: (frame: Dictionary) => Dictionary) =>
  changesOutput((frame) => (frame.type === 'response' && frame.command === command ? change(frame) : frame));

/** Changes events of that type. */
export const events = (type: string, change: (frame: Dictionary) => Dictionary | null) =>
  changesOutput((frame) => (frame.type === type ? change(frame) : frame));

/** Changes what updates of that kind say. */
export const updates = (kind: string, change: (event: Dictionary) => Dictionary) =>
  events('message_update', (frame) => {
    const event = dictionaryOf(frame.assistantMessageEvent);
    return event.type === kind ? { ...frame, assistantMessageEvent: change(event) } : frame;
  });

/** Changes requests of extensions by that method. */
export const requests = (method: string, change: (frame: Dictionary) => Dictionary) =>
  events('extension_ui_request', (frame) => (frame.method === method ? change(frame) : frame));

/** Changes messages of that role wherever a line says one, so that all lines agree. */
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

/** Without that field. */
export const drop =
  (...names: readonly string[]) =>
  (frame: Dictionary): Dictionary =>
    without(frame, ...names);
/** With that field. */
export const put =
  (fields: Dictionary) =>
  (frame: Dictionary): Dictionary => ({ ...frame, ...fields });
