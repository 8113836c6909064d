// Aborts of runs. pi loses an abort that comes before the run begins, and delays an abort while a dialog is open
// (docs/protocols/pi.md 10.6, 10.8).
import type { Answer } from '../pending-requests.ts';

/** The functions of the backend that the aborts use. */
export interface AbortPorts {
  /** Sends the line and settles the command with pi's answer. */
  perform(id: string): void;
  /** Ends the request with that id as if pi had answered. */
  finish(id: string, answer: Answer): void;
  /** The ids of the aborts that were sent and not answered. */
  unanswered(): readonly string[];
  /** Whether pi ever answers. pi 0.13.2 does not. */
  answers(): boolean;
}

/** The aborts of one pi process. */
export interface Aborts {
  /** Whether the user has stopped the current run and the run is not over yet. Meaningless while pi is idle. */
  isOpen(): boolean;
  /** Sends the abort now, or after `runStarted` if a prompt waits for its run. */
  abort(id: string, state: { readonly runOpen: boolean; readonly promptWaits: boolean }): void;
  /** Must be called when pi is idle and about to begin a prompt: the previous abort is over. */
  promptSent(): void;
  runStarted(): void;
  runEnded(): void;
  /** Must be called when the prompt that the aborts wait for will not run: there is nothing to abort. */
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
    isOpen: () => isOpen,
    abort(id, { runOpen, promptWaits }) {
      isOpen = true;
      if (promptWaits && !runOpen) {
        held.push(id);
        return;
      }
      ports.perform(id);
      // An idle pi 0.13.2 prints nothing at all.
      if (!runOpen && !ports.answers()) ports.finish(id, done);
    },
    promptSent() {
      isOpen = false;
    },
    runStarted() {
      // An abort sent earlier was not for this run.
      isOpen = held.length > 0;
      release(ports.perform);
    },
    runEnded() {
      isOpen = false;
      // The run is over, so its aborts are done. pi 0.13.2 never answers an abort; later versions answer in the next
      // line.
      for (const id of ports.unanswered()) ports.finish(id, done);
    },
    promptGone() {
      isOpen = false;
      release(settle);
    },
  };
}
