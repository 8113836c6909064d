// Numbers by seed, for tests that draw their steps and can be repeated.

/** Gives a whole number below a bound. */
export type Draw = (below: number) => number;

/** The same numbers for each seed. */
export function createDraw(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Lets so many rounds of the event loop pass, while programs go on. */
export async function rounds(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}
