// Decodes the history of a chat. A server sends the contents of a chat again after `chat/cleared` (`/resume`, a
// rollback); these contents belong to no run (docs/protocols/eca.md 4.14, 4.18).

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Content, Dictionary } from '../../../../core/model/content.ts';
import { type ContentParams, contents } from '../../wire/server.ts';
import { contentOfOutputs, inputOf } from './values.ts';

/** Reads contents as history. Returns false for any other content. */
export function createHistory(out: Outbox): (params: ContentParams) => boolean {
  const add = (role: 'user' | 'assistant', content: Content) =>
    out.deliver({ type: 'message-added', role, origin: 'replay', content: [content] });

  function call(content: Dictionary): void {
    const { data } = contents.toolCallRun.safeParse(content);
    if (data === undefined) return;
    add('assistant', { type: 'tool-call', id: data.id, name: data.name, input: inputOf(data.arguments) });
  }

  function result(content: Dictionary): void {
    const { data } = contents.toolCalled.safeParse(content);
    if (data === undefined) return;
    const { id: call, name, outputs, error } = data;
    const message = { role: 'tool', origin: 'replay', call, name, isError: error === true } as const;
    out.deliver({ type: 'message-added', ...message, content: contentOfOutputs(outputs) });
  }

  return ({ role, content }) => {
    const { type, text } = content;
    switch (type) {
      case 'text':
        if (typeof text !== 'string' || text.trim() === '' || role === 'system') return false;
        // In a history, the user's text has a leading newline (docs/protocols/eca.md 4.14).
        add(role === 'user' ? 'user' : 'assistant', {
          type,
          text: role === 'user' ? text.replace(/^\n|\n$/gu, '') : text,
        });
        return true;
      case 'reasonText':
        if (typeof text === 'string') add('assistant', { type: 'thinking', text });
        return true;
      case 'toolCallRun':
        call(content);
        return true;
      case 'toolCalled':
        result(content);
        return true;
      case 'reasonStarted':
      case 'reasonFinished':
      case 'toolCallPrepare':
      case 'toolCallRunning':
        return true;
      default:
        return false;
    }
  };
}
