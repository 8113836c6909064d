// Whole messages in pi's form, for message_start, message_end, agent_end and get_messages. The inverse is
// backend/decode-whole-message.ts.
import type { Content, Cost, Dictionary, Extra, Failure, Message, Stop, Usage } from '../../../core/model/content.ts';
import { isDictionary, without } from '../../../core/model/dictionary.ts';
import { encodeContents, encodeFailure, encodeStop, encodeUsage, piFields, present, textOf } from '../encode-values.ts';

/** Fallback values for what the agent does not report. */
export interface Defaults {
  /** Wall clock, ms since 1970. */
  readonly timestamp: number;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** The parts of an assistant message beside its content. */
export interface AssistantFacts {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly cost?: Cost | undefined;
  readonly stop?: Stop | undefined;
  readonly failure?: Failure | undefined;
  readonly timestamp?: number | undefined;
  readonly extra?: Extra | undefined;
}

/** Fields of pi's messages that have another place in canonical messages, and marks of this adapter. */
const ownPlaces = ['content', 'usage', 'api', 'unsaid', 'blocks'] as const;

/** The error text of a failed message whose agent gave no reason. */
const unexplained: ReadonlyMap<Stop['reason'] | undefined, string> = new Map([
  ['aborted', 'Request was aborted.'],
  ['error', 'The agent gave no reason.'],
  ['refusal', 'The model refused to answer.'],
]);

/** An assistant message (docs/protocols/pi-legacy.md 4.2). */
export function encodeAssistant(
  content: readonly Dictionary[],
  facts: AssistantFacts,
  { timestamp, provider, model }: Defaults,
): Dictionary {
  const fields = piFields(facts.extra);
  const { stop, failure } = facts;
  const reason = failure === undefined ? unexplained.get(stop?.reason) : encodeFailure(failure);
  return present({
    role: 'assistant',
    content,
    api: fields.api ?? 'unknown',
    provider: facts.provider ?? provider ?? 'unknown',
    model: facts.model ?? model ?? 'unknown',
    usage: encodeUsage(facts.usage, facts.cost, fields.usage),
    stopReason: encodeStop(stop, isDictionary(facts.extra?.pi)),
    timestamp: facts.timestamp ?? timestamp,
    errorMessage: reason,
    ...without(fields, ...ownPlaces),
  });
}

/** Any whole message. */
export function encodeMessage(message: Message, defaults: Defaults): Dictionary {
  const { role, content } = message;
  const { timestamp = defaults.timestamp } = message;
  const { plain, kind, unsaid, ...fields } = piFields(message.extra);
  const speaksPi = message.extra?.pi !== undefined;
  switch (role) {
    case 'assistant':
      return encodeAssistant(encodeContents(content), speaksPi ? message : foreign(message), defaults);
    case 'user':
      return { role, content: plain === true ? textOf(content) : encodeContents(content), timestamp, ...fields };
    case 'tool':
      return encodeResult(message, timestamp);
    case 'system':
      return { role, content: textOrBlocks(content, plain ?? !speaksPi), timestamp, ...fields };
    case 'custom': {
      const shown = { customType: message.name ?? 'message', display: true };
      return { role, ...shown, content: textOrBlocks(content, plain), timestamp, ...fields };
    }
    case 'bash': {
      const command = message.name ?? '';
      const ended = { exitCode: message.isError === true ? 1 : 0, cancelled: false, truncated: false };
      const run = speaksPi ? {} : { command, ...ended };
      return { role: 'bashExecution', ...run, output: textOf(content), timestamp, ...fields };
    }
    case 'summary': {
      const tokens = kind === undefined ? { tokensBefore: 0 } : {};
      return { role: kind ?? 'compactionSummary', summary: textOf(content), ...tokens, timestamp, ...fields };
    }
    default:
      return role satisfies never;
  }
}

/**
 * Values of another protocol are not pi's: the original stop reason is dropped, and the message id becomes
 * `responseId`.
 */
function foreign({ extra: _, id: responseId, stop, ...message }: Message): AssistantFacts {
  return { ...message, stop: stop && { reason: stop.reason }, extra: { pi: present({ responseId }) } };
}

/** Marks of a tool's end that the message with its result does not carry. */
const resultMarks = ['result', 'plain', 'unsaid'] as const;

/** The result of a tool as a message (docs/protocols/pi-legacy.md 4.3). */
export function encodeResult(
  result: Pick<Message, 'call' | 'name' | 'content' | 'details' | 'isError' | 'extra'>,
  timestamp: number,
): Dictionary {
  return present({
    role: 'toolResult',
    toolCallId: result.call ?? '',
    toolName: result.name ?? '',
    content: encodeContents(result.content),
    details: result.details,
    isError: result.isError ?? false,
    timestamp,
    ...without(piFields(result.extra), ...resultMarks),
  });
}

function textOrBlocks(content: readonly Content[], plain: unknown): string | Dictionary[] {
  return plain === true ? textOf(content) : encodeContents(content);
}
