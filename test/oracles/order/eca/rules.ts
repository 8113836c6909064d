// The rules of the ECA order checker by name, and its report. Each rule has a mutation test.

/** Every rule of the strict grammar, with its sentence. */
export const ecaRules = {
  frame: 'every message is a JSON-RPC 2.0 object: a notification, a request or an answer',
  answer: 'an answer has a result or an error and never both; an error has a code and a message',
  'answer-missing': 'every request of the client is answered',
  'answer-twice': 'a request is answered once',
  'answer-unasked': 'an answer bears the id of a request of the client, and its type',
  result: 'a result has the members that the clients of both eras read',
  'request-id': 'requests of the server have ids of their own',
  'request-unable': 'a client is asked only what it has said that it can answer',
  null: 'no member is null, and no result but that of shutdown',
  early: 'nothing is told before the client has said initialized, or has prompted',
  method: 'notifications and requests are those that the protocol has',
  shape: 'every content has the members of its kind, and its texts are strings',
  role: 'the user says texts, the model its words, thoughts and calls, the system all else',
  progress: 'running has a text, finished has one too, if an empty one',
  outputs: 'each output of a tool says its text under both names',
  chat: 'contents are of a chat that the client has named, or has been told of',
  deleted: 'nothing is said of a chat that is deleted',
  echo: 'each prompt that is taken is told again: its words and a line end',
  'outside-run': 'the model says nothing outside of a run, and no figures of it are told',
  'finished-twice': 'a run is finished once',
  'finished-missing': 'each run is finished',
  status: 'a chat is running or at rest, in turn, and at rest when its run is finished',
  'reason-id': 'a thought has an id of its own',
  'reason-open': 'what is thought and how it ends names a thought that is open',
  'reason-unclosed': 'each thought is ended before its run is finished',
  'call-unprepared': 'a call is prepared before anything else is said of it',
  'call-order': 'a call is prepared, then run, then running, then done; only what never ran may be rejected',
  'call-id': 'a call has an id of its own, which no later one bears',
  'call-name': 'a call keeps its name, its origin and its server',
  'call-twice': 'a call is done or rejected once',
  'call-unended': 'each call is done or rejected before the next run and before the end',
  arguments: 'who appends the pieces of the arguments and who replaces them both come to what the call is run with',
  size: 'words of the model go out in frames of less than 4 kB',
} as const;
export type EcaRule = keyof typeof ecaRules;

/** One violation: the rule, the index of the message, and an explanation. */
export interface EcaViolation {
  readonly rule: EcaRule;
  readonly at: number;
  readonly says: string;
}

/** Adds a violation to the checker's list. */
export type EcaReport = (rule: EcaRule, at: number, says: string) => void;
