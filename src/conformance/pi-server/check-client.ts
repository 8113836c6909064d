// A pi-server client for checks: assigns ids to commands, finds their responses and judges them. The client waits for
// responses only, so a wrong lifecycle fails no check but those of the lifecycle.
import type { Dictionary } from '../../core/model/content.ts';
import { type Connection, NotApplicable, PeerWrong } from '../check/check.ts';
import {
  answers,
  eventsIn,
  isResponse,
  type Phase,
  phasesOf,
  type ReceivedFrame,
  receivedIn,
  type SessionEvent,
  stepsOf,
} from './view/frames.ts';

/** A command without its id. */
export type CommandFields = Dictionary & { readonly type: string };

/** One connection of a check. */
export interface Client {
  readonly connection: Connection;
  /** Number of log entries so far; an index to read from. */
  readonly now: number;
  received(from?: number): readonly ReceivedFrame[];
  /** Sends a command, with a new id unless it has one, and returns the id. */
  start(command: CommandFields): string;
  /** The response to that id: the first, or the one with index `which`. */
  response(id: string, which?: number): Promise<Dictionary>;
  /** Sends a command and waits for its response. */
  ask(command: CommandFields): Promise<Dictionary>;
  /** Like `ask`. Fails the peer if the command fails. Returns the response. */
  succeeds(command: CommandFields): Promise<Dictionary>;
  /** Like `ask`. Fails the peer if the command succeeds, or if the error does not match `words`. Returns the error. */
  fails(command: CommandFields, words?: RegExp): Promise<string>;
  /** Sends a text as it is and waits for the next response. */
  say(text: string): Promise<Dictionary>;
  /** Waits until the server has handled everything sent before. */
  settled(): Promise<void>;
  until<Value>(label: string, look: (received: readonly ReceivedFrame[]) => Value | undefined): Promise<Value>;
  phases(id: string): Phase[];
  /** Fails the peer unless these are the lifecycle phases of the command so far. */
  expectPhases(id: string, ...expected: readonly Phase[]): void;
  events(session: string, from?: number): SessionEvent[];
  /** Waits for the first matching event of a session at or after `from`. */
  untilEvent(
    session: string,
    label: string,
    fits: (event: Dictionary) => boolean,
    from?: number,
  ): Promise<SessionEvent>;
}

/**
 * Creates a client over a connection. `mint` makes unique ids. `isBound`: the connection belongs to one session, like a
 * stream of server-sent events, and cannot switch.
 */
export function createClient(connection: Connection, mint: (word: string) => string, isBound = false): Client {
  // Each frame is parsed once, because a waiting check looks at all frames after every message.
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

/** Fails the peer unless the response is a failure whose error matches `words`; returns the error. */
export function expectFailure(frame: Dictionary, words = /./u): string {
  const text = JSON.stringify(frame);
  if (frame.success !== false) throw new PeerWrong(`it must fail, and did not: ${text}`);
  if (typeof frame.error !== 'string') throw new PeerWrong(`a failure must have an error: ${text}`);
  if (!words.test(frame.error)) throw new PeerWrong(`the error must match ${words}: ${text}`);
  return frame.error;
}

/** Fails the peer unless the condition holds. */
export function expect(isSo: boolean, otherwise: string, ...shown: readonly unknown[]): void {
  if (!isSo) throw new PeerWrong([otherwise, ...shown.map((one) => JSON.stringify(one))].join(' '));
}

/** Index of the command's `finished` phase in the log; -1 without one. */
export const finishedAt = (client: Client, id: string): number =>
  stepsOf(client.received(), id).find(({ phase }) => phase === 'finished')?.at ?? -1;

/** Index of the response in the log; -1 without one. */
export const answeredAt = (client: Client, id: string): number => client.received().find(answers(id))?.at ?? -1;
