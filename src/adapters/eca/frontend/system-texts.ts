// System texts for events that the protocol has no content for: a retried or truncated answer, a failure, a compaction.
// Clients keep such texts in the chat, while a progress text disappears.
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Failure } from '../../../core/model/content.ts';
import { dictionaryIn, dictionaryOf } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { AssistantMessage } from '../../../core/model/transcript.ts';

/** The system texts of one chat; null if there is nothing to say. Excludes sub-agents. */
export interface SystemTexts {
  messageStart(): string | null;
  messageEnd(event: EventOf<'message-end'>): void;
  /** Must be called for each message of the user: the following texts answer this message. */
  userMessage(): void;
  /** `isReplay`: for a late client, after the messages. */
  retry(event: EventOf<'retry-start'>, isReplay: boolean): string | null;
  runEnd(event: EventOf<'run-end'>): string | null;
}

/** Creates the system texts of a session, before its first event. */
export function createSystemTexts(session: SessionView): SystemTexts {
  /** The last message of this run with a text. */
  let answer: AssistantMessage | undefined;
  let isCutOff = false;
  /** The last message failed, and its retry was not reported yet. */
  let unreportedFailure: { readonly failure: Failure | undefined } | null = null;
  let isBroken = false;
  /** The last reported attempt. */
  let attempt: number | undefined;

  function endedMessage(): AssistantMessage | undefined {
    const item = session.transcript.items.findLast(
      (one) => one.kind === 'message' && one.message.start.parent === undefined,
    );
    return item?.kind === 'message' ? item.message : undefined;
  }

  return {
    messageStart() {
      const untold = unreportedFailure;
      unreportedFailure = null;
      isBroken = false;
      isCutOff = false;
      attempt = undefined;
      // A late client gets no retry events, but a failed message followed by another shows that there was a retry.
      return untold === null ? null : retryWords('', untold.failure);
    },
    messageEnd({ stop, failure }) {
      const message = endedMessage();
      if (message !== undefined && textOf(message) !== '') answer = message;
      isCutOff = stop.reason === 'length';
      const hasFailed = failure !== undefined || stop.reason === 'error';
      unreportedFailure = hasFailed ? { failure } : null;
      isBroken = hasFailed || stop.reason === 'aborted';
    },
    userMessage() {
      unreportedFailure = null;
      isBroken = false;
    },
    retry(event, isReplay) {
      const isOpen = (session.transcript.open.get('')?.blocks.length ?? 0) > 0;
      // Nothing was written yet, so there is nothing to separate from the new attempt.
      const isDue = isReplay ? unreportedFailure !== null : isBroken || isOpen;
      if (!isDue || attempt === event.attempt) return null;
      attempt = event.attempt;
      unreportedFailure = null;
      return retryWords(` (${event.attempt}/${event.maxAttempts})`, event.failure);
    },
    runEnd({ outcome, failure }) {
      const lastText = answer === undefined ? '' : textOf(answer).trim();
      const cut = isCutOff && outcome !== 'aborted' ? '\n\nThe answer was cut off: the output limit is reached.\n' : '';
      answer = undefined;
      isCutOff = false;
      isBroken = false;
      unreportedFailure = null;
      attempt = undefined;
      if (outcome === 'aborted') return '\nPrompt stopped\n';
      const words = failure?.message.trim() || 'The agent failed';
      // Some agents report a failure as the last text of the model.
      const isShown = failure !== undefined && lastText.endsWith(words);
      const all = outcome === 'failed' && !isShown ? `${cut}\n\n${plainWords(failure?.message || words)}` : cut;
      return all === '' ? null : all;
    },
  };
}

/** The last non-empty text of a message. */
function textOf({ blocks }: AssistantMessage): string {
  const texts = blocks.flatMap(({ head, text }) => {
    if (head.kind === 'text') return [text];
    return head.kind === 'whole' && head.content.type === 'text' ? [head.content.text] : [];
  });
  return texts.findLast((text) => text.trim() !== '') ?? '';
}

const bodyPattern = /^(\d{3} )?(\{.*\})$/su;

/**
 * The readable message in a failure text. Some agents report the whole body of a provider's response, after its status.
 */
function plainWords(words: string): string {
  const [, status = '', body = ''] = bodyPattern.exec(words.trim()) ?? [];
  const reported = dictionaryOf(dictionaryIn(body));
  const { message = reported.message } = dictionaryOf(reported.error);
  return typeof message === 'string' && message.trim() !== '' ? `${status}${message}` : words;
}

function retryWords(count: string, failure: Failure | undefined): string {
  const reason = failure === undefined || failure.message === '' ? '' : `: ${plainWords(failure.message)}`;
  return `\n\nRetrying${count}${reason}\n\n`;
}

/** How a compaction ended, with the known figures. */
export function compactionWords({
  outcome,
  failure,
  tokensBefore: before,
  tokensAfter: after,
}: EventOf<'compaction-end'>): string {
  const reason = failure === undefined ? '' : `: ${failure.message}`;
  switch (outcome) {
    case 'completed':
      return `\n\nThe conversation was compacted${figures(before, after)}.\n`;
    case 'failed':
      return `\n\nThe conversation could not be compacted${reason}\n`;
    case 'aborted':
      return '\n\nThe compaction of the conversation was stopped.\n';
    default:
      return outcome satisfies never;
  }
}

function figures(before: number | undefined, after: number | undefined): string {
  if (before === undefined) return after === undefined ? '' : ` (to ${after} tokens)`;
  return after === undefined ? ` (from ${before} tokens)` : ` (${before} -> ${after} tokens)`;
}
