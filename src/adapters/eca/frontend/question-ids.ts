// The ids under which questions of a session are put to its client. The projection makes the ids, and the connection
// reads them back.
import type { EventOf } from '../../../core/model/event.ts';
import type { Dialect } from './dialect.ts';
import { ecaExtraIn } from './encode-values.ts';

/**
 * How a dialog is put to a client. `tool-call`: as a tool call that waits for approval, under the dialog's own id;
 * every client has those two buttons. `question`: by `chat/askQuestion` under {@link askId}. Null: the client cannot be
 * asked.
 */
export function dialogFormOf(
  { kind }: EventOf<'dialog-request'>,
  { asks }: Pick<Dialect, 'asks'>,
): 'tool-call' | 'question' | null {
  if (kind === 'confirm') return 'tool-call';
  return asks && kind !== 'interview' ? 'question' : null;
}

/** The id of a user message, as a place to which the chat can go back. An ECA server's own id is kept. */
export function contentIdOf(epoch: string, event: EventOf<'message-added'>, seq: number): string {
  const { contentId } = ecaExtraIn(event);
  return typeof contentId === 'string' ? contentId : `${epoch}-${seq}`;
}

const askPattern = /^ask-(\d{1,4})-(.*)$/su;

/**
 * The JSON-RPC id of a `chat/askQuestion` request. Includes the chat, because two chats may have dialogs with the same
 * id.
 */
export function askId(chatId: string, dialogId: string): string {
  return `ask-${chatId.length}-${chatId}-${dialogId}`;
}

/** Reads the id of a `chat/askQuestion` request; undefined for any other id. */
export function readAskId(id: unknown): { readonly chatId: string; readonly dialogId: string } | undefined {
  const [, length = '', rest = ''] = (typeof id === 'string' ? askPattern.exec(id) : null) ?? [];
  if (length === '') return undefined;
  const end = Number(length);
  return rest[end] === '-' ? { chatId: rest.slice(0, end), dialogId: rest.slice(end + 1) } : undefined;
}

const useSuffix = /#\d+$/u;

/**
 * The id of a tool call on the wire. The id may stand for a call, an approval without a call, or a dialog. `use`: how
 * often the id has been used in the chat, this time included. Agents reuse ids, and clients take the second use for the
 * first (docs/protocols/eca.md 2.11).
 */
export function toolCallId(id: string, use: number): string {
  return use === 1 && !useSuffix.test(id) ? id : `${id}#${use}`;
}

/** The canonical id of the call, approval or dialog behind a wire id. */
export function canonicalIdOf(wireId: string): string {
  return wireId.replace(useSuffix, '');
}

const subAgentPattern = /^subagent-(\d{1,4})-(.*)$/su;

/** The chat of the sub-agent that works for that tool call. The prefix is reserved for servers. */
export function subAgentChatId(chatId: string, wireId: string): string {
  return `subagent-${chatId.length}-${chatId}-${wireId}`;
}

/** The main chat of a sub-agent's chat. Returns any other id unchanged. */
export function mainChatOf(chatId: string): string {
  const [, length = '', rest = ''] = subAgentPattern.exec(chatId) ?? [];
  return length === '' || rest[Number(length)] !== '-' ? chatId : rest.slice(0, Number(length));
}
