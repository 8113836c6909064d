// Aborts of runs. Some servers queue an abort behind the prompt that the abort is for. After a grace period the gateway
// ends such a run itself (docs/protocols/pi-server.md 7.7).

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import { type AgentRequests, refusalOf } from './requests.ts';

/** The functions of the backend that the aborts use. */
export interface AbortPorts {
  readonly graceMs: number;
  /** Whether a run is open. */
  isOpen(): boolean;
  /** Whether the server has a prompt that still counts, started or not. */
  hasPrompt(): boolean;
  /** Called when the abort was sent. */
  aborting(): void;
  /** Called when the server did not start the abort in time. Ends the aborted run. */
  notExecuted(): void;
}

/** The aborts of one session. */
export interface AgentAborts {
  abort(id: string): void;
  runStarted(): void;
  /** Ends the abort of a prompt that is over. */
  promptOver(): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
}

const timer = 'abort';

export function createAgentAborts(out: Outbox, requests: AgentRequests, ports: AbortPorts): AgentAborts {
  /** Ids of the abort commands that have not been answered. */
  const open: string[] = [];
  /** Whether an abort waits for the start of the run: pi loses an earlier one. */
  let isHeld = false;

  function settle(outcome: Outcome): void {
    for (const id of open.splice(0)) out.settle(id, outcome);
  }

  function send(): void {
    isHeld = false;
    ports.aborting();
    requests.send(
      { type: 'abort' },
      {
        started: () => out.timer(timer, null),
        done: (answer) => settle(answer.kind === 'data' ? { ok: true } : refusalOf(answer)),
      },
    );
  }

  return {
    abort(id) {
      open.push(id);
      if (open.length > 1) return;
      if (!ports.isOpen() && !ports.hasPrompt()) {
        // Behind a run that the gateway has ended, the abort would wait for nothing.
        return requests.isBlocked ? settle({ ok: true }) : send();
      }
      if (ports.hasPrompt()) out.timer(timer, ports.graceMs);
      if (ports.isOpen()) send();
      else isHeld = true;
    },
    runStarted() {
      if (isHeld) send();
    },
    promptOver() {
      if (ports.hasPrompt()) return;
      if (open.length > 0) out.timer(timer, null);
      if (isHeld) settle({ ok: true });
      isHeld = false;
    },
    onTimer(name) {
      if (name !== timer) return false;
      isHeld = false;
      if (ports.hasPrompt()) ports.notExecuted();
      settle({ ok: true });
      return true;
    },
  };
}
