// Answers of a client: approvals of tool calls, and answers to questions (docs/protocols/eca.md 8.6; `chat/askQuestion`
// since 0.127).
import type { CommandOf } from '../../../core/model/command.ts';
import { type Actions, type ConnectionPorts, note, showMessage } from '../connection.ts';
import type { RpcId } from '../json-rpc.ts';
import { AskAnswer, type ToolCallParams } from '../wire/client.ts';
import type { Chat, Chats } from './chats.ts';
import { canonicalIdOf, mainChatOf, readAskId } from './question-ids.ts';

/** The answers of one connection. */
export interface Answers {
  toolCall(params: ToolCallParams, isAllowed: boolean): Actions;
  /**
   * Takes an answer to a request of ours. Ignores answers to other requests: other clients may share the connection.
   */
  response(id: RpcId, result: unknown, isError: boolean): Actions;
}

/** `chats`: the chats with the open questions. */
export function createAnswers(ports: ConnectionPorts, chats: Chats): Answers {
  function deliver(chat: Chat, command: CommandOf<'answer-approval' | 'answer-dialog'>): Actions {
    if (chat.target === undefined) return [];
    return ports.ask(chat.target, command, (outcome) => {
      // With several clients, a late answer to a closed question is normal.
      if (outcome.ok || outcome.error.code === 'stale') return [];
      return showMessage(ports, 'error', outcome.error.message);
    });
  }

  return {
    toolCall({ chatId, toolCallId: wireId, save }, isAllowed) {
      // A sub-agent's call is asked about in the sub-agent's own chat.
      const chat = chats.get(mainChatOf(chatId));
      const toolCallId = canonicalIdOf(wireId);
      const { approvals, dialogs } = chat?.view?.transcript ?? {};
      // The wire id is the id of the call. An approval without a call is shown under its own id.
      const approval = [...(approvals?.values() ?? [])].find(({ id, call = id }) => call === toolCallId);
      if (chat !== undefined && approval !== undefined) {
        const { id, suggestions } = approval;
        if (!isAllowed) return deliver(chat, { type: 'answer-approval', id, decision: 'deny' });
        const remember = suggestions === undefined ? {} : { remember: [...suggestions] };
        const kept = save === 'session' ? { ...remember, forSession: true } : {};
        return deliver(chat, { type: 'answer-approval', id, decision: 'allow', ...kept });
      }
      if (chat !== undefined && dialogs?.get(toolCallId)?.kind === 'confirm') {
        const answer = { kind: 'confirmed', confirmed: isAllowed } as const;
        return deliver(chat, { type: 'answer-dialog', id: toolCallId, answer });
      }
      return note('loss', `${isAllowed ? 'chat/toolCallApprove' : 'chat/toolCallReject'}: nothing waits for it`);
    },
    response(id, result, isError) {
      const asked = readAskId(id);
      const chat = asked === undefined ? undefined : chats.get(asked.chatId);
      if (asked === undefined || chat === undefined) return [];
      const { dialogId } = asked;
      const read = AskAnswer.safeParse(result);
      if (isError || !read.success) {
        const unable = { type: 'answer-dialog', id: dialogId, answer: { kind: 'cancelled' }, unable: true } as const;
        return [
          ...(isError ? [] : note('violation', 'chat/askQuestion: a malformed answer')),
          ...deliver(chat, unable),
        ];
      }
      return deliver(chat, { type: 'answer-dialog', id: dialogId, answer: answerOf(read.data) });
    },
  };
}

function answerOf({ answer, cancelled }: AskAnswer): CommandOf<'answer-dialog'>['answer'] {
  if (cancelled === true || answer === undefined || answer === null) return { kind: 'cancelled' };
  return { kind: 'value', value: answer };
}
