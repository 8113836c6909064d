// Rules on answers and errors: docs/protocols/pi-server.md 4.2, 12, 17 and 22.
import { each } from '../../check/rule.ts';
import { isKnown, needsSession } from '../view/commands.ts';
import { envelopeFault } from '../view/envelope-faults.ts';
import { type Sent, type ServerRows, shown, type View } from '../view/view.ts';

const everywhere = ['errands', 'session', 'prompt'];
/** Commands that every server must refuse, with their responses. */
const invalid = ({ sent }: View): readonly (Sent & { readonly fault: string })[] =>
  sent.flatMap((command) => {
    const { type, sessionId } = command.json;
    const lacks = needsSession(type) && typeof sessionId !== 'string' ? 'there is no sessionId' : null;
    const fault = envelopeFault(command.json) ?? lacks;
    return fault === null || command.response === null ? [] : [{ ...command, fault }];
  });

/** The error text for this failure (docs/protocols/pi-server.md 22); null where the document names none. */
function wordsFor(view: View, { frame, json, response }: Sent): RegExp | null {
  const { type, sessionId, id } = json;
  const error = String(response?.json.error);
  const isFailure = response?.json.success === false && view.sentAs(id).length === 1;
  if (!isFailure || /\bshutting down\b|\b(?:limit|busy)\b/u.test(error)) return null;
  if (typeof type === 'string' && type !== '' && !isKnown(type) && /^Validation failed/u.test(error))
    return /Unknown command type/u;
  if (envelopeFault(json) !== null) return /^Validation failed: \S/u;
  const isGone = view.fromServer.some(
    (line) => line.frame < frame && line.json.type === 'session_deleted' && sessionOf(line.json.data) === sessionId,
  );
  const isBack = view.fromServer.some(
    (line) => line.json.type === 'session_created' && sessionOf(line.json.data) === sessionId && isGone,
  );
  return needsSession(type) && isGone && !isBack ? /\bnot found\b/u : null;
}

const sessionOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'sessionId' in data ? data.sessionId : null;

/** Rules on answers. */
export const dataRows: ServerRows = {
  'invalid-fails': {
    section: '4.2',
    sentence: 'A command that is not valid fails.',
    covers: ['message:response'],
    scenarios: ['errands'],
    reads: 'both',
    judge: (view) =>
      each(invalid(view), ({ response, fault }) =>
        response?.json.success === false ? null : `it succeeds, and ${fault}`,
      ),
  },
  'unknown-fails': {
    section: '12',
    sentence: 'A command that nobody knows fails, and the error names it.',
    covers: ['message:response'],
    scenarios: ['errands'],
    reads: 'both',
    *judge({ sent }) {
      for (const { json, response } of sent) {
        const error = String(response?.json.error);
        // Servers may know commands beyond the document.
        if (response === null || typeof json.type !== 'string' || json.type === '' || isKnown(json.type)) continue;
        if (response.json.success === true || !/unknown/iu.test(error)) continue;
        yield { frame: response.frame, wrong: error.includes(json.type) ? null : `the error is ${error}` };
      }
    },
  },
  'error-words': {
    section: '22.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'Errors are in the words of real servers: Validation failed, Unknown command type, Session … not found.',
    covers: ['message:response'],
    scenarios: everywhere,
    reads: 'both',
    *judge(view) {
      for (const command of view.sent) {
        const words = wordsFor(view, command);
        if (words === null || command.response === null) continue;
        const isOne = words.test(String(command.response.json.error));
        yield { frame: command.response.frame, wrong: isOne ? null : `no ${words}: ${shown(command.response)}` };
      }
    },
  },
};
