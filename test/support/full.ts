// How much of a large space of cases a run tries: a cover in `npm test`, all of the space in `npm run test:full`.

/** Whether this is `npm run test:full`. */
export const isFull = process.env.PATCHBAY_FULL === '1';

/** How many runs a property gets; `whole`: in `npm run test:full`. */
export const runs = (whole: number): number => (isFull ? whole : Math.min(whole, 200));
