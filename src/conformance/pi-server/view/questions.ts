// Requests of extensions in a trace, and the answers of the client: docs/protocols/pi-server.md 18. Pure; knows no rule.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import type { Event, Sent, View } from './view.ts';

/** Methods that want an answer. */
export const asking: ReadonlySet<unknown> = new Set(['select', 'confirm', 'input', 'editor', 'interview']);

/** Methods that want none (docs/protocols/pi-server.md 18.1); what others want nobody knows. */
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

/** All that the connection was asked. */
export const questionsIn = ({ events }: View): readonly Question[] =>
  events.filter((one) => isRequest(one) && asking.has(one.event.method));

/** All that it was told without being asked. */
export const noticesIn = ({ events }: View): readonly Event[] =>
  events.filter((one) => isRequest(one) && telling.has(one.event.method));

/** What the client answered. */
export const answersIn = ({ sent }: View): readonly Answer[] =>
  sent
    .filter(({ json }) => json.type === 'extension_ui_response')
    .map((command) => ({
      ...command,
      requestId: command.json.requestId,
      answer: dictionaryOf(command.json.response),
    }));

/** The question that it answers. */
export const questionOf = (view: View, { requestId, frame }: Answer): Question | undefined =>
  questionsIn(view).find((one) => one.event.requestId === requestId && one.frame < frame);
