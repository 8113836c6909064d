// Questions and notices of extensions in a trace, and the client's answers: docs/protocols/pi-server.md 18.

import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Event, Sent, View } from './view.ts';

/** Methods that need an answer. */
export const asking: ReadonlySet<unknown> = new Set(['select', 'confirm', 'input', 'editor', 'interview']);

/** Methods without an answer (docs/protocols/pi-server.md 18.1); unknown methods are in neither list. */
const telling: ReadonlySet<unknown> = new Set(['notify', 'setStatus', 'setWidget', 'setTitle', 'setWorkingMessage']);

/** A question of an extension. */
export type Question = Event;

/** An answer of the client. */
export interface Answer extends Sent {
  readonly requestId: unknown;
  readonly response: Sent['response'];
  readonly answer: Dictionary;
}

const isRequest = ({ event }: Event): boolean => event.type === 'extension_ui_request';

/** All questions that reached the connection. */
export const questionsIn = ({ events }: View): readonly Question[] =>
  events.filter((one) => isRequest(one) && asking.has(one.event.method));

/** All notices that reached the connection. */
export const noticesIn = ({ events }: View): readonly Event[] =>
  events.filter((one) => isRequest(one) && telling.has(one.event.method));

/** The client's answers. */
export const answersIn = ({ sent }: View): readonly Answer[] =>
  sent
    .filter(({ json }) => json.type === 'extension_ui_response')
    .map((command) => ({
      ...command,
      requestId: command.json.requestId,
      answer: dictionaryOf(command.json.response),
    }));

/** The question that an answer belongs to. */
export const questionOf = (view: View, { requestId, frame }: Answer): Question | undefined =>
  questionsIn(view).find((one) => one.event.requestId === requestId && one.frame < frame);
