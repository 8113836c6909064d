// The rules of the pi-server order checker by name, and its report. Each rule has a mutation test.

/** Every rule, with its sentence (docs/protocols/pi-server.md). */
export const piServerRules = {
  frame: 'every frame is one of the messages that the protocol has, with the fields of its kind (3.1, 5, 6)',
  ready: 'server_ready comes first, and once (16.1)',
  phase: 'a command is accepted, then started if it is carried out, then finished, each once (7.2)',
  identity: 'what is said of a command names it in the same way each time (6.2)',
  twice: 'no command goes on twice at the same time (8.1)',
  replay: 'a repetition is never started; only the newer dialect leaves out that it was accepted (7.4)',
  refusal: 'what is refused before it starts is accepted all the same, but in the newer dialect (7.1)',
  unfinished: 'every command that was accepted is finished (7.2)',
  lane: 'in a lane one command is finished before the next is started (7.3)',
  queue: 'in a lane commands are started in the order in which they were accepted (7.3)',
  response: 'a response comes behind command_finished and says the same (5, 7)',
  unanswered: 'every command has one response (5)',
  version: 'the version of a session begins with 0 and grows by one at most (10)',
  shutdown: 'nothing is accepted behind server_shutdown, which comes once (16.2)',
  subscribed: 'events are of sessions that the connection has subscribed to (6.1)',
  run: 'a prompt is finished when its run is over (docs/protocols/pi-server.md 7.7)',
  events: 'the events of a session are in the order of pi (19)',
} as const;
export type PiServerRule = keyof typeof piServerRules;

/** One violation, at an index of the frames. */
export interface PiServerViolation {
  readonly rule: PiServerRule;
  readonly at: number;
  readonly says: string;
}

/** Reports a violation of the current frame. */
export type Complain = (rule: PiServerRule, says: string) => void;

/** How to read the frames of a connection. */
export interface PiServerOrderOptions {
  /** `newer`: replays and refusals get no lifecycle but `finished` (server 2.2). Default `document`. */
  readonly dialect?: 'document' | 'newer';
  /** False when commands or runs may be in progress at the end. Default true. */
  readonly complete?: boolean;
  /** Commands of other clients may have begun before the connection. */
  readonly late?: boolean;
  /** The session that the connection is subscribed to from the beginning. */
  readonly bound?: string;
  /** Everything that the connection sent, parsed or as text; every command must then have its response. */
  readonly sent?: readonly unknown[];
  /** Ids of other clients' prompts that join a run; those in `sent` are known by their `streamingBehavior`. */
  readonly joining?: Iterable<string>;
}
