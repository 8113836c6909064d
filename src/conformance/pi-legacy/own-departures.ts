// The checks of pi-legacy that our own programs fail on purpose.

/** The reason for each departure, by check id. */
export const departures: ReadonlyMap<string, string> = new Map();
