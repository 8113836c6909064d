// Shares the threads of this process among the sessions of a journal: Node has four for all files and look-ups.

/** Runs at most `most` pieces of work at the same time, the others in the order of asking. */
export function createTurns(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === most) await new Promise<void>((start) => waiting.push(start));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line at once, so nobody who asks now overtakes.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
