// Where programs of ours depart from a check of pi-legacy on purpose. Only data.

/** Ids of checks, with the reason. */
export const departures: ReadonlyMap<string, string> = new Map();
