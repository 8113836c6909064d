// The prompts of one session that wait for their turn, in order.
import { type Outcome, refused } from '../../model/errors.ts';
import type { Compact, Prompt, Request } from './phase.ts';

/** What waits in one session. */
export interface PromptQueue {
  /** The refusal of what comes while the queue is full. */
  readonly tooMany: Outcome;
  /** Nothing waits that will run by itself. Kept follow-ups need a run that they can follow. */
  isEmpty(): boolean;
  isFull(): boolean;
  /** Kept follow-ups included. */
  size(): number;
  /** Commands that will run by themselves. */
  commands(): (Prompt | Compact)[];
  add(request: Request): void;
  /** Takes the first request out. */
  next(): Request | undefined;
  /** Keeps a follow-up until a run has completed. */
  keep(command: Prompt): void;
  /** Puts the kept follow-ups in front of everything else, for they belong to the run that was. */
  promote(settle: Request['settle']): void;
  /** Takes all follow-ups out, promoted or not. */
  takeFollowUps(): Prompt[];
  /** Takes the prompt of that handle out; returns the prompt where it is still to be answered. */
  takeBack(handle: string): Request | undefined;
  /** Takes all requests out. */
  takeAll(): Request[];
}

/** An empty queue. `most`: requests and follow-ups that may wait. */
export function createPromptQueue(most: number): PromptQueue {
  const requests: Request[] = [];
  /** For agents that have no queue of their own. */
  const followUps: Prompt[] = [];
  const size = () => requests.length + followUps.length;

  return {
    tooMany: refused('limit', `${most} prompts are waiting already`),
    isEmpty: () => requests.length === 0,
    isFull: () => size() >= most,
    size,
    commands: () => requests.map(({ command }) => command),
    add: (request) => void requests.push(request),
    next: () => requests.shift(),
    keep: (command) => void followUps.push(command),
    promote(settle) {
      const due = followUps.splice(0).map((command): Request => ({ command, settle, isFollowUp: true }));
      requests.unshift(...due);
    },
    takeFollowUps() {
      const promoted = requests.filter(({ isFollowUp }) => isFollowUp === true);
      for (const request of promoted) requests.splice(requests.indexOf(request), 1);
      return [...promoted.flatMap(({ command }) => (command.type === 'prompt' ? command : [])), ...followUps.splice(0)];
    },
    takeBack(handle) {
      const isIt = (command: Prompt | Compact) => command.type === 'prompt' && command.handle === handle;
      const kept = followUps.findIndex(isIt);
      if (kept >= 0) followUps.splice(kept, 1);
      const at = requests.findIndex(({ command }) => isIt(command));
      return at < 0 ? undefined : requests.splice(at, 1)[0];
    },
    takeAll: () => requests.splice(0),
  };
}
