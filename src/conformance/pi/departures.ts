// Where our own programs depart from the checks of pi on purpose, by check, with the reason.

/** None. */
export const departures: ReadonlyMap<string, string> = new Map();
