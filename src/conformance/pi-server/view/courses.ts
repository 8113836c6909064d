// The courses of commands, as a state machine: which step continues which command (docs/protocols/pi-server.md 7.1 to 7.4).
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import type { LifecycleStep } from './frames.ts';

/** How far a command is that is not over. */
type Stage = 'accepted' | 'started';
/** `done`: carried out with success. */
type Move = Stage | 'done' | 'failed' | 'replayed';

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
  replayed: { from: ['accepted', 'started'], to: null, after: ['accepted'] },
};

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
  /** For a start, or a failure without one: a command of the lane that has a later place and started before. */
  readonly overtakenBy: Course | null;
  /** For an end: a command of the lane that started while this one went on. */
  readonly joinedBy: Course | null;
  /** A command with the same id goes on when this one starts. */
  readonly isTwice: boolean;
}

/** The courses of all commands in a trace. */
export interface Courses {
  readonly steps: readonly CourseStep[];
  /** Commands that are not over at the end. */
  readonly open: readonly Course[];
}

/** Facts about commands that their steps alone do not tell. */
export interface CommandFacts {
  /** All steps under a command id, in the order of the trace. */
  lifecycleOf(id: unknown): readonly LifecycleStep[];
  /** Null where the lane is not known. */
  placeOf(step: LifecycleStep): Place | null;
  /** The connection has heard of every command that the step can be about: other words do not mean another command. */
  isHeard(step: LifecycleStep): boolean;
}

const identity = ({ commandType, sessionId, dependsOn, ifSessionVersion, idempotencyKey }: Dictionary) => ({
  ...{ commandType, sessionId, dependsOn, ifSessionVersion, idempotencyKey },
});

const isSame = (one: LifecycleStep, other: LifecycleStep): boolean =>
  isDeepStrictEqual(identity(one.data), identity(other.data));

function moveOf({ phase, data }: LifecycleStep): Move {
  if (phase !== 'finished') return phase;
  if (data.replayed === true) return 'replayed';
  return data.success === true ? 'done' : 'failed';
}

/** Follows all commands through their steps. A step without a course begins one where it does not end one. */
export function coursesIn(told: readonly LifecycleStep[], { lifecycleOf, placeOf, isHeard }: CommandFacts): Courses {
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

  const laterOf = ({ id, frame }: LifecycleStep) => lifecycleOf(id).filter((one) => one.frame > frame);

  /** The command that was started has its own end still to come: the failure is that of a conflict with it (8.6). */
  function isConflict(step: LifecycleStep): boolean {
    let newer = 0;
    for (const move of laterOf(step).map(moveOf)) {
      if (move === 'started') return false;
      if (move === 'done' || (move === 'failed' && newer === 0)) return true;
      if (move === 'accepted') newer += 1;
      if (move === 'failed') newer -= 1;
    }
    return false;
  }

  /** The command that the step continues: one in the same words, or else the only one that it can be about. */
  function continued(step: LifecycleStep, from: readonly Stage[]): Course | null {
    const mine = open.get(step.id) ?? [];
    const fitting = from.flatMap((stage) => mine.filter((course) => course.stage === stage));
    const same = fitting.find(({ accepted }) => isSame(accepted, step));
    if (same !== undefined || !isHeard(step)) return same ?? null;
    const later = laterOf(step);
    const next = later.findIndex(({ phase }) => phase === 'accepted');
    const ends = later.slice(0, next < 0 ? undefined : next).filter(({ phase }) => phase === 'finished');
    /** A repetition or a conflict of a command that began before the connection: both end, this one in its own words. */
    const isOther = ({ accepted, stage }: Course) =>
      stage === 'accepted' &&
      (step.phase === 'finished' || ends.length > 1) &&
      ends.some((end) => moveOf(end) !== 'done' && isSame(accepted, end));
    return fitting.find((course) => !isOther(course)) ?? null;
  }

  const steps = told.map((step): CourseStep => {
    const move = moveOf(step);
    const { from, to, after } = table[move];
    const mine = open.get(step.id) ?? [];
    const course = continued(step, move === 'failed' && isConflict(step) ? from.toReversed() : from);
    const { accepted, place } = course ?? { accepted: step, place: placeOf(step) };
    const { last, latest } = lanes.get(place?.lane) ?? {};
    const mustBeFirst = move === 'started' || (move === 'failed' && course?.stage === 'accepted');
    const isOvertaken = mustBeFirst && (latest?.place?.place ?? 0) > (place?.place ?? 0);
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
      isSame: isSame(accepted, step),
      overtakenBy: isOvertaken ? (latest ?? null) : null,
      joinedBy: isJoined ? (last ?? null) : null,
      isTwice: move === 'started' && mine.some(({ stage }) => stage === 'started'),
    };
  });
  return { steps, open: [...open.values()].flat() };
}
