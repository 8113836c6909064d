// Reads Claude values: usage, stop reasons, content of messages and results. The other direction is in
// frontend/encode-values.ts.
import type { Content, Dictionary, Extra, Stop, Usage } from '../../../../core/model/content.ts';
import { dictionaryOf, extraFor, isDictionary, without } from '../../../../core/model/dictionary.ts';
import type { AgentBlock, AgentUsage } from '../../wire/agent.ts';

/** Fields of every frame that the gateway writes itself, or that have their own place in canonical events. */
const ownFields: ReadonlySet<string> = new Set(['type', 'uuid', 'session_id', 'parent_tool_use_id', 'provider']);

/** The other fields of a frame. */
export function otherFields(frame: object, ...names: readonly string[]): Dictionary {
  const isRest = (name: string) => !ownFields.has(name) && !names.includes(name);
  return Object.fromEntries(Object.entries(frame).filter(([name]) => isRest(name)));
}

/**
 * Fields that only clients of this protocol understand, to be spread into an event (README, "What rides in `extra`").
 */
export function claudeExtra(fields: Dictionary): { extra?: Extra } {
  return extraFor('claude', fields);
}

/** The same for an event that stands for several parts of the wire. Empty parts are left out. */
export function claudeExtraParts(parts: Dictionary): { extra?: Extra } {
  const hasContent = ([, value]: [string, unknown]) => !isDictionary(value) || Object.keys(value).length > 0;
  return claudeExtra(Object.fromEntries(Object.entries(parts).filter(hasContent)));
}

/** Token counts. Missing figures are taken from `base`, else 0. */
export function usageOf(usage: AgentUsage | null | undefined, base?: Usage): Usage | undefined {
  if (usage === null || usage === undefined) return base;
  return {
    input: usage.input_tokens ?? base?.input ?? 0,
    output: usage.output_tokens ?? base?.output ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? base?.cacheRead ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? base?.cacheWrite ?? 0,
  };
}

const stopReasons: ReadonlyMap<string, Stop['reason']> = new Map([
  ['end_turn', 'end'],
  ['tool_use', 'tool-use'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
]);

/** Why a message stopped, from the API's stop reason. */
export function stopOf(raw: string): Stop {
  return { reason: stopReasons.get(raw) ?? 'unknown', raw };
}

/** The content of a message or result. A plain string is one text. */
export function contentOf(content: string | readonly AgentBlock[] | null | undefined): Content[] {
  if (content === null || content === undefined) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(wholeContent);
}

/** One whole block. A malformed or unknown block becomes opaque. */
export function wholeContent(block: AgentBlock): Content {
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') return opaque(block);
      return { type: 'text', text: block.text, ...claudeExtra(without(block, 'type', 'text')) };
    case 'thinking': {
      if (typeof block.thinking !== 'string') return opaque(block);
      const signature = signatureOf(block);
      return { type: 'thinking', text: block.thinking, ...(signature === undefined ? {} : { signature }) };
    }
    case 'redacted_thinking':
      if (typeof block.data !== 'string') return opaque(block);
      return { type: 'thinking', text: '', redacted: true, signature: block.data };
    case 'server_tool_use':
    case 'tool_use': {
      const name = nameOf(block);
      if (typeof block.id !== 'string' || name === undefined) return opaque(block);
      const rest = without(block, 'type', 'id', 'name', 'input', 'toolName', 'toolType', 'status');
      return { type: 'tool-call', id: block.id, name, input: dictionaryOf(block.input), ...claudeExtra(rest) };
    }
    case 'image':
      return imageOf(block);
    case 'unknown':
      // RpcMessage's form of a block without a type of its own (docs/protocols/rpc-message.md 7.2).
      return isDictionary(block.data) && typeof block.data.type === 'string'
        ? opaque({ ...block.data, type: block.data.type })
        : opaque(block);
    default:
      return opaque(block);
  }
}

/** The signature of a thinking block; undefined if empty. */
export function signatureOf(block: AgentBlock): string | undefined {
  return typeof block.signature === 'string' && block.signature !== '' ? block.signature : undefined;
}

/** The name of a tool. The rpc-message dialect has a second field for it. */
export function nameOf(block: AgentBlock): string | undefined {
  const { name = block.toolName } = block;
  return typeof name === 'string' ? name : undefined;
}

function imageOf(block: AgentBlock): Content {
  const source = dictionaryOf(block.source);
  const { data, url, media_type: mediaType } = source;
  if (source.type === 'base64' && typeof data === 'string') {
    return { type: 'image', data, ...(typeof mediaType === 'string' ? { mediaType } : {}) };
  }
  return source.type === 'url' && typeof url === 'string' ? { type: 'image', url } : opaque(block);
}

function opaque(block: AgentBlock): Content {
  return { type: 'opaque', name: block.type, protocol: 'claude', payload: block };
}
