// Dialogs and displays in pi-server's form: pi's requests with a `requestId`, some with other field names
// (docs/protocols/pi-server.md 18.1). The inverse is ../backend/dialogs.ts.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { piFields, present } from '../../pi/encode-values.ts';
import { shownLines as inPi, type ShownLines } from '../../pi/frontend/encode-stateless.ts';
import { dialogRequestIdOf, requestIdOf } from '../frontend/request-id.ts';

/** The fields of pi's requests that have another name here. */
const names: ReadonlyMap<string, string> = new Map([
  ['id', 'requestId'],
  ['statusKey', 'key'],
  ['statusText', 'text'],
  ['widgetKey', 'key'],
  ['widgetLines', 'content'],
  ['widgetPlacement', 'placement'],
]);

/** A line of pi with pi-server's names. Lines that are not requests stay unchanged. */
function renamed(line: Dictionary): Dictionary {
  if (line.type !== 'extension_ui_request') return line;
  return Object.fromEntries(Object.entries(line).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** A line that clients answer, with an id that they can send back. */
function asked(line: Dictionary, nameOf = requestIdOf): Dictionary {
  const { type, requestId, ...rest } = renamed(line);
  return { type, requestId: typeof requestId === 'string' ? nameOf(requestId) : requestId, ...rest };
}

function request(requestId: unknown, method: string, fields: Dictionary): Dictionary {
  return present({ type: 'extension_ui_request', requestId, method, ...fields });
}

function interview({ id, title, message, questions = [], ...event }: EventOf<'dialog-request'>): Dictionary {
  return request(id, 'interview', { title, message, questions, timeout: event.timeoutMs, ...piFields(event.extra) });
}

function workingMessage({ lines, extra }: EventOf<'display'>, ownId: string): Dictionary {
  const { id = ownId, ...fields } = piFields(extra);
  return request(id, 'setWorkingMessage', { message: lines?.join('\n'), ...fields });
}

/** pi-server's form. */
export const shownLines: ShownLines = {
  dialog(event) {
    const line = event.kind === 'interview' ? interview(event) : inPi.dialog(event);
    return line === null ? null : asked(line, dialogRequestIdOf);
  },
  approval: (event) => asked(inPi.approval(event)),
  notice: (event, id) => renamed(inPi.notice(event, id)),
  complaint: (message, id) => renamed(inPi.complaint(message, id)),
  display(event, id) {
    if (event.place === 'working') return workingMessage(event, id);
    // The server has no editor and sends nothing about one.
    const line = event.place === 'editor' ? null : inPi.display(event, id);
    return line === null ? null : renamed(line);
  },
  /** Events of a newer pi or pi-server. */
  unknown({ protocol, payload }) {
    if (!isDictionary(payload)) return null;
    if (protocol === 'pi') return payload.type === 'extension_ui_request' ? asked(payload) : payload;
    return protocol === 'pi-server' ? payload : null;
  },
};
