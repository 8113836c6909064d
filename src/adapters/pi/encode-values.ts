// Writes canonical values in pi's form: content, usage, stop reasons, models. decode-values.ts is the inverse.
import type { Content, Cost, Dictionary, Extra, Failure, Model, Stop, Usage } from '../../core/model/content.ts';
import { isDictionary, without } from '../../core/model/dictionary.ts';
import { noReason } from './decode-values.ts';

/** The fields of an event or message that only pi understands, including marks of this adapter. */
export function piFields(extra: Extra | undefined): Dictionary {
  return isDictionary(extra?.pi) ? extra.pi : {};
}

/** Whether pi printed no line for an event: the event was learned from an answer or generated for other clients. */
export function isUnsaid({ extra }: { extra?: Extra | undefined }): boolean {
  return piFields(extra).unsaid === true;
}

/** The fields that have a value. */
export function present(fields: Dictionary): Dictionary {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Marks of this adapter among the pi fields of a block. */
const blockMarks = ['unsaid', 'usage', 'line', 'event', 'arguments'] as const;

/** One content block, or null if pi has no matching block. */
export function encodeContent(content: Content): Dictionary | null {
  if (content.type === 'opaque') {
    const { protocol, payload } = content;
    return protocol === 'pi' && isDictionary(payload) ? payload : null;
  }
  const fields = piFields(content.extra);
  const rest = without(fields, ...blockMarks);
  switch (content.type) {
    case 'text':
      return present({ type: 'text', text: content.text, textSignature: content.signature, ...rest });
    case 'thinking': {
      const { text: thinking, signature, redacted } = content;
      return present({ type: 'thinking', thinking, thinkingSignature: signature, redacted, ...rest });
    }
    case 'tool-call': {
      const { id, name, input, signature } = content;
      // pi's own guess at incomplete arguments.
      const guess = fields.arguments ?? input;
      return present({ type: 'toolCall', id, name, arguments: guess, thoughtSignature: signature, ...rest });
    }
    case 'image':
      if (content.data === undefined) return null;
      return { type: 'image', data: content.data, mimeType: content.mediaType ?? 'image/png', ...rest };
    case 'document':
      if (content.text === undefined) return null;
      return { type: 'text', text: `[Document: ${content.name ?? 'unnamed'}]\n${content.text}`, ...rest };
    case 'link':
      return { type: 'text', text: content.title === undefined ? content.url : `[${content.title}](${content.url})` };
    default:
      return content satisfies never;
  }
}

/** All blocks that pi can express. */
export function encodeContents(contents: readonly Content[]): Dictionary[] {
  return contents.map(encodeContent).filter((block) => block !== null);
}

/** The text of a content, for fields that are plain strings in pi. */
export function textOf(contents: readonly Content[]): string {
  return contents.map((content) => ('text' in content ? (content.text ?? '') : '')).join('');
}

/** Tokens and US dollars. `rest` holds pi's other figures (decode-values.ts, figuresOf). */
export function encodeUsage(usage: Usage | undefined, cost: Cost | undefined, rest: unknown): Dictionary {
  const { input, output, cacheRead, cacheWrite } = usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const { cost: costRest, ...others } = isDictionary(rest) ? rest : {};
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...encodeCost(cost), ...(isDictionary(costRest) ? costRest : {}) },
    ...others,
  };
}

function encodeCost(cost: Cost | undefined): Dictionary {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, total = 0 } = cost ?? {};
  return { input, output, cacheRead, cacheWrite, total };
}

const stopReasons: Readonly<Record<Stop['reason'], string>> = {
  end: 'stop',
  'tool-use': 'toolUse',
  length: 'length',
  'stop-sequence': 'stop',
  pause: 'stop',
  unknown: 'stop',
  // pi has no stop reason for a refusal and reports an error (docs/protocols/pi.md 8.5).
  refusal: 'error',
  aborted: 'aborted',
  error: 'error',
};

/** The stop reason of a message. An agent that speaks pi keeps its original word. */
export function encodeStop(stop: Stop | undefined, speaksPi: boolean): string {
  return (speaksPi ? stop?.raw : undefined) ?? stopReasons[stop?.reason ?? 'end'];
}

/** The text of a failure, or undefined if pi gave none and the text is the gateway's own. */
export function encodeFailure(failure: Failure | undefined): string | undefined {
  return failure === undefined || failure.message === noReason ? undefined : failure.message;
}

/** A model with every field that pi's client types require. Unknown prices and limits are 0. */
export function encodeModel(model: Model): Dictionary {
  const { id, name, provider, reasoning, contextWindow, maxOutput } = model;
  return {
    id,
    name: name ?? id,
    api: 'unknown',
    provider: provider ?? 'unknown',
    baseUrl: '',
    reasoning: reasoning ?? false,
    input: ['text', 'image'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: contextWindow ?? 0,
    maxTokens: maxOutput ?? 0,
    ...piFields(model.extra),
  };
}
