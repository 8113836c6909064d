// The courses of commands, as a state machine: which step continues which command (docs/protocols/pi-server.md 7.1 to 7.4).
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import type { LifecycleStep } from './frames.ts';

/** How far a command is that is not over. */
type Stage = 'accepted' | 'started';
/** `done`: carried out with success. `refused`: failed before it was carried out. */
type Move = Stage | 'done' | 'failed' | 'refused' | 'replayed';

/**
 * The stages that a kind of step continues, first choice first, the stage behind it (null: over), and the stages from which
 * the step is in order; the others are those of a step that was left out.
 */
const table: Readonly<
  Record<Move, { readonly from: readonly Stage[]; readonly to: Stage | null; readonly after: readonly Stage[] }>
> = {
  accepted: { from: [], to: 'accepted', after: [] },
  started: { from: ['accepted'], to: 'started', after: ['accepted'] },
  done: { from: ['started', 'accepted'], to: null, after: ['started'] },
  failed: { from: ['started', 'accepted'], to: null, after: ['started', 'accepted'] },
  refused: { from: ['accepted'], to: null, after: ['accepted'] },
  replayed: { from: ['accepted', 'started'], to: null, after: ['accepted'] },
};

/** Errors that come before a command is carried out (docs/protocols/pi-server.md 7.1, 22). */
const refusals =
  /^(?:Conflicting |Rate limit exceeded|Global rate limit exceeded|Server busy|Extension UI response rate)/u;

/** The place of a command in its lane: commands with lower places go first. */
export interface Place {
  readonly lane: string;
  readonly place: number;
}

/** One command, from its acceptance on. */
export interface Course {
  readonly id: unknown;
  readonly accepted: LifecycleStep;
  readonly place: Place | null;
  readonly stage: Stage;
  /** Frame of the step that it is at. */
  readonly since: number;
}

/** A step, and where it stands. */
export interface CourseStep extends LifecycleStep {
  readonly move: Move;
  /** The command that the step continues, as it was before; null where none was so far. */
  readonly course: Course | null;
  /** The step that must precede this one did. */
  readonly isInOrder: boolean;
  /** The command was accepted in the same words. */
  readonly isSame: boolean;
  /** For a start: a command of the lane that has a later place and started before. */
  readonly overtakenBy: Course | null;
  /** For an end: a command of the lane that started while this one went on. */
  readonly joinedBy: Course | null;
  /** A command with the same id goes on when this one starts. */
  readonly isTwice: boolean;
}

/** What the steps of commands tell. */
export interface Courses {
  readonly steps: readonly CourseStep[];
  /** Commands that are not over at the end. */
  readonly open: readonly Course[];
}

/** What the reader of the steps must know of commands. */
export interface CommandFacts {
  /** Null where the lane is not known. */
  placeOf(step: LifecycleStep): Place | null;
  /** The connection has heard all of this command, so a step that tells it in other words is about no other one. */
  isHeard(step: LifecycleStep): boolean;
}

const identity = ({ commandType, sessionId, dependsOn, ifSessionVersion, idempotencyKey }: Dictionary) => ({
  ...{ commandType, sessionId, dependsOn, ifSessionVersion, idempotencyKey },
});

function moveOf({ phase, data }: LifecycleStep): Move {
  if (phase !== 'finished') return phase;
  if (data.replayed === true) return 'replayed';
  if (data.success === true) return 'done';
  return refusals.test(String(data.error)) ? 'refused' : 'failed';
}

/** Follows all commands through their steps. A step without a course begins one where it does not end one. */
export function coursesIn(told: readonly LifecycleStep[], { placeOf, isHeard }: CommandFacts): Courses {
  /** Commands that are not over, by id. */
  const open = new Map<unknown, readonly Course[]>();
  /** The last command of each lane that has started, and the one with the latest place. */
  const lanes = new Map<string | undefined, { readonly last: Course; readonly latest: Course }>();

  function started(course: Course): void {
    const { lane, place } = course.place ?? {};
    const { latest = course } = lanes.get(lane) ?? {};
    const isLatest = (latest.place?.place ?? 0) <= (place ?? 0);
    if (lane !== undefined) lanes.set(lane, { last: course, latest: isLatest ? course : latest });
  }

  const steps = told.map((step): CourseStep => {
    const move = moveOf(step);
    const { from, to, after } = table[move];
    const mine = open.get(step.id) ?? [];
    const isSame = ({ accepted }: Pick<Course, 'accepted'>) =>
      isDeepStrictEqual(identity(accepted.data), identity(step.data));
    const fitting = from.flatMap((stage) => mine.filter((course) => course.stage === stage));
    const course = fitting.find(isSame) ?? (isHeard(step) ? fitting[0] : undefined) ?? null;
    const { accepted, place } = course ?? { accepted: step, place: placeOf(step) };
    const { last, latest } = lanes.get(place?.lane) ?? {};
    const isOvertaken = move === 'started' && (latest?.place?.place ?? 0) > (place?.place ?? 0);
    const isJoined = to === null && course?.stage === 'started' && (last?.since ?? 0) > course.since;
    const next: Course | null = to === null ? null : { id: step.id, accepted, place, stage: to, since: step.frame };
    if (next?.stage === 'started') started(next);
    const left = [...mine.filter((one) => one !== course), ...(next === null ? [] : [next])];
    if (left.length === 0) open.delete(step.id);
    else open.set(step.id, left);
    return {
      ...step,
      move,
      course,
      isInOrder: course === null ? after.length === 0 : after.includes(course.stage),
      isSame: isSame({ accepted }),
      overtakenBy: isOvertaken ? (latest ?? null) : null,
      joinedBy: isJoined ? (last ?? null) : null,
      isTwice: move === 'started' && mine.some(({ stage }) => stage === 'started'),
    };
  });
  return { steps, open: [...open.values()].flat() };
}
