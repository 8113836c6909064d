// The checks of ACP that our own programs fail on purpose.

/** The reason for each departure, by check id. */
export const departures: ReadonlyMap<string, string> = new Map([
  [
    'acp/delete-unlists',
    'The open session is deleted; its stored conversation is a file of the agent or of the user, and stays.',
  ],
]);
