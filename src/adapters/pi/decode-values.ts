// Converts pi's values to canonical ones: content, usage, stop reasons, failures, models.
import type { Content, Cost, Dictionary, Extra, Failure, Model, Stop, Usage } from '../../core/model/content.ts';
import { dictionaryOf, extraFor, without } from '../../core/model/dictionary.ts';
import type { AssistantMessage, Block, WireModel, WireUsage } from './wire/values.ts';

/** A non-empty string; undefined for anything else. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether two JSON values are equal. The order of keys counts. */
export function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Wire fields without a canonical place, to be spread into an event. Empty if there are none. */
export function extraOf(fields: Dictionary): { extra?: Extra } {
  return extraFor('pi', fields);
}

const stopReasons: ReadonlyMap<string, Stop['reason']> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  ['toolUse', 'tool-use'],
  ['error', 'error'],
  ['aborted', 'aborted'],
]);

/**
 * pi's `errorMessage` of an aborted call. 0.87.1 reports it with the reason `error` (docs/protocols/pi.md 1.6, 8.7).
 */
const abortMessages: ReadonlySet<string> = new Set(['Request was aborted.', 'This operation was aborted']);

/** Why a message stopped. */
export function stopOf(raw: string | undefined, errorMessage: string | undefined): Stop {
  if (raw === undefined) return { reason: 'unknown' };
  if (raw === 'error' && errorMessage !== undefined && abortMessages.has(errorMessage)) {
    return { reason: 'aborted', raw };
  }
  return { reason: stopReasons.get(raw) ?? 'unknown', raw };
}

/** The text if pi gave no reason for a failure. */
export const noReason = 'pi gave no reason';

/** A failure of the model provider. The HTTP status, if any, precedes the message: `529 {"type":"error",…}`. */
export function failureOf(message: string | undefined, kind: Failure['kind'] = 'provider'): Failure {
  const status = /^([45]\d\d)\b/.exec(message ?? '')?.[1];
  return { kind, message: message ?? noReason, status: status === undefined ? undefined : Number(status) };
}

const tokens = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** Usage and cost of one message, and the figures without a canonical place. */
export function figuresOf(usage: WireUsage | undefined): { usage?: Usage; cost?: Cost; rest?: Dictionary } {
  if (usage === undefined) return {};
  const rest = without(usage, ...tokens, 'cost');
  const { cost } = usage;
  const costRest = without(cost ?? {}, ...tokens, 'total');
  return {
    usage: usageOf(usage),
    cost: cost ? costOf(cost) : undefined,
    rest: Object.keys(costRest).length === 0 ? rest : { ...rest, cost: costRest },
  };
}

/** Tokens. A missing figure counts as 0. */
export function usageOf(usage: WireUsage): Usage {
  return {
    input: usage.input ?? 0,
    output: usage.output ?? 0,
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite: usage.cacheWrite ?? 0,
  };
}

function costOf(cost: NonNullable<WireUsage['cost']>): Cost {
  return {
    total: cost.total ?? 0,
    input: cost.input ?? undefined,
    output: cost.output ?? undefined,
    cacheRead: cost.cacheRead ?? undefined,
    cacheWrite: cost.cacheWrite ?? undefined,
  };
}

/** The end of a model's message, with the fields that only pi has. */
export function endingOf(message: AssistantMessage): {
  stop: Stop;
  failure: Failure | undefined;
  usage: Usage | undefined;
  cost: Cost | undefined;
  rest: Dictionary;
} {
  const { errorMessage } = message;
  const stop = stopOf(message.stopReason, errorMessage);
  const { usage, cost, rest } = figuresOf(message.usage);
  const failed = stop.reason === 'error' || stop.reason === 'aborted';
  return {
    stop,
    failure: failed ? failureOf(errorMessage, stop.reason === 'error' ? 'provider' : 'aborted') : undefined,
    usage,
    cost,
    rest: {
      ...without(message, 'role', 'content', 'provider', 'model', 'usage', 'stopReason', 'timestamp'),
      errorMessage: failed ? undefined : errorMessage,
      usage: rest,
    },
  };
}

/** The content of a whole message or of a tool result. A plain string is one text; an empty string is no content. */
export function contentOf(content: string | readonly Block[] | undefined): Content[] {
  if (content === undefined || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(contentOfBlock);
}

/** Internal fields of pi's stream parser that leak into blocks and are not content (docs/protocols/pi.md 7.8). */
export const leaked = ['index', 'partialJson'] as const;

/** One block. A block that does not match its type stays opaque (0.13.2 echoes texts that are not strings). */
export function contentOfBlock(block: Block): Content {
  const { type } = block;
  if (type === 'text' && typeof block.text === 'string') {
    const rest = without(block, 'type', 'text', 'textSignature', ...leaked);
    return { type, text: block.text, signature: wordOf(block.textSignature), ...extraOf(rest) };
  }
  if (type === 'image' && typeof block.data === 'string') {
    const rest = without(block, 'type', 'data', 'mimeType');
    return { type, data: block.data, mediaType: wordOf(block.mimeType), ...extraOf(rest) };
  }
  if (type === 'thinking' && typeof block.thinking === 'string') {
    const rest = without(block, 'type', 'thinking', 'thinkingSignature', 'redacted', ...leaked);
    const signature = wordOf(block.thinkingSignature);
    return { type, text: block.thinking, signature, redacted: block.redacted === true || undefined, ...extraOf(rest) };
  }
  if (type === 'toolCall' && typeof block.id === 'string' && typeof block.name === 'string') {
    const { id, name, thoughtSignature } = block;
    const rest = without(block, 'type', 'id', 'name', 'arguments', 'thoughtSignature', ...leaked);
    const input = dictionaryOf(block.arguments);
    return { type: 'tool-call', id, name, input, signature: wordOf(thoughtSignature), ...extraOf(rest) };
  }
  return { type: 'opaque', name: type, protocol: 'pi', payload: block };
}

/** A model. `extra` holds prices and other fields. */
export function modelOf(model: WireModel): Model {
  return {
    id: model.id,
    name: model.name,
    provider: model.provider,
    contextWindow: model.contextWindow ?? undefined,
    maxOutput: model.maxTokens ?? undefined,
    reasoning: model.reasoning,
    ...extraOf(without(model, 'id', 'name', 'provider', 'contextWindow', 'maxTokens', 'reasoning')),
  };
}
