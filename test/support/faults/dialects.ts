// What clients of each dialect hear of a run, so that a fault can be looked at from all of them at once.
import { type ClientRole, clientRoles } from '../client-roles.ts';

/** How to look at one dialect. */
export interface Dialect {
  readonly role: ClientRole;
  /** Where the frames are that end a run, for everybody on the session: one for each run. */
  endings(frames: readonly string[]): readonly number[];
  /** Whether every client of the dialect gets this frame: all but answers to one client's commands, and greetings. */
  isShared(frame: string): boolean;
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

/** Where the frames are that end a run, where one frame alone tells. */
const endingsBy =
  (isEnding: (frame: string) => boolean) =>
  (frames: readonly string[]): number[] =>
    frames.flatMap((frame, at) => (isEnding(frame) ? [at] : []));

/** The same of pi: an agent that tries again says agent_end before, and the run goes on. */
function piEndings(types: readonly unknown[]): number[] {
  return types.flatMap((type, at) => (type === 'agent_end' && types[at + 1] !== 'auto_retry_start' ? [at] : []));
}

function dialect(frontend: string, ours: Omit<Dialect, 'role' | 'endings'> & Partial<Dialect>): [string, Dialect] {
  const role = roleOf(frontend);
  return [frontend, { role, endings: endingsBy(role.isOver), ...ours }];
}

/** A prompt is repeated to all but the client that spoke. */
const isEcho = (frame: string): boolean => JSON.parse(frame).origin?.kind === 'human';

/** By adapter id. */
export const dialects: ReadonlyMap<string, Dialect> = new Map([
  ...['claude', 'rpc-message'].map((frontend) =>
    dialect(frontend, {
      isShared: (frame) => !isEcho(frame) && shared('response', 'control_response', 'error')(frame),
    }),
  ),
  dialect('pi', { endings: (frames) => piEndings(frames.map(typeOf)), isShared: shared('response') }),
  dialect('pi-legacy', { isShared: shared('error') }),
  dialect('pi-server', {
    // The response to the prompt is for one client only.
    endings: (frames) => piEndings(frames.map((frame) => JSON.parse(frame).event?.type)),
    isShared: (frame) => typeOf(frame) === 'event',
  }),
  dialect('eca', { isShared: (frame) => JSON.parse(frame).id === undefined }),
]);
