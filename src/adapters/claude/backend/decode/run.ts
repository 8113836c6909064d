// When a run begins and ends: with the first frame of a turn, and with its `result` (docs/protocols/claude.md 4.12,
// 8.4).

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import { TurnBracket } from '../../../../core/contract/adapter/turn-bracket.ts';
import type { Content, Failure } from '../../../../core/model/content.ts';
import type { ResultFrame } from '../../wire/agent.ts';
import { verdictOf } from './result.ts';
import { claudeExtra, otherFields } from './values.ts';

/** A prompt that was sent. */
export interface SentPrompt {
  /** The id of the command. */
  readonly id: string;
  readonly content: Content[];
}

/** The dependencies of a run. */
export interface RunParts {
  /** Ends open messages. */
  closeMessages(): void;
  /** Ends open calls. */
  closeCalls(ofMain: boolean): void;
  /** Whether the main thread has no open message and no call without a result. */
  isTurnOver(): boolean;
  started(): void;
  ended(): void;
}

/** The run of one agent. */
export interface RunDecoder {
  readonly open: boolean;
  /** The prompt whose run has not begun. */
  readonly waiting: SentPrompt | null;
  /** The prompt of the open run. */
  readonly current: SentPrompt | null;
  sent(prompt: SentPrompt): void;
  /** Begins a run for a frame of a turn, unless one is open. */
  ensure(): void;
  /** Must be called when a message of the model begins on the main thread. */
  turn(): void;
  /** Adds a user message of the main thread to the open turn, if there is one. */
  join(): void;
  /** Ends a settled turn, because a frame between two turns follows. */
  betweenTurns(): void;
  /** Must be called when a message or call has ended. Notes whether the turn is over, but does not end it. */
  settleTurn(): void;
  retry(attempt: number): void;
  /** Must be called when the repeated call to the model is over. */
  retried(failure?: Failure): void;
  /** Must be called when the gateway asked the agent to stop, or the agent reports that it was stopped. */
  interrupted(): void;
  end(result: ResultFrame): void;
  /** Ends a run that was opened only for a question. */
  endForQuestion(): void;
  openForQuestion(): void;
}

export function createRun(out: Outbox, parts: RunParts): RunDecoder {
  let open = false;
  const turns = new TurnBracket(out);
  let waiting: SentPrompt | null = null;
  let current: SentPrompt | null = null;
  let attempt: number | null = null;
  let stopped = false;
  /** The run was opened for a question between two runs. */
  let isForQuestion = false;
  let cost = 0;

  function begin(): void {
    open = true;
    stopped = false;
    current = waiting;
    waiting = null;
    out.deliver({ type: 'run-start' });
    if (current !== null) {
      out.settle(current.id, { ok: true });
      turns.begin();
      out.deliver({ type: 'message-added', role: 'user', origin: 'prompt', content: current.content });
    }
    parts.started();
  }

  function ensure(): void {
    isForQuestion = false;
    if (!open) begin();
  }

  function retried(failure?: Failure): void {
    if (attempt === null) return;
    const success = failure === undefined;
    out.deliver({ type: 'retry-end', attempt, success, ...(success ? {} : { failure }) });
    attempt = null;
  }

  function close(): void {
    parts.closeMessages();
    parts.closeCalls(true);
    turns.end();
    parts.closeCalls(false);
  }

  /** The figure is the cost of the whole conversation. */
  function tellCost({ total_cost_usd: total }: ResultFrame): void {
    if (typeof total !== 'number' || total === cost) return;
    cost = total;
    out.deliver({ type: 'usage-changed', sessionCost: { total } });
  }

  function over(): void {
    open = false;
    current = null;
    parts.ended();
  }

  return {
    get open() {
      return open;
    },
    get waiting() {
      return waiting;
    },
    get current() {
      return current;
    },
    sent(prompt) {
      waiting = prompt;
    },
    ensure,
    turn() {
      ensure();
      turns.begin();
    },
    join() {
      if (open && !turns.isOpen) turns.begin();
    },
    betweenTurns: () => turns.endSettled(),
    settleTurn: () => turns.settle(parts.isTurnOver()),
    retry(next) {
      ensure();
      turns.endSettled();
      attempt = next;
    },
    retried,
    interrupted() {
      stopped = open;
    },
    end(result) {
      if (!open && waiting === null) {
        tellCost(result);
        return;
      }
      ensure();
      const verdict = verdictOf(result, stopped);
      retried(verdict.failure ?? { kind: 'agent', message: 'the agent went on without telling' });
      close();
      tellCost(result);
      out.deliver({ type: 'run-end', ...verdict, ...claudeExtra(otherFields(result)) });
      over();
    },
    openForQuestion() {
      if (open) return;
      begin();
      isForQuestion = true;
    },
    endForQuestion() {
      if (!open || !isForQuestion) return;
      isForQuestion = false;
      close();
      out.deliver({ type: 'run-end', outcome: 'completed', synthetic: true });
      over();
    },
  };
}
