// Answers of a client to questions of its sessions (docs/protocols/acp.md 4.44 to 4.48, 6.55, 9.64).
import type { CommandOf } from '../../../core/model/command.ts';
import { chosenAnswer, dialogForm, formAnswer, offersOf, readQuestionId } from '../questions.ts';
import { ElicitationResult, PermissionResult } from '../wire/client.ts';
import type { Chat } from './chats.ts';
import { type Actions, type ConnectionPorts, note } from './connection.ts';

/** A result, or that there is none. */
export type ClientAnswer = { readonly result: unknown } | { readonly error: unknown };

/** Takes the answer to the request with that id. */
export type TakeAnswer = (id: unknown, answer: ClientAnswer) => Actions;

/** `chats`: by id. */
export function createAnswers(ports: ConnectionPorts, chats: ReadonlyMap<string, Chat>): TakeAnswer {
  function deliver(chat: Chat, command: CommandOf<'answer-approval' | 'answer-dialog'>): Actions {
    // A late answer to a question that is over is normal: several clients may be asked.
    return ports.ask(chat.target, command, () => []);
  }

  function approve(chat: Chat, id: string, answer: ClientAnswer): Actions {
    const approval = chat.view?.transcript.approvals.get(id);
    if (approval === undefined) return [];
    const { data } = 'result' in answer ? PermissionResult.safeParse(answer.result) : {};
    const unable = { type: 'answer-approval', id, decision: 'deny', unable: true } as const;
    if (data === undefined) return [...complaint(answer), ...deliver(chat, unable)];
    const { outcome, optionId } = data.outcome;
    // Said of a turn that is cancelled. The turn ends, whatever the agent makes of a denial.
    if (outcome === 'cancelled') {
      return deliver(chat, { type: 'answer-approval', id, decision: 'deny', interrupt: true });
    }
    const offer = offersOf(approval).find(({ wire }) => wire.optionId === optionId);
    if (offer === undefined) {
      return [...note('violation', 'session/request_permission: nobody offered that'), ...deliver(chat, unable)];
    }
    return deliver(chat, { type: 'answer-approval', id, ...offer.answer });
  }

  function respond(chat: Chat, id: string, answer: ClientAnswer): Actions {
    const dialog = chat.view?.transcript.dialogs.get(id);
    if (dialog === undefined) return [];
    const command = (said: CommandOf<'answer-dialog'>['answer'], unable = false) =>
      deliver(chat, { type: 'answer-dialog', id, answer: said, ...(unable ? { unable } : {}) });
    const cannot = () => [...complaint(answer), ...command({ kind: 'cancelled' }, true)];
    if ('error' in answer) return cannot();
    if (dialogForm(dialog, ports.dialect()) === 'form') {
      const { data } = ElicitationResult.safeParse(answer.result);
      return data === undefined ? cannot() : command(formAnswer(data.action, data.content));
    }
    const { data } = PermissionResult.safeParse(answer.result);
    return data === undefined ? cannot() : command(chosenAnswer(dialog, data.outcome.optionId ?? undefined));
  }

  return (rpcId, answer) => {
    const asked = readQuestionId(rpcId);
    const chat = asked === undefined ? undefined : chats.get(asked.session);
    if (asked === undefined || chat === undefined) return [];
    return asked.kind === 'approval' ? approve(chat, asked.id, answer) : respond(chat, asked.id, answer);
  };
}

function complaint(answer: ClientAnswer): Actions {
  return 'error' in answer ? [] : note('violation', 'a malformed answer to a question');
}
