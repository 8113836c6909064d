// What a client answers to a question of a session (docs/protocols/pi-server.md 18.2): which question, and what is said. A client need not hear the
// session to answer, so its open questions may be unknown here. Pure.
import type { SessionView } from '../../../core/contract/adapter.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { approvalPrefix } from '../../pi/frontend/lines.ts';
import { idOf, namesApproval } from './request-id.ts';
import type { UiResponse } from '../wire/commands.ts';

type Answer = CommandOf<'answer-approval' | 'answer-dialog'>;
type DialogAnswer = CommandOf<'answer-dialog'>['answer'];

const cancelled: DialogAnswer = { kind: 'cancelled' };

/** The canonical answer. `view`: of the session, where this connection hears it. */
export function answerOf(requestId: string, response: UiResponse, view: SessionView | undefined): Answer {
  const id = idOf(requestId);
  const dialog = view?.transcript.dialogs.get(id);
  if (namesApproval(requestId) && dialog === undefined) {
    // An approval was asked as a `confirm`: only a clear yes allows.
    const isAllowed = response.method === 'confirm' && response.confirmed === true;
    return { type: 'answer-approval', id: id.slice(approvalPrefix.length), decision: isAllowed ? 'allow' : 'deny' };
  }
  // Real servers take an answer of another kind as well, and the extension gets its default (docs/protocols/pi-server.md 18.2).
  const isOther = dialog !== undefined && dialog.kind !== response.method;
  return { type: 'answer-dialog', id, answer: isOther ? cancelled : saidIn(response) };
}

/** What is said; an answer without its value is none. */
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

/** Whether that question is open in that session. */
export function isOpen(requestId: string, { transcript }: SessionView): boolean {
  const id = idOf(requestId);
  if (transcript.dialogs.has(id)) return true;
  return id.startsWith(approvalPrefix) && transcript.approvals.has(id.slice(approvalPrefix.length));
}
