// A pi-server client for checks: it names its commands, finds their responses, and says what is wrong with them. What it
// waits for is the response alone, so that a wrong lifecycle spoils only the checks of the lifecycle.
import type { Dictionary } from '../../core/model/content.ts';
import { type Connection, NotApplicable, PeerWrong } from '../check/check.ts';
import {
  answers,
  eventsIn,
  type ReceivedFrame,
  receivedIn,
  isResponse,
  type Phase,
  phasesOf,
  type SessionEvent,
  stepsOf,
} from './view/frames.ts';

/** A command without its id. */
export type CommandFields = Dictionary & { readonly type: string };

/** One connection of a check. */
export interface Client {
  readonly connection: Connection;
  /** How much was said so far: a place to look from. */
  readonly now: number;
  received(from?: number): readonly ReceivedFrame[];
  /** Sends a command under an id of its own, unless it has one, and gives that. */
  start(command: CommandFields): string;
  /** The response to that id: the first, or a later one. */
  response(id: string, which?: number): Promise<Dictionary>;
  /** Sends it and waits for its response. */
  ask(command: CommandFields): Promise<Dictionary>;
  /** The same, and it is a failure of the peer when it fails. Gives the response. */
  succeeds(command: CommandFields): Promise<Dictionary>;
  /** The same, and it is a failure of the peer when it succeeds, or fails in other words. Gives the error. */
  fails(command: CommandFields, words?: RegExp): Promise<string>;
  /** Sends a frame as it stands; the next response that is said. */
  say(text: string): Promise<Dictionary>;
  /** Everything that the server had to say to what was sent before has been heard. */
  settled(): Promise<void>;
  until<Value>(label: string, look: (heard: readonly ReceivedFrame[]) => Value | undefined): Promise<Value>;
  phases(id: string): Phase[];
  /** Fails unless that is the lifecycle of that command so far. */
  expectPhases(id: string, ...expected: readonly Phase[]): void;
  events(session: string, from?: number): SessionEvent[];
  /** The event that comes first from there on. */
  untilEvent(
    session: string,
    label: string,
    fits: (event: Dictionary) => boolean,
    from?: number,
  ): Promise<SessionEvent>;
}

/**
 * A client over that connection. `mint` gives ids that nobody else uses. `isBound`: it belongs to one session, as a stream of
 * server-sent events does, and cannot be made to hear another.
 */
export function createClient(connection: Connection, mint: (word: string) => string, isBound = false): Client {
  // Read once, for whoever waits looks at all of it with each message.
  const read: ReceivedFrame[] = [];
  let count = 0;
  function received(from = 0): readonly ReceivedFrame[] {
    const { log } = connection;
    if (count < log.length) read.push(...receivedIn(log, count));
    count = log.length;
    return from === 0 ? read : read.filter(({ at }) => at >= from);
  }
  const until: Client['until'] = (label, look) => connection.until(label, () => look(received()));

  function start(command: CommandFields): string {
    if (isBound && command.type === 'switch_session')
      throw new NotApplicable('a stream of server-sent events belongs to one session');
    const id = typeof command.id === 'string' ? command.id : mint(command.type);
    connection.send(JSON.stringify({ id, ...command }));
    return id;
  }
  const response = (id: string, which = 0) =>
    until(`response to '${id}'`, (all) => all.filter(answers(id))[which]?.frame);
  async function ask(command: CommandFields): Promise<Dictionary> {
    const before = typeof command.id === 'string' ? received().filter(answers(command.id)).length : 0;
    return response(start(command), before);
  }
  function expectPhases(id: string, ...expected: readonly Phase[]): void {
    const found = phasesOf(received(), id);
    const wrong = `the lifecycle of '${id}' is [${found.join(', ')}] where it must be [${expected.join(', ')}]`;
    if (found.join() !== expected.join()) throw new PeerWrong(wrong);
  }

  return {
    connection,
    get now() {
      return connection.log.length;
    },
    received,
    start,
    response,
    ask,
    async succeeds(command) {
      const frame = await ask(command);
      if (frame.success !== true) throw new PeerWrong(`${command.type} failed: ${JSON.stringify(frame)}`);
      return frame;
    },
    async fails(command, words = /./u) {
      return expectFailure(await ask(command), words);
    },
    async say(text) {
      const from = connection.log.length;
      connection.send(text);
      return until(`response to ${text.slice(0, 80)}`, () => received(from).find(isResponse)?.frame);
    },
    async settled() {
      await ask({ type: 'list_sessions' });
    },
    until,
    phases: (id) => phasesOf(received(), id),
    expectPhases,
    events: (session, from = 0) => eventsIn(received(from), session),
    untilEvent: (session, label, fits, from = 0) =>
      until(label, () => eventsIn(received(from), session).find(({ event }) => fits(event))),
  };
}

/** Fails unless this is a failure in those words; gives them. */
export function expectFailure(frame: Dictionary, words = /./u): string {
  const text = JSON.stringify(frame);
  if (frame.success !== false) throw new PeerWrong(`it must fail, and did not: ${text}`);
  if (typeof frame.error !== 'string') throw new PeerWrong(`a failure must have an error: ${text}`);
  if (!words.test(frame.error)) throw new PeerWrong(`the error must match ${words}: ${text}`);
  return frame.error;
}

/** Fails unless it is so. */
export function expect(isSo: boolean, otherwise: string, ...shown: readonly unknown[]): void {
  if (!isSo) throw new PeerWrong([otherwise, ...shown.map((one) => JSON.stringify(one))].join(' '));
}

/** When a command was finished, as a place in what was heard; -1 if it was not. */
export const finishedAt = (client: Client, id: string): number =>
  stepsOf(client.received(), id).find(({ phase }) => phase === 'finished')?.at ?? -1;

/** When it was answered, as a place in what was heard; -1 if it was not. */
export const answeredAt = (client: Client, id: string): number => client.received().find(answers(id))?.at ?? -1;
