// Where our own programs answer otherwise than a check of ECA expects, on purpose, and why. Knows no check.

/** Reasons by the id of the check. */
export const departures: ReadonlyMap<string, string> = new Map();
