// What no content of the protocol tells, in words of the system: an answer that is begun anew or was cut off, a failure, a
// compaction. Clients show such words where they come, and a progress only as long as it lasts. Knows no frame.
import type { SessionView } from '../../../core/contract/adapter.ts';
import type { Failure } from '../../../core/model/content.ts';
import { dictionaryIn, dictionaryOf } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { AssistantMessage } from '../../../core/model/transcript.ts';

/** What is to be remarked in one chat; null where there is nothing to say. Sub-agents are not for it. */
export interface Remarks {
  messageStart(): string | null;
  messageEnd(event: EventOf<'message-end'>): void;
  /** The user has said something: what comes after it answers that. */
  heard(): void;
  /** `isRetold`: to somebody who comes late, behind the messages. */
  retry(event: EventOf<'retry-start'>, isRetold: boolean): string | null;
  runEnd(event: EventOf<'run-end'>): string | null;
}

/** Of one session, before anything was said. */
export function createRemarks(session: SessionView): Remarks {
  /** The last message that has a text, of this run. */
  let answer: AssistantMessage | undefined;
  let isCutOff = false;
  /** The last message failed, and nobody has said that it is tried again. */
  let broken: { readonly failure: Failure | undefined } | null = null;
  let isBroken = false;
  /** The attempt that was told last. */
  let attempt: number | undefined;

  function endedMessage(): AssistantMessage | undefined {
    const item = session.transcript.items.findLast(
      (one) => one.kind === 'message' && one.message.start.parent === undefined,
    );
    return item?.kind === 'message' ? item.message : undefined;
  }

  return {
    messageStart() {
      const untold = broken;
      broken = null;
      isBroken = false;
      isCutOff = false;
      attempt = undefined;
      // Retries are not told again to those who come late, but that there was one shows.
      return untold === null ? null : retryWords('', untold.failure);
    },
    messageEnd({ stop, failure }) {
      const message = endedMessage();
      if (message !== undefined && textOf(message) !== '') answer = message;
      isCutOff = stop.reason === 'length';
      const hasFailed = failure !== undefined || stop.reason === 'error';
      broken = hasFailed ? { failure } : null;
      isBroken = hasFailed || stop.reason === 'aborted';
    },
    heard() {
      broken = null;
      isBroken = false;
    },
    retry(event, isRetold) {
      const isOpen = (session.transcript.open.get('')?.blocks.length ?? 0) > 0;
      // Where nothing was said yet, nothing must be kept apart from what follows.
      const isDue = isRetold ? broken !== null : isBroken || isOpen;
      if (!isDue || attempt === event.attempt) return null;
      attempt = event.attempt;
      broken = null;
      return retryWords(` (${event.attempt}/${event.maxAttempts})`, event.failure);
    },
    runEnd({ outcome, failure }) {
      const said = answer === undefined ? '' : textOf(answer).trim();
      const cut = isCutOff && outcome !== 'aborted' ? '\n\nThe answer was cut off: the output limit is reached.\n' : '';
      answer = undefined;
      isCutOff = false;
      isBroken = false;
      broken = null;
      attempt = undefined;
      if (outcome === 'aborted') return '\nPrompt stopped\n';
      const words = failure?.message.trim() || 'The agent failed';
      // Some agents let the model say what went wrong.
      const isTold = failure !== undefined && said.endsWith(words);
      const all = outcome === 'failed' && !isTold ? `${cut}\n\n${plainWords(failure?.message || words)}` : cut;
      return all === '' ? null : all;
    },
  };
}

/** The last text that it says. */
function textOf({ blocks }: AssistantMessage): string {
  const texts = blocks.flatMap(({ head, text }) => {
    if (head.kind === 'text') return [text];
    return head.kind === 'whole' && head.content.type === 'text' ? [head.content.text] : [];
  });
  return texts.findLast((text) => text.trim() !== '') ?? '';
}

const bodyPattern = /^(\d{3} )?(\{.*\})$/su;

/** Some agents say the whole body of a provider's answer, behind its status: what is meant for people is inside. */
function plainWords(words: string): string {
  const [, status = '', body = ''] = bodyPattern.exec(words.trim()) ?? [];
  const said = dictionaryOf(dictionaryIn(body));
  const { message = said.message } = dictionaryOf(said.error);
  return typeof message === 'string' && message.trim() !== '' ? `${status}${message}` : words;
}

function retryWords(count: string, failure: Failure | undefined): string {
  const reason = failure === undefined || failure.message === '' ? '' : `: ${plainWords(failure.message)}`;
  return `\n\nRetrying${count}${reason}\n\n`;
}

/** How a compaction went, with the figures that are known. */
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
