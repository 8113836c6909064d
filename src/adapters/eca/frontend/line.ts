// What is to be done in a chat, one thing after the other: a prompt may have to wait for answers on its way, and what
// came later must not overtake it. Knows no message.
import type { Actions } from '../connection.ts';

/** Calls `done` when it is through, once, and adds to its own actions what that returns. */
export type Task = (done: () => Actions) => Actions;

/** Tasks that may wait. A client that wants more does not read what it is told. */
const longest = 64;

/** An empty line. Null from `add`: it is full. */
export function createLine(): { add(task: Task): Actions | null; readonly isEmpty: boolean } {
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
