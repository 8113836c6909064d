// The prompt that has not begun its run yet: one at most, for a second one joins or is refused. pi accepts a prompt and
// then may run, queue it or do nothing at all (a slash command of an extension): each prompt gets exactly one run.
// Knows no line of the wire.
import type { Outbox } from '../../../core/contract/outbox.ts';

/** What the machine lends to the prompts. */
export interface PromptPorts {
  readonly graceMs: number;
  readonly startGraceMs: number;
  /** Whether something goes on that may yet begin the run: a dialog, a compaction. */
  busy(): boolean;
  /** Asks pi whether it is at work; the answer goes to {@link Prompts.state}. */
  askState(): void;
  /** A prompt of that id began a run. */
  began(id: string): void;
  /** A prompt ended without a run of its own. */
  withoutRun(): void;
  /** The prompt that waited is gone and began no run; `joined`: it has joined one. */
  drained(joined: boolean): void;
}

/** The prompts of one pi process. */
export interface Prompts {
  /** Whether a prompt was sent that neither began a run nor ended. */
  readonly waiting: boolean;
  sent(id: string, words: string): void;
  /** pi took it. `disposition` is pi's own word since 0.99. */
  accepted(id: string, disposition: string | undefined): void;
  /** pi refused it, or never answered. */
  gone(id: string): void;
  runStarted(): void;
  /** What pi said about itself; null when it did not answer. */
  state(working: boolean | null): void;
  /** Whether the timer was the one for prompts. */
  wake(timer: string): boolean;
}

const timer = 'prompt-start';
/** The longest pause between two looks at a pi that says it works, ms. */
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
    get waiting() {
      return waiting !== null;
    },
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
    wake(name) {
      if (name !== timer) return false;
      if (ports.busy()) look(pauseMs);
      else ports.askState();
      return true;
    },
  };
}
