// The waiting prompts of one session, in order.
import { type Outcome, refused } from '../../model/errors.ts';
import type { Compact, Prompt, Request } from './phase.ts';

/** A queue of prompts, compactions and follow-ups. */
export interface PromptQueue {
  /** The refusal of a command, which is counted, while the queue is full. */
  tooMany(): Outcome;
  /** Whether no command waits that will run by itself. Kept follow-ups do not count: they wait for the end of a run. */
  isEmpty(): boolean;
  isFull(): boolean;
  /** The number of waiting commands, kept follow-ups included. */
  size(): number;
  /** The waiting commands that will run by themselves. */
  commands(): (Prompt | Compact)[];
  add(request: Request): void;
  /** Removes and returns the first command. */
  next(): Request | undefined;
  /** Keeps a follow-up until a run has completed. */
  keep(command: Prompt): void;
  /** Moves the kept follow-ups to the front of the queue, because they belong to the last run. */
  promote(settle: Request['settle']): void;
  /** Removes and returns all follow-ups. */
  takeFollowUps(): Prompt[];
  /** Removes the prompt with this handle. Returns the prompt if it still has to be answered. */
  takeBack(handle: string): Request | undefined;
  /** Removes and returns all commands. */
  takeAll(): Request[];
}

/** Creates an empty queue. `most`: the largest number of waiting commands, follow-ups included. */
export function createPromptQueue(most: number, limited: (rule: 'queuedPrompts') => void): PromptQueue {
  const requests: Request[] = [];
  /** Kept follow-ups, for agents without a queue. */
  const followUps: Prompt[] = [];
  const size = () => requests.length + followUps.length;

  return {
    tooMany() {
      limited('queuedPrompts');
      return refused('limit', `${most} prompts are waiting already`);
    },
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
