// What clients of each dialect hear of a run, so that a fault can be looked at from all of them at once.
import { type ClientRole, clientRoles } from '../client-roles.ts';

/** How to look at one dialect. */
export interface Dialect {
  readonly role: ClientRole;
  /** Whether this frame ends a run, for everybody on the session. Cheap: long waits ask for each frame. */
  isEnding(frame: string): boolean;
  /** Whether this frame, right behind such an end, says that the run goes on. */
  goesOn(frame: string): boolean;
  /** Whether every client of the dialect gets this frame: all but answers to one client's commands, and greetings. */
  isShared(frame: string): boolean;
  /** Whether a client hears the end of a run that another one has asked for. */
  readonly tellsAllEnds: boolean;
}

/** Notes where runs end. Takes each frame once. */
export function createEndings({ isEnding, goesOn }: Dialect): {
  readonly places: readonly number[];
  take(frame: string): void;
} {
  const places: number[] = [];
  let at = 0;
  return {
    places,
    take(frame) {
      if (places.at(-1) === at - 1 && at > 0 && goesOn(frame)) places.pop();
      if (isEnding(frame)) places.push(at);
      at += 1;
    },
  };
}

/** Where runs end in these frames. */
export function endingsIn(dialect: Dialect, frames: readonly string[]): readonly number[] {
  const endings = createEndings(dialect);
  for (const frame of frames) endings.take(frame);
  return endings.places;
}

const typeOf = (frame: string): unknown => JSON.parse(frame).type;
const shared =
  (...personal: readonly string[]) =>
  (frame: string): boolean =>
    !personal.includes(String(typeOf(frame)));

function roleOf(frontend: string): ClientRole {
  const role = clientRoles.get(frontend);
  if (role === undefined) throw new Error(`nobody plays a client of ${frontend}`);
  return role;
}

/** Most frames are not parsed for their end: only those with that mark. */
function dialect(frontend: string, mark: string, isShared: Dialect['isShared']): [string, Dialect] {
  const role = roleOf(frontend);
  const isEnding = (frame: string) => frame.includes(mark) && role.isOver(frame);
  return [frontend, { role, isEnding, goesOn: () => false, isShared, tellsAllEnds: true }];
}

/** An agent of pi that tries again says agent_end before, and the run goes on. */
function piDialect(frontend: string, isShared: Dialect['isShared']): [string, Dialect] {
  const isEnding = (frame: string) => frame.includes('"type":"agent_end"');
  const goesOn = (frame: string) => frame.includes('"type":"auto_retry_start"');
  return [frontend, { role: roleOf(frontend), isEnding, goesOn, isShared, tellsAllEnds: true }];
}

/** ACP ends a run by the answer to its prompt, and has no word for the end of another client's. */
function acpDialect(): [string, Dialect] {
  const [frontend, heard] = dialect('acp', '"prompt-', (frame) => JSON.parse(frame).id === undefined);
  return [frontend, { ...heard, tellsAllEnds: false }];
}

/** A prompt is repeated to all but the client that spoke. */
const isEcho = (frame: string): boolean => JSON.parse(frame).origin?.kind === 'human';

/** By adapter id. */
export const dialects: ReadonlyMap<string, Dialect> = new Map([
  ...['claude', 'rpc-message'].map((frontend) =>
    dialect(
      frontend,
      '"type":"result"',
      (frame) => !isEcho(frame) && shared('response', 'control_response', 'control_cancel_request', 'error')(frame),
    ),
  ),
  // What is wrong with an answer is told to who gave it.
  piDialect('pi', (frame) => shared('response')(frame) && !frame.includes('"id":"answer-problem-')),
  dialect('pi-legacy', 'agent_end', shared('error')),
  // The response to a prompt is for one client only.
  piDialect('pi-server', (frame) => typeOf(frame) === 'event'),
  // Settings that were there before a client came are marked as replayed.
  dialect('canonical', '"run-end"', (frame) => !['session-changed', undefined].includes(JSON.parse(frame).event?.type)),
  dialect('eca', '"finished"', (frame) => JSON.parse(frame).id === undefined),
  acpDialect(),
]);
