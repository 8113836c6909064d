// When a run begins and ends: with the first frame of a turn and with its `result` (docs/protocols/claude.md 4.12, 8.4). Knows
// no message and no command but prompts.
import type { Content, Failure } from '../../../core/model/content.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { verdictOf } from './decode-result.ts';
import { restOf, saidOf } from './decode-values.ts';
import type { ResultFrame } from '../wire/agent.ts';

/** A prompt on its way. */
export interface SentPrompt {
  /** Of the command. */
  readonly id: string;
  readonly content: Content[];
}

/** Who takes part in a run. */
export interface RunParts {
  /** Ends open messages. */
  closeMessages(): void;
  /** Ends open calls. */
  closeCalls(ofMain: boolean): void;
  /** Whether the main thread is silent and owes no result. */
  isTurnOver(): boolean;
  started(): void;
  ended(): void;
}

/** The run of one agent. */
export interface RunDecoder {
  readonly open: boolean;
  /** The prompt that has no run yet. */
  readonly waiting: SentPrompt | null;
  /** The words of the prompt of the open run. */
  readonly current: SentPrompt | null;
  sent(prompt: SentPrompt): void;
  /** Something of a turn: a run begins, unless one is open. */
  ensure(): void;
  /** The main thread begins to speak. */
  turn(): void;
  /** Somebody else speaks on the main thread: in the turn that is there, if one is. */
  join(): void;
  /** What stands between two turns is next: one that may be over is. */
  between(): void;
  /** Something ended that may have been the last of a turn. */
  settleTurn(): void;
  retry(attempt: number): void;
  /** The call to the model that was tried again is over. */
  retried(failure?: Failure): void;
  /** We asked the agent to stop, or it says that it was. */
  interrupted(): void;
  end(result: ResultFrame): void;
  /** Ends a run that was opened for a question alone. */
  endAside(): void;
  aside(): void;
}

export function createRun(out: Outbox, parts: RunParts): RunDecoder {
  let open = false;
  let inTurn = false;
  /** The turn may be over. Its end waits for what comes next, for what the agent says in the user's name belongs to it. */
  let isSettled = false;
  let waiting: SentPrompt | null = null;
  let current: SentPrompt | null = null;
  let attempt: number | null = null;
  let stopped = false;
  /** Opened for a question that came between two runs. */
  let isAside = false;
  let cost = 0;

  function begin(): void {
    open = true;
    inTurn = false;
    stopped = false;
    current = waiting;
    waiting = null;
    out.deliver({ type: 'run-start' });
    if (current !== null) {
      out.settle(current.id, { ok: true });
      turn();
      out.deliver({ type: 'message-added', role: 'user', origin: 'prompt', content: current.content });
    }
    parts.started();
  }

  function ensure(): void {
    isAside = false;
    if (!open) begin();
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

  function retried(failure?: Failure): void {
    if (attempt === null) return;
    const success = failure === undefined;
    out.deliver({ type: 'retry-end', attempt, success, ...(success ? {} : { failure }) });
    attempt = null;
  }

  function close(): void {
    parts.closeMessages();
    parts.closeCalls(true);
    endTurn();
    parts.closeCalls(false);
  }

  /** The figure is that of the whole conversation. */
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
      turn();
    },
    join() {
      if (open && !inTurn) turn();
    },
    between() {
      if (isSettled) endTurn();
    },
    settleTurn() {
      isSettled = inTurn && parts.isTurnOver();
    },
    retry(next) {
      ensure();
      if (isSettled) endTurn();
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
      out.deliver({ type: 'run-end', ...verdict, ...saidOf(restOf(result)) });
      over();
    },
    aside() {
      if (open) return;
      begin();
      isAside = true;
    },
    endAside() {
      if (!open || !isAside) return;
      isAside = false;
      close();
      out.deliver({ type: 'run-end', outcome: 'completed', synthetic: true });
      over();
    },
  };
}
