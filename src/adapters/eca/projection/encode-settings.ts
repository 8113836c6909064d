// Frames besides the contents of a chat: settings, tool servers, messages and questions to the user.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { behaviorsOf, nothingKnown, serverParams } from '../frontend/config.ts';
import { ecaExtraIn, withExtra } from '../frontend/encode-values.ts';
import { askId } from '../frontend/question-ids.ts';
import { notificationFrame, requestFrame } from '../json-rpc.ts';
import { modelName } from '../model-names.ts';

/** The known settings of a chat, in the fields of both eras. */
export function chatSettings(info: SessionInfo): Dictionary {
  const { model, models, mode, modes, trusted } = info;
  const { behaviors, selected } = behaviorsOf(info);
  return {
    ...(models === undefined ? {} : { models: models.map(modelName) }),
    ...(model === undefined ? {} : { selectModel: modelName(model) }),
    ...(modes === undefined ? {} : { agents: behaviors, behaviors }),
    ...(mode === undefined ? {} : { selectAgent: selected, selectBehavior: selected }),
    ...(trusted === undefined ? {} : { selectTrust: trusted }),
  };
}

/** The settings that differ. */
export function changedSettings(before: Dictionary, after: Dictionary): Dictionary {
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]));
  return Object.fromEntries(changed);
}

/** The current state of a tool server; null for an unknown one. */
export function serverFrame(event: EventOf<'tool-server-changed'>): string | null {
  const { name, kind, status } = event;
  if (status === 'removed') return notificationFrame('tool/serverRemoved', { name });
  const [native, other] = serverParams({ ...nothingKnown, servers: [event] });
  const params = kind === 'native' ? native : other;
  return params === undefined
    ? null
    : notificationFrame('tool/serverUpdated', withExtra({ ...params }, ecaExtraIn(event)));
}

/** A message to the user, outside of the chats (docs/protocols/eca.md 8.9). `fields`: extra fields of an ECA server. */
export function messageFrame(type: 'error' | 'warning' | 'info', message: string, fields: Dictionary = {}): string {
  return notificationFrame('$/showMessage', withExtra({ type, message }, fields));
}

/** A question to the user. Newer than the document (docs/protocols/eca.md 1.5). */
export function questionFrame(chatId: string, event: EventOf<'dialog-request'>): string {
  const { id, kind, title, message, options } = event;
  const question = message === undefined || message === '' ? title : `${title}\n${message}`;
  const params = {
    chatId,
    question,
    options: options?.map((label) => ({ label })),
    allowFreeform: kind !== 'select',
  };
  return requestFrame(askId(chatId, id), 'chat/askQuestion', params);
}

/** Withdraws the question. */
export function withdrawnFrame(chatId: string, dialogId: string): string {
  return notificationFrame('$/cancelRequest', { id: askId(chatId, dialogId) });
}

/**
 * Methods that the projection sends itself. The same method from an agent, as an unknown event, would break the order.
 */
const ourMethods: ReadonlySet<string> = new Set([
  'chat/opened',
  'chat/cleared',
  'chat/statusChanged',
  'config/updated',
  'tool/serverUpdated',
  'tool/serverRemoved',
  '$/showMessage',
  '$/cancelRequest',
]);
const ourContents: ReadonlySet<unknown> = new Set([
  'text',
  'progress',
  'usage',
  'reasonStarted',
  'reasonText',
  'reasonFinished',
  'toolCallPrepare',
  'toolCallRun',
  'toolCallRunning',
  'toolCalled',
  'toolCallRejected',
  'url',
  'image',
]);

/** A notification of a newer version, readdressed to this chat; null for anything else. */
export function foreignFrame(chatId: string, payload: unknown): string | null {
  if (!isDictionary(payload)) return null;
  const { method, params = {}, id } = payload;
  if (typeof method !== 'string' || id !== undefined || ourMethods.has(method) || !isDictionary(params)) return null;
  if (isDictionary(params.content) && ourContents.has(params.content.type)) return null;
  return notificationFrame(method, 'chatId' in params ? { ...params, chatId } : params);
}
