// When a run begins and how it ends: with the echo of a prompt or its answer, and with the first `finished` that ends it
// (docs/protocols/eca.md 4, 6.5, 6.7). Errors come as texts of the system, so what those mean is decided here as well.
// Knows no block and no call.
import type { Content } from '../../../core/model/content.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { saidOf } from './decode-values.ts';

/** A prompt on its way. */
export interface SentPrompt {
  /** Of the command; null for one that goes on with the open run. */
  readonly id: string | null;
  readonly content: Content[];
  /** As they went out. */
  readonly words: string;
}

/** Who takes part in a run. */
export interface RunParts {
  closeMessages(isStopped: boolean): void;
  /** Ends the message of the main thread: somebody else speaks. */
  closeMessage(): void;
  closeCalls(isStopped: boolean): void;
  /** Whether the main thread is silent and owes no result. */
  isTurnOver(): boolean;
  /** Whether calls wait for their user or run. */
  isWorking(): boolean;
  /** Says the words that nobody has heard yet in a prompt of its own, if there are any. Returns whether. */
  goOn(): boolean;
  /** The server repeats words that came after the prompt. */
  heard(words: string): void;
  started(): void;
  /** The server is at work. */
  goesOn(): void;
  ended(): void;
}

/** The run of one chat. */
export interface RunDecoder {
  readonly open: boolean;
  /** The prompt that has no run yet. */
  readonly waiting: SentPrompt | null;
  sent(prompt: SentPrompt): void;
  /** The server has taken the prompt, or refuses it. */
  answered(prompt: SentPrompt, outcome: Outcome): void;
  /** The server repeats what the user said. */
  echo(text: string, contentId: string | undefined): void;
  /** The model says something. */
  speaks(): void;
  /** A message of the model begins. */
  turn(): void;
  /** Something ended that may have been the last of a turn. */
  settleTurn(): void;
  activity(text: string): void;
  /** What the system says; null is an error without words. */
  system(text: string | null): void;
  /** We asked for the end of it. */
  stopping(): void;
  /** The server says that it was stopped. */
  stopped(): void;
  finished(): void;
  /** Ends it, whatever the server says later. */
  end(outcome: EventOf<'run-end'>['outcome'], words?: string): void;
}

/** What both eras say of a run that was stopped, but for the white space around it. */
const stopWords = 'Prompt stopped';

export function createRun(out: Outbox, parts: RunParts): RunDecoder {
  let open = false;
  let inTurn = false;
  let isSettled = false;
  /** Its prompt was echoed or answered. */
  let isArmed = false;
  let waiting: SentPrompt | null = null;
  /** The prompt that the server works on. */
  let current: SentPrompt | null = null;
  /** The prompt whose words have not been told yet. */
  let untold: SentPrompt | null = null;
  /** Some prompt has been told in this run. */
  let isTold = false;
  /** Words that we told ourselves: an echo of them says nothing new. */
  let ownWords: string | null = null;
  let isCommand = false;
  let hasSpoken = false;
  let isStopped = false;
  /** We asked for its end when the server had finished with it, and only calls were left. */
  let isAbandoned = false;
  let isFinished = false;
  let isActive = false;
  /** Words of the system before the model said anything: an error, if nothing follows. */
  const held: string[] = [];
  let isFailing = false;

  function begin(): void {
    open = true;
    inTurn = false;
    isSettled = false;
    isArmed = true;
    isCommand = false;
    hasSpoken = false;
    isStopped = false;
    isFinished = false;
    isFailing = false;
    isTold = false;
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
    if (!inTurn) turn();
    isTold = true;
    out.deliver({ type: 'message-added', role: 'user', origin, content, ...saidOf({ contentId }) });
  }

  /** Servers echo what was said before they answer it; whoever does not leaves that to us. */
  function tellOwnWords(): void {
    if (untold === null) return;
    const { content, words, id } = untold;
    untold = null;
    ownWords = words;
    tell(content, id === null ? 'steer' : 'prompt');
  }

  function turn(): void {
    if (inTurn && !isSettled) return;
    endTurn();
    inTurn = true;
    out.deliver({ type: 'turn-start' });
  }

  function endTurn(): void {
    isSettled = false;
    if (!inTurn) return;
    inTurn = false;
    out.deliver({ type: 'turn-end' });
  }

  function notice(text: string): void {
    const words = text.trim();
    // As it came, for those whose protocol has it as a text of the chat.
    if (words !== '') out.deliver({ type: 'notice', level: 'info', text: words, source: 'agent', ...saidOf({ text }) });
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
    endTurn();
    const message = words === undefined || words === '' ? 'the agent gave no reason' : words;
    const failure = outcome === 'failed' ? { failure: { kind: 'provider' as const, message } } : {};
    out.deliver({ type: 'run-end', outcome, ...failure });
    if (isActive) out.deliver({ type: 'activity', text: null });
    isActive = false;
    open = false;
    isArmed = false;
    isAbandoned = false;
    parts.ended();
  }

  return {
    get open() {
      return open;
    },
    get waiting() {
      return waiting;
    },
    sent(prompt) {
      if (open) {
        untold = prompt;
        current = prompt;
        isArmed = false;
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
      // Commands are answered when they are over (docs/protocols/eca.md 4.9).
      if (!open || current !== prompt) return;
      if (outcome.ok) isArmed = true;
      else end('failed', outcome.error.message);
    },
    echo(text, contentId) {
      if (!open) begin();
      isArmed = true;
      const words = text.endsWith('\n') ? text.slice(0, -1) : text;
      // With all that was said, for an echo has no images.
      const isOurs = untold !== null && untold.words === words;
      const content: Content[] = isOurs && untold !== null ? untold.content : [{ type: 'text', text: words }];
      const isLate = untold === null && ownWords === words;
      untold = null;
      ownWords = null;
      if (isLate) return;
      if (isTold) parts.heard(words);
      release();
      tell(content, isTold ? 'steer' : 'prompt', contentId);
    },
    speaks() {
      if (!open) begin();
      tellOwnWords();
      if (hasSpoken) return;
      hasSpoken = true;
      release();
      parts.goesOn();
    },
    turn,
    settleTurn() {
      isSettled = inTurn && parts.isTurnOver();
    },
    activity(text) {
      if (!open) return;
      isActive = true;
      out.deliver({ type: 'activity', text });
      parts.goesOn();
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
      // The server is idle already: it will say nothing.
      if (isFinished) end('aborted');
    },
    stopped() {
      if (open) isStopped = true;
    },
    finished() {
      if (!open || !isArmed) return;
      if (isStopped) return end('aborted');
      // Servers of the first era answer two calls by two calls of the model at once, and finish twice (docs/protocols/eca.md 4.5).
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
      if (!isAbandoned && parts.goOn()) return;
      end('completed');
    },
    end,
  };
}
