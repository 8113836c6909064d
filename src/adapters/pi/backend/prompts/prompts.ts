// The prompt that has not begun its run yet. At most one, because a second one joins a run or is refused. After
// accepting a prompt, pi may run it, queue it or do nothing (a slash command of an extension). Each prompt gets exactly
// one run.
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';

/** The functions of the backend that the prompts use. */
export interface PromptPorts {
  readonly graceMs: number;
  readonly startGraceMs: number;
  /** Whether a dialog or a compaction is in progress, after which the run may still begin. */
  busy(): boolean;
  /** Queries whether pi is working. The answer goes to {@link Prompts.state}. */
  askState(): void;
  /** Called when the prompt with this id began a run. */
  began(id: string): void;
  /** Called when a prompt ended without its own run. */
  withoutRun(): void;
  /** Called when the waiting prompt ended without a run. `joined`: it has joined a run. */
  drained(joined: boolean): void;
}

/** The prompts of one pi process. */
export interface Prompts {
  /** Whether a prompt was sent that has neither begun a run nor ended. */
  isWaiting(): boolean;
  sent(id: string, words: string): void;
  /** Must be called when pi accepted the prompt. `disposition` is pi's own field since 0.99. */
  accepted(id: string, disposition: string | undefined): void;
  /** Must be called when pi refused the prompt or never answered. */
  gone(id: string): void;
  runStarted(): void;
  /** Takes pi's state; null if pi did not answer. */
  state(working: boolean | null): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
}

const timer = 'prompt-start';
/** The longest pause between two queries of a pi that is working, ms. */
const longestPause = 2_000;

export function createPrompts(out: Outbox, ports: PromptPorts): Prompts {
  let waiting: { readonly id: string; readonly words: string } | null = null;
  let pauseMs = 0;

  function leave(id: string, joined = false): void {
    if (waiting?.id !== id) return;
    waiting = null;
    stop();
    ports.drained(joined);
  }

  function stop(): void {
    if (pauseMs > 0) out.timer(timer, null);
    pauseMs = 0;
  }

  function look(ms: number): void {
    pauseMs = Math.max(1, ms);
    out.timer(timer, pauseMs);
  }

  return {
    isWaiting: () => waiting !== null,
    sent(id, words) {
      waiting = { id, words };
    },
    accepted(id, disposition) {
      if (waiting?.id !== id) return;
      if (disposition === 'queued') return leave(id, true);
      if (disposition !== 'handled') return look(waiting.words.startsWith('/') ? ports.graceMs : ports.startGraceMs);
      ports.withoutRun();
      leave(id);
    },
    gone: (id) => leave(id),
    runStarted() {
      if (waiting === null) return;
      const { id } = waiting;
      waiting = null;
      stop();
      ports.began(id);
    },
    state(working) {
      if (waiting === null || pauseMs === 0) return;
      if (working === true || ports.busy()) return look(Math.min(pauseMs * 2, longestPause));
      ports.withoutRun();
      leave(waiting.id);
    },
    onTimer(name) {
      if (name !== timer) return false;
      if (ports.busy()) look(pauseMs);
      else ports.askState();
      return true;
    },
  };
}
