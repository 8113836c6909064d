// Aborts of runs. A server that lets an abort wait behind the very prompt that it is about does not hear it: after a grace
// the run is ended here (docs/protocols/pi-server.md 7.7). Knows no event.
import type { Outcome } from '../../../core/model/errors.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { type AgentRequests, refusalOf } from './requests.ts';

/** What the machine lends to the aborts. */
export interface AbortPorts {
  readonly graceMs: number;
  /** Whether a run is open. */
  isOpen(): boolean;
  /** Whether a prompt that counts is with the server, begun or not. */
  hasPrompt(): boolean;
  /** The abort is on its way. */
  aborting(): void;
  /** The abort is not heard: ends what it was meant for. */
  unheard(): void;
}

/** The aborts of one session. */
export interface AgentAborts {
  abort(id: string): void;
  runStarted(): void;
  /** A prompt is over: what was meant for it has nothing left to do. */
  promptOver(): void;
  /** Whether the timer was this one's. */
  wake(timer: string): boolean;
}

const timer = 'abort';

export function createAgentAborts(out: Outbox, requests: AgentRequests, ports: AbortPorts): AgentAborts {
  /** Commands that have not been answered. */
  const open: string[] = [];
  /** pi loses an abort that comes before the run. */
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
        // Behind a run that was ended here it would wait for nothing.
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
    wake(name) {
      if (name !== timer) return false;
      isHeld = false;
      if (ports.hasPrompt()) ports.unheard();
      settle({ ok: true });
      return true;
    },
  };
}
