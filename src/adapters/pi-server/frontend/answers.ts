// Converts a client's answer to a dialog or an approval (docs/protocols/pi-server.md 18.2). A client may answer without
// a subscription to the session, so its open dialogs may be unknown.
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { approvalPrefix } from '../../pi/frontend/encode-stateless.ts';
import type { UiResponse } from '../wire/commands.ts';
import { idOf, namesApproval } from './request-id.ts';

type Answer = CommandOf<'answer-approval' | 'answer-dialog'>;
type DialogAnswer = CommandOf<'answer-dialog'>['answer'];

const cancelled: DialogAnswer = { kind: 'cancelled' };

/** The canonical answer. `view`: the session, if the connection is subscribed to it. */
export function answerOf(requestId: string, response: UiResponse, view: SessionView | undefined): Answer {
  const id = idOf(requestId);
  const dialog = view?.transcript.dialogs.get(id);
  if (namesApproval(requestId) && dialog === undefined) {
    // An approval was presented as a `confirm`: only an explicit yes allows.
    const isAllowed = response.method === 'confirm' && response.confirmed === true;
    return { type: 'answer-approval', id: id.slice(approvalPrefix.length), decision: isAllowed ? 'allow' : 'deny' };
  }
  // Real servers also accept an answer of another kind, and the extension gets its default (docs/protocols/pi-server.md
  // 18.2).
  const isOther = dialog !== undefined && dialog.kind !== response.method;
  return { type: 'answer-dialog', id, answer: isOther ? cancelled : saidIn(response) };
}

/** The answer in the response. A response without a value counts as cancelled. */
function saidIn(response: UiResponse & Dictionary): DialogAnswer {
  const { method, value, confirmed, responses } = response;
  switch (method) {
    case 'select':
    case 'input':
    case 'editor':
      return typeof value === 'string' ? { kind: 'value', value } : cancelled;
    case 'confirm':
      return typeof confirmed === 'boolean' ? { kind: 'confirmed', confirmed } : cancelled;
    case 'interview':
      return isDictionary(responses) ? { kind: 'responses', responses } : cancelled;
    case 'cancelled':
      return cancelled;
    default:
      return method satisfies never;
  }
}

/** Whether that dialog or approval is open in that session. */
export function isOpen(requestId: string, { transcript }: SessionView): boolean {
  const id = idOf(requestId);
  if (transcript.dialogs.has(id)) return true;
  return id.startsWith(approvalPrefix) && transcript.approvals.has(id.slice(approvalPrefix.length));
}
