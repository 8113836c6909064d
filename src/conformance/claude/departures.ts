// Intended departures of our own programs from these checks.

/** The reason, by check id. */
export const departures: ReadonlyMap<string, string> = new Map();
