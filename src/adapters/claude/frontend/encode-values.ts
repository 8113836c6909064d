// Small translations between canonical values and Claude's: usage, stop reasons, content blocks.
import type { Content, Stop, Usage } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { PromptBlock, WireFrame, WireUsage } from '../wire/client.ts';
import { claudeExtraIn, extraPart, withExtra } from './claude-extra.ts';

/** Token counts in the fields of the Messages API. */
export function wireUsage(usage: Usage): WireUsage {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}

/**
 * `stop_reason` of a message: `tool_use` exactly if tool calls end it (docs/protocols/claude.md 4.8); null if the
 * message was cut (docs/faults.md 1.2).
 */
export function wireStop(stop: Stop, endsInCall: boolean): string | null {
  switch (stop.reason) {
    case 'end':
    case 'tool-use':
    case 'unknown':
      return endsInCall ? 'tool_use' : 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'stop-sequence':
      return endsInCall ? 'tool_use' : 'stop_sequence';
    case 'refusal':
      return 'refusal';
    case 'pause':
      return 'pause_turn';
    case 'aborted':
    case 'error':
      return null;
    default:
      return stop.reason satisfies never;
  }
}

/** The content of a `tool_result`: a string for one text, else blocks. */
export function wireResult(content: readonly Content[]): string | object[] {
  const [first] = content;
  if (first === undefined) return '';
  if (content.length === 1 && first.type === 'text') return first.text;
  return content.map(wireBlock);
}

/** The frame that answers a call. */
export function resultFrame(end: EventOf<'tool-end'>): WireFrame {
  const agentFields = claudeExtraIn(end);
  const { call, isError, details } = end;
  // One text is a plain string, unless the agent sent it in a list.
  const content = agentFields.list === true ? end.content.map(wireBlock) : wireResult(end.content);
  const own = { type: 'tool_result', tool_use_id: call, content, is_error: isError };
  const result = withExtra(own, extraPart(agentFields, 'block'));
  const frame = { type: 'user', message: { role: 'user', content: [result] } };
  return withExtra(
    details === undefined ? frame : { ...frame, tool_use_result: details },
    extraPart(agentFields, 'frame'),
  );
}

/** A whole block. A content without a block type gets the `unknown` form (docs/protocols/rpc-message.md 7.2). */
export function wireBlock(content: Content): { type: string } & Record<string, unknown> {
  switch (content.type) {
    case 'text':
      return withExtra({ type: 'text', text: content.text }, claudeExtraIn(content));
    case 'thinking':
      // Hidden thinking has its bytes in `data`; other thinking has a signature.
      if (content.redacted === true) return { type: 'redacted_thinking', data: content.signature ?? '' };
      return { type: 'thinking', thinking: content.text, signature: content.signature ?? '' };
    case 'tool-call':
      return withExtra(
        { type: 'tool_use', id: content.id, name: content.name, input: content.input },
        claudeExtraIn(content),
      );
    case 'image':
      return { type: 'image', source: wireImage(content) };
    case 'document':
    case 'link':
      return { type: 'unknown', originalType: content.type, data: content };
    case 'opaque':
      return content.protocol === 'claude' && isBlock(content.payload)
        ? content.payload
        : { type: 'unknown', originalType: content.name, data: content.payload };
    default:
      return content satisfies never;
  }
}

function wireImage(image: Extract<Content, { type: 'image' }>): object {
  return image.data === undefined
    ? { type: 'url', url: image.url ?? '' }
    : { type: 'base64', media_type: image.mediaType ?? 'image/png', data: image.data };
}

function isBlock(payload: unknown): payload is { type: string } & Record<string, unknown> {
  return typeof payload === 'object' && payload !== null && 'type' in payload && typeof payload.type === 'string';
}

/** A block of a prompt. */
export function promptContent(block: PromptBlock): Content {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return block.source.type === 'base64'
        ? { type: 'image', data: block.source.data, mediaType: block.source.media_type }
        : { type: 'image', url: block.source.url };
    case 'document': {
      const name = block.title ?? undefined;
      switch (block.source.type) {
        case 'base64':
          return { type: 'document', name, mediaType: block.source.media_type, data: block.source.data };
        case 'text':
          return { type: 'document', name, text: block.source.data };
        case 'url':
          return { type: 'document', name, url: block.source.url };
        default:
          return block.source satisfies never;
      }
    }
    case 'foreign':
      return { type: 'opaque', name: block.block.type, protocol: 'claude', payload: block.block };
    default:
      return block satisfies never;
  }
}
