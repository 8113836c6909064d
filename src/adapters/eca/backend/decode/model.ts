// The contents of role assistant, by type: texts, thoughts and calls, on the main thread or of a sub-agent
// (docs/protocols/eca.md 8.3).
import type { z } from 'zod';
import type { Dictionary } from '../../../../core/model/content.ts';
import { isDictionary } from '../../../../core/model/dictionary.ts';
import { type ContentOf, contents, faultIn } from '../../wire/server.ts';
import type { Calls } from './calls.ts';
import type { Lane, MessageDecoder } from './message.ts';
import { subAgentChatIn } from './values.ts';

/** Takes one content. Returns what is wrong with the content, or null. */
export type Take = (content: Dictionary, lane: Lane, chatId: string) => string | null;

/** Reads contents of that type by their schema. */
export function reading<Type extends keyof typeof contents>(
  type: Type,
  take: (content: ContentOf<Type>, lane: Lane, chatId: string) => void,
): Take {
  const schema: z.ZodType = contents[type];
  return (content, lane, chatId) => {
    const read = schema.safeParse(content);
    if (!read.success) return faultIn(read.error);
    take(read.data as ContentOf<Type>, lane, chatId);
    return null;
  };
}

/** The parts that take the contents. */
export interface ModelPorts {
  readonly messages: MessageDecoder;
  readonly calls: Calls;
  /** Called when a sub-agent writes in the chat for the call. */
  subAgent(chatId: string, call: string): void;
  /** Called when a call has its result. */
  settled(): void;
}

/** The contents that the model writes. */
export function createModelContents({ messages, calls, subAgent, settled }: ModelPorts): ReadonlyMap<string, Take> {
  /**
   * Ends the message of a call that runs or is over: its arguments are complete. Announces the call if it was not
   * prepared.
   */
  function settleMessage(content: ContentOf<'toolCallRun'>, lane: Lane, chatId: string): void {
    const { id, name, arguments: input } = content;
    const isKnown = calls.has(id);
    if (messages.written(lane, id, name, isDictionary(input) ? input : null, isKnown))
      calls.announced(id, name, lane, chatId);
    messages.close(lane, { reason: 'tool-use' });
  }

  /** Reads a content of a call, and learns from its details which chat works for which call. */
  function ofCall(take: (content: ContentOf<'toolCallRun'>, lane: Lane, chatId: string) => void): Take {
    return reading('toolCallRun', (content, lane, chatId) => {
      take(content, lane, chatId);
      const chat = subAgentChatIn(content.details);
      if (chat !== undefined && calls.has(content.id)) subAgent(chat, content.id);
    });
  }

  return new Map<string, Take>([
    ['text', reading('text', ({ text }, lane) => typeof text === 'string' && messages.text(lane, text))],
    ['reasonStarted', reading('reason', (content, lane) => messages.reasonStarted(lane, content))],
    ['reasonText', reading('reason', ({ id, text }, lane) => messages.reasonText(lane, id, text ?? ''))],
    ['reasonFinished', reading('reason', (content, lane) => messages.reasonFinished(lane, content))],
    [
      'url',
      reading('url', ({ url, title }, lane) =>
        messages.whole(lane, { type: 'link', url, ...(typeof title === 'string' ? { title } : {}) }),
      ),
    ],
    [
      'image',
      reading('image', ({ base64: data, mediaType }, lane) =>
        messages.whole(lane, { type: 'image', data, mediaType: mediaType ?? 'image/png' }),
      ),
    ],
    [
      'toolCallPrepare',
      reading('toolCallPrepare', (content, lane, chatId) => {
        const { id, name } = content;
        // The same content may come again when the call already runs.
        if (calls.isRun(id)) return;
        if (messages.prepare(lane, content)) calls.announced(id, name, lane, chatId);
      }),
    ],
    [
      'toolCallRun',
      ofCall((content, lane, chatId) => {
        settleMessage(content, lane, chatId);
        calls.run(content);
      }),
    ],
    [
      'toolCallRunning',
      ofCall((content, lane, chatId) => {
        // The content may be repeated with new details.
        if (!calls.isRun(content.id)) settleMessage(content, lane, chatId);
        calls.running(content);
      }),
    ],
    [
      'toolCalled',
      reading('toolCalled', (content, lane, chatId) => {
        settleMessage(content, lane, chatId);
        // A sub-agent is done when its call has a result.
        messages.close(content.id, { reason: 'end' });
        calls.called(content);
        settled();
      }),
    ],
    [
      'toolCallRejected',
      reading('toolCallRejected', (content, lane, chatId) => {
        settleMessage(content, lane, chatId);
        messages.close(content.id, { reason: 'end' });
        calls.rejected(content);
        settled();
      }),
    ],
  ]);
}
