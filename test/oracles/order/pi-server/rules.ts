// The rules of the pi-server checker by name, and the list in which it reports. Each has a mutation test.

/** Every rule, with the sentence that states it (docs/protocols/pi-server.md). */
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

/** One breach, at an index of the frames. */
export interface PiServerViolation {
  readonly rule: PiServerRule;
  readonly at: number;
  readonly says: string;
}

/** Takes a breach of the frame that is being read. */
export type Complain = (rule: PiServerRule, says: string) => void;

/** How to read what a connection received. */
export interface PiServerOrderOptions {
  /** `newer`: replays and refusals are only finished (2.2 of the server). Default `document`. */
  readonly dialect?: 'document' | 'newer';
  /** False when the connection was cut while commands or runs may have been going on. Default true. */
  readonly complete?: boolean;
  /** The connection was made while commands of others may have been going on: their beginnings were not heard. */
  readonly late?: boolean;
  /** The session that the connection hears from the first. */
  readonly bound?: string;
  /** All that the connection sent, parsed or as text: then every command must have its response. */
  readonly sent?: readonly unknown[];
  /** Ids of prompts of others that join a run; those in `sent` are known by their `streamingBehavior`. */
  readonly joining?: Iterable<string>;
}
