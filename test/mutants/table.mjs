// What came of the mutants, room by room.

/**
 * @typedef {import('./list.mjs').Mutant} Mutant
 * @typedef {import('./judge.mjs').Judgement} Judgement
 */

const verdicts = ['killed', 'timeout', 'survived', 'stale', 'broken'];

/** @param {Judgement | undefined} judgement */
export const isKilled = (judgement) => judgement?.verdict === 'killed' || judgement?.verdict === 'timeout';

/**
 * @param {readonly Mutant[]} mutants
 * @param {{ get: (mutant: Mutant) => Judgement | undefined }} judged
 */
export function table(mutants, judged) {
  const count = (/** @type {readonly Mutant[]} */ some) => [
    some.length,
    ...verdicts.map((verdict) => some.filter((mutant) => judged.get(mutant)?.verdict === verdict).length),
  ];
  const rooms = [...new Set(mutants.map(({ room }) => room))].sort();
  const rows = [
    ['room', 'mutants', ...verdicts],
    ...rooms.map((room) => [room, ...count(mutants.filter((mutant) => mutant.room === room))]),
    ['all', ...count(mutants)],
  ];
  const pad = (/** @type {string | number} */ cell, /** @type {number} */ at) =>
    at === 0 ? String(cell).padEnd(22) : String(cell).padStart(9);
  const lines = mutants
    .map((mutant) => ({ ...mutant, judgement: judged.get(mutant) }))
    .filter(({ judgement }) => !isKilled(judgement))
    .map(
      ({ id, file, original, mutated, judgement }) =>
        `${judgement?.verdict} ${id} ${file}: ${judgement?.why}\n  - ${original}\n  + ${mutated}`,
    );
  return `${[...rows.map((row) => row.map(pad).join('')), ...lines].join('\n')}\n`;
}
