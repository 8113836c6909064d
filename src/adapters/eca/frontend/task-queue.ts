// Runs the tasks of a chat one after the other. A prompt may wait for answers on its way, and later requests must not
// overtake it.
import type { Actions } from '../connection.ts';

/** Must call `done` once at its end, and return the actions of `done` with its own. */
export type Task = (done: () => Actions) => Actions;

/** The maximum number of waiting tasks. A client that exceeds it does not wait for its answers. */
const longest = 64;

/** Creates an empty queue. `add` returns null if the queue is full. */
export function createTaskQueue(): { add(task: Task): Actions | null; readonly isEmpty: boolean } {
  const waiting: Task[] = [];
  let isBusy = false;

  function run(task: Task): Actions {
    isBusy = true;
    let isDone = false;
    return task(() => {
      if (isDone) return [];
      isDone = true;
      isBusy = false;
      const next = waiting.shift();
      return next === undefined ? [] : run(next);
    });
  }

  return {
    add(task) {
      if (!isBusy) return run(task);
      if (waiting.length >= longest) return null;
      waiting.push(task);
      return [];
    },
    get isEmpty() {
      return !isBusy && waiting.length === 0;
    },
  };
}
