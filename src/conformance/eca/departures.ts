// Intended departures of our own programs from the checks of ECA.

/** The reason, by check id. */
export const departures: ReadonlyMap<string, string> = new Map();
