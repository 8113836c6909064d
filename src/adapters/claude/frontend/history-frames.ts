// Whole messages of a conversation as frames of the rpc-message dialect, for `getHistory`
// (docs/protocols/rpc-message.md 8.2, 9.2).
import type { Message } from '../../../core/model/content.ts';
import { onLane } from '../frames.ts';
import type { WireFrame } from '../wire/client.ts';
import { wireBlock, wireResult, wireUsage } from './encode-values.ts';

/**
 * One frame for each message that the dialect can express. `toWire` adds session and id; null if the dialect has no
 * such frame.
 */
export function historyFrames(
  messages: readonly Message[],
  toWire: (frame: WireFrame) => WireFrame | null,
): readonly WireFrame[] {
  return messages.flatMap((message) => {
    const frame = frameOf(message);
    const wire = frame === null ? null : toWire(onLane(message.parent, frame));
    return wire === null ? [] : [wire];
  });
}

function frameOf(message: Message): WireFrame | null {
  const { role, content } = message;
  switch (role) {
    case 'user': {
      const mark = message.origin === 'agent' ? { isSynthetic: true } : {};
      return { type: 'user', message: { role: 'user', content: content.map(wireBlock) }, ...mark };
    }
    case 'assistant':
      return { type: 'assistant', message: assistantOf(message) };
    case 'tool': {
      const { call = '', isError = false } = message;
      const result = { type: 'tool_result', tool_use_id: call, content: wireResult(content), is_error: isError };
      return { type: 'user', message: { role: 'user', content: [result] } };
    }
    case 'system':
    case 'custom':
    case 'bash':
    case 'summary':
      return null;
    default:
      return role satisfies never;
  }
}

function assistantOf({ id, model, content, usage }: Message): object {
  return {
    id: id ?? '',
    type: 'message',
    role: 'assistant',
    model: model ?? 'unknown',
    content: content.map(wireBlock),
    ...(usage === undefined ? {} : { usage: wireUsage(usage) }),
  };
}
