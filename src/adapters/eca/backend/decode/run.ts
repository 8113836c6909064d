// When a run begins and ends: it begins with the echo of its prompt or the answer to it, and ends with the first
// `finished` after that (docs/protocols/eca.md 4, 6.5, 6.7). Errors arrive as system texts, so this file also decides
// which texts are errors.

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import { TurnBracket } from '../../../../core/contract/adapter/turn-bracket.ts';
import type { Content } from '../../../../core/model/content.ts';
import type { Outcome } from '../../../../core/model/errors.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import { ecaExtra } from './values.ts';

/** A prompt that was sent. */
export interface SentPrompt {
  /** The id of the command; null for a prompt that continues the open run. */
  readonly id: string | null;
  readonly content: Content[];
  /** The text that was sent. */
  readonly words: string;
}

/** The dependencies of a run. */
export interface RunParts {
  closeMessages(isStopped: boolean): void;
  /** Ends the message of the main thread because content of another role follows. */
  closeMessage(): void;
  closeCalls(isStopped: boolean): void;
  /** Whether the main thread has no open message and no call without a result. */
  isTurnOver(): boolean;
  /** Whether calls wait for their user or run. */
  isWorking(): boolean;
  /** Sends the unheard steering texts as a prompt. Returns false if there are none. */
  sendUnheard(): boolean;
  /** Called when the server repeats a text that was sent after the prompt. */
  repeated(words: string): void;
  started(): void;
  /** Called when the server works on the prompt. */
  atWork(): void;
  ended(): void;
}

/** The run of one chat. */
export interface RunDecoder {
  readonly open: boolean;
  /** Nothing comes before further content of the model: {@link RunDecoder.speaks} would do nothing. */
  readonly isSpeaking: boolean;
  /** The prompt whose run has not begun. */
  readonly waiting: SentPrompt | null;
  sent(prompt: SentPrompt): void;
  /** Must be called when the server has accepted or refused the prompt. */
  answered(prompt: SentPrompt, outcome: Outcome): void;
  /** Must be called when the server repeats a text of the user. */
  echo(text: string, contentId: string | undefined): void;
  /** Must be called when the model sends content. */
  speaks(): void;
  /** Must be called when a message of the model begins. */
  turn(): void;
  /** Checks whether the turn is over, after a message or call has ended. */
  settleTurn(): void;
  activity(text: string): void;
  /** Reads a text of the system. Null is an error without a text. */
  system(text: string | null): void;
  /** Must be called after the server was asked to stop the run. */
  stopping(): void;
  /** Must be called when the server reports that the run was stopped. */
  stopped(): void;
  finished(): void;
  /** Ends the run, whatever the server sends later. */
  end(outcome: EventOf<'run-end'>['outcome'], words?: string): void;
}

/** The text that servers of both eras send for a stopped run, without the white space around it. */
const stopWords = 'Prompt stopped';

export function createRun(out: Outbox, parts: RunParts): RunDecoder {
  let open = false;
  const turns = new TurnBracket(out);
  /** The prompt was echoed or answered, so `finished` ends the run. */
  let isAccepted = false;
  let waiting: SentPrompt | null = null;
  /** The prompt that the server works on. */
  let current: SentPrompt | null = null;
  /** The prompt whose text was not delivered as an event yet. */
  let untold: SentPrompt | null = null;
  /** The text of some prompt of this run was delivered. */
  let isEchoed = false;
  /** The text of a prompt that we delivered without its echo. A later echo is a repetition. */
  let ownWords: string | null = null;
  let isCommand = false;
  let hasSpoken = false;
  let isStopped = false;
  /** We asked for a stop after the server had finished and only calls were left. */
  let isAbandoned = false;
  let isFinished = false;
  let isActive = false;
  /** System texts from before any content of the model: an error if no such content follows. */
  const held: string[] = [];
  let isFailing = false;

  function begin(): void {
    open = true;
    isAccepted = true;
    isCommand = false;
    hasSpoken = false;
    isStopped = false;
    isFinished = false;
    isFailing = false;
    isEchoed = false;
    ownWords = null;
    out.deliver({ type: 'run-start' });
    untold = waiting;
    current = waiting;
    waiting = null;
    if (untold !== null) {
      isCommand = untold.words.startsWith('/');
      if (untold.id !== null) out.settle(untold.id, { ok: true });
    }
    parts.started();
  }

  function tell(content: Content[], origin: 'prompt' | 'steer', contentId?: string): void {
    parts.closeMessage();
    if (!turns.isOpen) turns.begin();
    isEchoed = true;
    out.deliver({ type: 'message-added', role: 'user', origin, content, ...ecaExtra({ contentId }) });
  }

  /** Delivers the text of the prompt ourselves. Servers echo it before they answer, but not all do. */
  function tellOwnWords(): void {
    if (untold === null) return;
    const { content, words, id } = untold;
    untold = null;
    ownWords = words;
    tell(content, id === null ? 'steer' : 'prompt');
  }

  function notice(text: string): void {
    const words = text.trim();
    // Keep the exact text for ECA clients, which show it in the chat.
    if (words !== '')
      out.deliver({ type: 'notice', level: 'info', text: words, source: 'agent', ...ecaExtra({ text }) });
  }

  function release(): void {
    for (const text of held.splice(0)) notice(text);
  }

  function end(outcome: EventOf<'run-end'>['outcome'], words?: string): void {
    if (!open) return;
    tellOwnWords();
    release();
    const isCut = outcome !== 'completed';
    parts.closeMessages(isCut);
    parts.closeCalls(outcome === 'aborted');
    turns.end();
    const message = words === undefined || words === '' ? 'the agent gave no reason' : words;
    const failure = outcome === 'failed' ? { failure: { kind: 'provider' as const, message } } : {};
    out.deliver({ type: 'run-end', outcome, ...failure });
    if (isActive) out.deliver({ type: 'activity', text: null });
    isActive = false;
    open = false;
    isAccepted = false;
    isAbandoned = false;
    parts.ended();
  }

  return {
    get open() {
      return open;
    },
    get isSpeaking() {
      return open && untold === null && hasSpoken;
    },
    get waiting() {
      return waiting;
    },
    sent(prompt) {
      if (open) {
        untold = prompt;
        current = prompt;
        isAccepted = false;
        isFinished = false;
      } else waiting = prompt;
    },
    answered(prompt, outcome) {
      if (waiting === prompt) {
        if (outcome.ok) return begin();
        waiting = null;
        if (prompt.id !== null) out.settle(prompt.id, outcome);
        return;
      }
      // Slash commands are answered at their end (docs/protocols/eca.md 4.9).
      if (!open || current !== prompt) return;
      if (outcome.ok) isAccepted = true;
      else end('failed', outcome.error.message);
    },
    echo(text, contentId) {
      if (!open) begin();
      isAccepted = true;
      const words = text.endsWith('\n') ? text.slice(0, -1) : text;
      // Use the content that we sent: an echo has no images.
      const isOurs = untold !== null && untold.words === words;
      const content: Content[] = isOurs && untold !== null ? untold.content : [{ type: 'text', text: words }];
      const isLate = untold === null && ownWords === words;
      untold = null;
      ownWords = null;
      if (isLate) return;
      if (isEchoed) parts.repeated(words);
      release();
      tell(content, isEchoed ? 'steer' : 'prompt', contentId);
    },
    speaks() {
      if (!open) begin();
      tellOwnWords();
      if (hasSpoken) return;
      hasSpoken = true;
      release();
      parts.atWork();
    },
    turn: () => turns.begin(),
    settleTurn: () => turns.settle(parts.isTurnOver()),
    activity(text) {
      if (!open) return;
      isActive = true;
      out.deliver({ type: 'activity', text });
      parts.atWork();
    },
    system(text) {
      if (!open) return notice(text ?? '');
      if (text?.trim() === stopWords) {
        isStopped = true;
        return;
      }
      tellOwnWords();
      if (hasSpoken || isCommand) return notice(text ?? '');
      if (text === null) isFailing = true;
      else held.push(text);
    },
    stopping() {
      if (!open) return;
      isAbandoned = true;
      // The server is idle already, so it will not report the stop.
      if (isFinished) end('aborted');
    },
    stopped() {
      if (open) isStopped = true;
    },
    finished() {
      if (!open || !isAccepted) return;
      if (isStopped) return end('aborted');
      // Servers of the first era answer two calls by two model calls at once, and finish twice (docs/protocols/eca.md
      // 4.5).
      if (parts.isWorking()) {
        isFinished = true;
        parts.closeMessage();
        if (isAbandoned) end('aborted');
        return;
      }
      const words = held.join('').trim();
      if (!hasSpoken && (words !== '' || isFailing)) {
        held.length = 0;
        return end('failed', words);
      }
      if (!isAbandoned && parts.sendUnheard()) return;
      end('completed');
    },
    end,
  };
}
