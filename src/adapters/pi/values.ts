// The nouns of pi as canonical nouns: content, usage, stop reasons, failures, models. Pure functions.
import type { Content, Cost, Dictionary, Extra, Failure, Model, Stop, Usage } from '../../core/model/content.ts';
import { dictionaryOf, extraFor, without } from '../../core/model/dictionary.ts';
import type { AssistantMessage, Block, WireModel, WireUsage } from './wire/values.ts';

/** A string that says something; anything else is undefined. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether two JSON values are equal; the order of keys counts. */
export function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Wire fields with no canonical home, to be spread into an event; nothing when there are none. */
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

/** What pi writes in `errorMessage` for an aborted call; 0.87.1 files it under `error` (docs/protocols/pi.md 1.6, 8.7). */
const abortMessages: ReadonlySet<string> = new Set(['Request was aborted.', 'This operation was aborted']);

/** Why a message stopped. */
export function stopOf(raw: string | undefined, errorMessage: string | undefined): Stop {
  if (raw === undefined) return { reason: 'unknown' };
  if (raw === 'error' && errorMessage !== undefined && abortMessages.has(errorMessage)) {
    return { reason: 'aborted', raw };
  }
  return { reason: stopReasons.get(raw) ?? 'unknown', raw };
}

/** Stands where pi did not say what went wrong. */
export const noReason = 'pi gave no reason';

/** What went wrong at the model provider. Its status, if any, leads the message: `529 {"type":"error",…}`. */
export function failureOf(message: string | undefined, kind: Failure['kind'] = 'provider'): Failure {
  const status = /^([45]\d\d)\b/.exec(message ?? '')?.[1];
  return { kind, message: message ?? noReason, status: status === undefined ? undefined : Number(status) };
}

const tokens = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** Usage and cost of one message, and the figures with no canonical home. */
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

/** Tokens; a figure that pi does not have counts as none. */
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

/** How a message of the model ended, with the fields that only pi knows. */
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

/** The content of a whole message or of a tool's result. A plain string is one text; an empty one is nothing. */
export function contentOf(content: string | readonly Block[] | undefined): Content[] {
  if (content === undefined || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(contentOfBlock);
}

/** Scratch fields of pi's stream parser that leak into blocks: no content (docs/protocols/pi.md 7.8). */
export const leaked = ['index', 'partialJson'] as const;

/** One block. What is not what its type says stays as it is, opaque (0.13.2 echoes texts that are no strings). */
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

/** A model, with prices and the like in `extra`. */
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
