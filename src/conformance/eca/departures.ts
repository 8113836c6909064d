// Where our own programs answer otherwise than a check of ECA expects, on purpose, and why. Knows no check.

/** Reasons by the id of the check. */
export const departures: ReadonlyMap<string, string> = new Map([
  [
    'eca/parent-process',
    'The end of the input ends us, and looking after the process has ended servers that could not see their editor (reference, section 6).',
  ],
]);
