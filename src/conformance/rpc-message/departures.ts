// Where our own programs depart from these checks on purpose. Knows no check.

/** By the id of the check, with the reason. */
export const departures: ReadonlyMap<string, string> = new Map();
