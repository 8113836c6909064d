// Reads the conversation from the transcript as whole messages, for `query messages`, exports and stored sessions.

import { addUsage, type Content, type Cost, type Extra, type Message, noUsage, type Usage } from '../model/content.ts';
import { dictionaryIn } from '../model/dictionary.ts';
import type { EventOf, Logged } from '../model/event.ts';
import type { AssistantMessage, Block, Item, Transcript } from '../model/transcript.ts';
import { withoutContexts } from './context-text.ts';

/**
 * All finished messages of the conversation, in order. Messages of sub-agents carry their `parent`. A tool result that
 * no message repeats becomes a message at its place. With `timeOrigin` (see SessionView), a message without a time of
 * its own gets the time of the log; replayed history does not, because its time is unknown.
 */
export function messagesOf(transcript: Pick<Transcript, 'items'>, timeOrigin?: number): Message[] {
  const gathered = new GatheredMessages(timeOrigin);
  for (const item of transcript.items) gathered.add(item);
  return gathered.all();
}

/** The messages of {@link messagesOf}, item by item: a long conversation takes several turns. */
export class GatheredMessages {
  readonly #timeOrigin: number | undefined;
  readonly #messages: (Message | null)[] = [];
  /** The place of each call's result until a message repeats it. Call ids may be used again. */
  readonly #results = new Map<string, number>();
  /** Calls of the run whose result a message has repeated before the `tool-end` came. */
  readonly #shownCalls = new Set<string>();

  constructor(timeOrigin: number | undefined) {
    this.#timeOrigin = timeOrigin;
  }

  all(): Message[] {
    return this.#messages.filter((message) => message !== null);
  }

  add(item: Item): void {
    if (item.kind === 'message') {
      const { message } = item;
      if (message.end !== undefined) this.#messages.push(wholeMessage(message, this.#timeOf(message.startedAt)));
      return;
    }
    const { event, at } = item.logged;
    switch (event.type) {
      case 'run-start':
        this.#results.clear();
        this.#shownCalls.clear();
        break;
      case 'message-added': {
        if (event.role === 'tool' && event.call !== undefined) {
          const place = this.#results.get(event.call);
          if (place === undefined) this.#shownCalls.add(event.call);
          else this.#messages[place] = null;
          this.#results.delete(event.call);
        }
        this.#messages.push(addedMessage(event, this.#timeOf(at)));
        break;
      }
      case 'tool-end':
        if (this.#shownCalls.delete(event.call)) break;
        this.#results.set(event.call, this.#messages.length);
        this.#messages.push(resultMessage(event, this.#timeOf(at)));
        break;
      default:
    }
  }

  #timeOf(at: number): number | undefined {
    return this.#timeOrigin === undefined ? undefined : Math.round(this.#timeOrigin + at);
  }
}

/**
 * The whole content of an assistant message: texts, signatures, redaction marks, protocol fields. An open block counts
 * as far as it is known.
 */
export function wholeContent(message: AssistantMessage): Content[] {
  return message.blocks.map(wholeBlock);
}

/** The whole content of one block. */
export function wholeBlock({ head, text, end }: Block): Content {
  const { signature, extra } = end ?? {};
  switch (head.kind) {
    case 'text':
      return { type: 'text', text, signature, extra };
    case 'thinking':
      return { type: 'thinking', text, signature, redacted: end?.redacted, extra };
    case 'tool-call': {
      const input = end?.input ?? dictionaryIn(text) ?? {};
      const incomplete = end === undefined || end.incomplete;
      return { type: 'tool-call', id: head.id, name: head.name, input, incomplete, signature, extra };
    }
    case 'whole':
      return head.content;
    default:
      return head satisfies never;
  }
}

function wholeMessage(message: AssistantMessage, time: number | undefined): Message {
  const { start, end, stop, usage, cost, failure } = message;
  const { id, parent, model, provider, timestamp } = start;
  const content = wholeContent(message);
  const extra = extraOf(start.extra, end?.extra);
  return {
    id,
    parent,
    role: 'assistant',
    content,
    model,
    provider,
    stop,
    usage,
    cost,
    failure,
    timestamp: timestamp ?? time,
    extra,
  };
}

/** Merges `extra` by protocol. The fields at the end of a message override those at its start. */
function extraOf(start: Extra | undefined, end: Extra | undefined): Extra | undefined {
  return start === undefined || end === undefined ? (end ?? start) : { ...start, ...end };
}

function addedMessage(event: EventOf<'message-added'>, time: number | undefined): Message {
  const { type, synthetic, ...message } = event;
  return { ...message, timestamp: message.timestamp ?? (message.origin === 'replay' ? undefined : time) };
}

function resultMessage(event: EventOf<'tool-end'>, timestamp: number | undefined): Message {
  const { call, name, content, isError, details, parent, extra } = event;
  return { role: 'tool', call, name, content, isError, details, parent, timestamp, extra };
}

/** Totals over several messages. */
export interface MessageFigures {
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly totalMessages: number;
  readonly usage: Usage;
  /** Absent if no message has a cost. */
  readonly cost?: Cost;
}

/** The totals over no message. */
export const noFigures: MessageFigures = {
  userMessages: 0,
  assistantMessages: 0,
  toolCalls: 0,
  toolResults: 0,
  totalMessages: 0,
  usage: noUsage,
  cost: undefined,
};

/** Counts messages and adds up their usage and cost. */
export function figuresOf(messages: readonly Message[]): MessageFigures {
  return messages.reduce(addFigures, noFigures);
}

/** The totals with one more message. */
export function addFigures(sum: MessageFigures, { role, content, usage, cost }: Message): MessageFigures {
  return {
    userMessages: sum.userMessages + (role === 'user' ? 1 : 0),
    assistantMessages: sum.assistantMessages + (role === 'assistant' ? 1 : 0),
    toolCalls: sum.toolCalls + content.filter(({ type }) => type === 'tool-call').length,
    toolResults: sum.toolResults + (role === 'tool' ? 1 : 0),
    totalMessages: sum.totalMessages + 1,
    usage: addUsage(sum.usage, usage ?? noUsage),
    cost: cost === undefined ? sum.cost : { total: (sum.cost?.total ?? 0) + cost.total },
  };
}

/** Joins the texts of a message. */
export function textIn(content: readonly Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Longest result of {@link firstWordsIn}, characters. */
const mostFirstWords = 200;

/** The beginning of the first user message, without contexts. Undefined if there is no text. */
export function firstWordsIn(
  messages: readonly Pick<Message, 'role' | 'parent' | 'origin' | 'content'>[],
): string | undefined {
  for (const { role, parent, origin, content } of messages) {
    if (role !== 'user' || parent !== undefined || origin === 'agent') continue;
    const words = Array.from(
      withoutContexts(textIn(content))
        .trim()
        .slice(0, 2 * mostFirstWords),
    );
    if (words.length > 0) return words.slice(0, mostFirstWords).join('');
  }
  return undefined;
}

/** A user message on the main thread. */
export interface UserMessage {
  /** A stable name: the agent's id of the message, or else its place in the log. */
  readonly entry: string;
  readonly logged: Logged & { readonly event: EventOf<'message-added'> };
}

/** All user messages in order, without those that the agent wrote in the user's name. */
export function userMessages(transcript: Transcript): UserMessage[] {
  return transcript.items.flatMap((item) => {
    if (item.kind !== 'event') return [];
    const { event, ...place }: Logged = item.logged;
    if (event.type !== 'message-added' || event.role !== 'user' || event.parent !== undefined) return [];
    if (event.origin === 'agent') return [];
    return [{ entry: event.id ?? `message-${place.seq}`, logged: { ...place, event } }];
  });
}
