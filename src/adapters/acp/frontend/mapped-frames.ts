// What one connection changes in the frames that all clients of a dialect share: it completes option lists, and drops the
// echo of its own prompts and the end of questions that it has answered. All other frames but leaving-frames.ts pass unread.
import type { Out } from '../../../core/contract/channel.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { notificationMessage, requestMessage } from '../json-rpc.ts';
import { questionPrefix } from '../questions.ts';
import type { Chat } from './chats.ts';
import type { LeavingFrames } from './leaving-frames.ts';
import type { Settings } from './settings.ts';

/** The projection writes the frames in question with `update` before `sessionId`. */
const mappedUpdate = beginning(notificationMessage('session/update', { update: {} }), '{}');
const withdrawal = beginning(notificationMessage('$/cancel_request', {}), '{}');
const question = `${beginning(requestMessage('', '', {}), '""')}"${questionPrefix}`;

function beginning(message: object, upTo: string): string {
  const json = JSON.stringify(message);
  return json.slice(0, json.indexOf(upTo));
}

/** The frames of one connection, on their way out. */
export interface MappedFrames {
  map(out: Out): Out | null;
  /** The client has answered that request. False: it was not asked. */
  answered(id: unknown): boolean;
}

/** Questions that a client may leave open (docs/limits.md 5.10); older ones are forgotten. */
const mostOpen = 1024;

/** `chats`: by id. */
export function createMappedFrames(
  chats: ReadonlyMap<string, Chat>,
  settings: Pick<Settings, 'options'>,
  leaving: Pick<LeavingFrames, 'map'>,
): MappedFrames {
  const open = new Set<unknown>();

  function mapUpdate(out: string): Out | null {
    const { sessionId, update } = dictionaryOf(JSON.parse(out).params);
    const chat = chats.get(String(sessionId));
    const fields = dictionaryOf(update);
    const plain = (content: object) =>
      JSON.stringify(notificationMessage('session/update', { sessionId, update: content }));
    if (fields.sessionUpdate === 'user_message_chunk') {
      const { text = null } = dictionaryOf(fields.content);
      return chat !== undefined && isEcho(chat, text) ? null : plain(fields);
    }
    if (fields.sessionUpdate !== 'config_option_update' || chat === undefined) return plain(fields);
    return plain({ ...fields, configOptions: settings.options(chat) });
  }

  return {
    map(out) {
      if (typeof out !== 'string') return out;
      if (out.startsWith(mappedUpdate)) return mapUpdate(out);
      if (out.startsWith(question)) {
        if (open.size >= mostOpen) open.clear();
        open.add(JSON.parse(out).id);
      } else if (out.startsWith(withdrawal)) {
        return open.delete(JSON.parse(out).params.requestId) ? out : null;
      }
      return leaving.map(out);
    },
    answered: (id) => open.delete(id),
  };
}

/** Whether the client has said that itself; its echo has come then. */
function isEcho({ echoes }: Chat, said: unknown): boolean {
  const text = typeof said === 'string' ? said : null;
  for (const echo of echoes) {
    const at = echo.indexOf(text);
    if (at < 0) continue;
    echo.splice(at, 1);
    if (echo.length === 0) echoes.delete(echo);
    return true;
  }
  return false;
}
