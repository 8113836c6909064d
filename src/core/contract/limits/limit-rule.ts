// The names of the limits that a peer can reach, as metrics and logs say them.

/** A limit of `patchbay.json` has its name there; a limit that nobody can set has a name in the same style. */
export const limitRules = [
  'sessions',
  'idleSessionMs',
  'connections',
  'clientFrameBytes',
  'agentFrameBytes',
  'waitingCommands',
  'waitingBroadcasts',
  'queuedPrompts',
  'openQuestions',
  'questionMs',
  'abortMs',
  'silenceMs',
  'startMs',
  'window',
  'commandsInFlight',
  'commandsPerMinute',
  'allCommandsPerMinute',
  'answersPerMinute',
  'transcriptBytes',
  'allTranscriptBytes',
  'logLinesPerMinute',
  'junkMessages',
  'unreadStreamMs',
  'badFrames',
  'agents',
  'unreadLogBytes',
  'agentState',
  'agentUnread',
  'tapeBytes',
  'wireBytes',
] as const;

/** The name of a limit. */
export type LimitRule = (typeof limitRules)[number];

/** Told each time a peer reaches a limit. */
export type Limited = (rule: LimitRule) => void;
