// Intended departures of our own programs from the checks of pi-legacy.

/** The reason, by check id. */
export const departures: ReadonlyMap<string, string> = new Map();
