// How questions of a session are put to its client, and under which ids: agreed between those who ask (projection) and
// those who hear the answers (connection). Pure.
import type { EventOf } from '../../../core/model/event.ts';
import type { Dialect } from './dialect.ts';
import { saidIn } from './encode-values.ts';

/**
 * How a dialog is put to a client. `tool-call`: as a tool call that waits for approval under the dialog's own id, for
 * every client has those two buttons. `question`: by `chat/askQuestion` under {@link askId}. Null: it cannot be.
 */
export function wayOfAsking(
  { kind }: EventOf<'dialog-request'>,
  { asks }: Pick<Dialect, 'asks'>,
): 'tool-call' | 'question' | null {
  if (kind === 'confirm') return 'tool-call';
  return asks && kind !== 'interview' ? 'question' : null;
}

/** The id of what a user has said, as a place to which the chat can go back; that of an ECA server is its own. */
export function contentIdOf(epoch: string, event: EventOf<'message-added'>, seq: number): string {
  const { contentId } = saidIn(event);
  return typeof contentId === 'string' ? contentId : `${epoch}-${seq}`;
}

const askPattern = /^ask-(\d{1,4})-(.*)$/su;

/** The JSON-RPC id of the request `chat/askQuestion`. Two chats may have dialogs of one id. */
export function askId(chatId: string, dialogId: string): string {
  return `ask-${chatId.length}-${chatId}-${dialogId}`;
}

/** What such an id stands for; undefined for any other id. */
export function askedBy(id: unknown): { readonly chatId: string; readonly dialogId: string } | undefined {
  const [, length = '', rest = ''] = (typeof id === 'string' ? askPattern.exec(id) : null) ?? [];
  if (length === '') return undefined;
  const end = Number(length);
  return rest[end] === '-' ? { chatId: rest.slice(0, end), dialogId: rest.slice(end + 1) } : undefined;
}

const lifePattern = /#\d+$/u;

/**
 * The id of a tool call on the wire; it may stand for a call, an approval without a call or a dialog. `life`: how often
 * that id has come in the chat, this time included: agents use ids again, and clients take the second for the first
 * (docs/protocols/eca.md 2.11).
 */
export function toolCallId(id: string, life: number): string {
  return life === 1 && !lifePattern.test(id) ? id : `${id}#${life}`;
}

/** The call, approval or dialog that the id of a tool call on the wire stands for. */
export function meantBy(wireId: string): string {
  return wireId.replace(lifePattern, '');
}

const subAgentPattern = /^subagent-(\d{1,4})-(.*)$/su;

/** The chat of the sub-agent that works for that tool call; names with this prefix are the server's own. */
export function subAgentChatId(chatId: string, wireId: string): string {
  return `subagent-${chatId.length}-${chatId}-${wireId}`;
}

/** The chat that a sub-agent's chat belongs to; any other is its own. */
export function mainChatOf(chatId: string): string {
  const [, length = '', rest = ''] = subAgentPattern.exec(chatId) ?? [];
  return length === '' || rest[Number(length)] !== '-' ? chatId : rest.slice(0, Number(length));
}
