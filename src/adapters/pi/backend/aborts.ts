// Aborts of runs, which pi loses before a run begins and delays behind a dialog (docs/protocols/pi.md 10.6, 10.8).
// Knows neither prompts nor dialogs, only when they are out of the way.
import type { Answer } from './pending.ts';

/** What the machine lends to the aborts. */
export interface AbortPorts {
  /** Sends the line and settles the command with its answer. */
  perform(id: string): void;
  /** Ends the request of that id as if pi had answered. */
  finish(id: string, answer: Answer): void;
  /** The aborts that were sent and not answered. */
  unanswered(): readonly string[];
  /** Whether pi ever answers; 0.13.2 does not. */
  answers(): boolean;
}

/** The aborts of one pi process. */
export interface Aborts {
  /** Somebody stopped what goes on, and it is not over yet. It says nothing of an idle pi. */
  readonly open: boolean;
  /** Sends it now, or after `runStarted` when a prompt waits for its run. */
  abort(id: string, state: { readonly runOpen: boolean; readonly promptWaits: boolean }): void;
  /** What was stopped before is over: pi is idle, and about to begin something new. */
  promptSent(): void;
  runStarted(): void;
  runEnded(): void;
  /** The prompt that was waited for will not run: there is nothing to abort. */
  promptGone(): void;
}

const done: Answer = { kind: 'data', data: undefined };

export function createAborts(ports: AbortPorts, settle: (id: string) => void): Aborts {
  let held: string[] = [];
  let isOpen = false;

  function release(how: (id: string) => void): void {
    const ids = held;
    held = [];
    for (const id of ids) how(id);
  }

  return {
    get open() {
      return isOpen;
    },
    abort(id, { runOpen, promptWaits }) {
      isOpen = true;
      if (promptWaits && !runOpen) {
        held.push(id);
        return;
      }
      ports.perform(id);
      // Idle 0.13.2 prints nothing at all.
      if (!runOpen && !ports.answers()) ports.finish(id, done);
    },
    promptSent() {
      isOpen = false;
    },
    runStarted() {
      // One that was sent before was not for this run.
      isOpen = held.length > 0;
      release(ports.perform);
    },
    // Then it is done: 0.13.2 never says so, later versions say it in their next line.
    runEnded() {
      isOpen = false;
      for (const id of ports.unanswered()) ports.finish(id, done);
    },
    promptGone() {
      isOpen = false;
      release(settle);
    },
  };
}
