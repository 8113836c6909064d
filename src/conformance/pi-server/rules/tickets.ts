// Rules on lanes, repetitions, conflicts, timeouts and dependencies: docs/protocols/pi-server.md 7.3 to 9 and 11.
import { isDeepStrictEqual } from 'node:util';
import { without } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import type { CourseStep } from '../view/courses.ts';
import type { LifecycleStep, Line } from '../view/frames.ts';
import { between, type Sent, type ServerRows, type View } from '../view/view.ts';

/** Steps of commands whose lanes are known. */
const inLanes = ({ courses, isLate }: View, fits: (step: CourseStep) => boolean): readonly CourseStep[] =>
  isLate ? [] : courses.steps.filter((step) => (step.course?.place ?? null) !== null && fits(step));

interface Remembered {
  readonly command: Sent;
  readonly response: Line;
  /** So many outcomes came later that a server may have forgotten this one. */
  readonly isOld: boolean;
}

/** The last command that was carried out under this id, with its response. */
function remembered(view: View, { frame, json }: Sent): Remembered | null {
  const uses = view.sentAs(json.id).filter((one) => one.frame <= frame);
  const steps = view.lifecycleOf(json.id);
  const place = uses.findLastIndex(
    (one, at) => one.frame < frame && between(steps, one.frame, uses[at + 1]?.frame ?? frame).some(isStep('started')),
  );
  const command = uses[place];
  const response = command?.response ?? null;
  if (typeof json.id !== 'string' || command === undefined || response === null) return null;
  const ended = between(steps, command.frame, uses[place + 1]?.frame ?? frame).find(isStep('finished'));
  if (ended === undefined) return null;
  const later = between(view.lifecycleSteps, ended.frame, frame).filter(
    (one) => one.phase === 'finished' && one.id !== json.id,
  );
  return { command, response, isOld: later.length > 1 };
}

const isStep =
  (phase: LifecycleStep['phase']) =>
  (course: LifecycleStep): boolean =>
    course.phase === phase;

/** Answered commands whose id was used before. `isSame`: repetitions, else conflicts. */
function again(view: View, isSame: boolean) {
  return view.sent.flatMap((command) => {
    const { response } = command;
    const known = remembered(view, command);
    // A key takes precedence over the id, and may belong to another command (docs/protocols/pi-server.md 8.5).
    if (response === null || known === null || command.json.idempotencyKey !== undefined) return [];
    if (isSame ? known.command.text !== command.text : known.command.json.type === command.json.type) return [];
    if (/\bshutting down\b|^Validation failed\b/u.test(String(response.json.error))) return [];
    // The command was carried out again because its outcome was forgotten.
    const steps = between(view.lifecycleOf(command.json.id), command.frame, response.frame);
    const isNew = known.isOld && steps.some(isStep('started'));
    return [{ frame: response.frame, response, known: known.response, isNew }];
  });
}

const outcomeOf = ({ json }: Line) => without(json, 'id', 'replayed');

/** The last outcome of that command before the frame, if it was carried out. */
const outcomeBefore = (view: View, id: unknown, frame: number): LifecycleStep | undefined =>
  view
    .lifecycleOf(id)
    .findLast(({ phase, data, ...at }) => phase === 'finished' && data.replayed !== true && at.frame < frame);

/**
 * Whether the id is that of a command which was started on this connection. Ids are shared by all connections
 * (docs/protocols/pi-server.md 8.4): a command that ends without a start may be in conflict with one of another client,
 * which others depend on and whose end came before this connection.
 */
const isStarted = ({ lifecycleOf }: View, id: unknown): boolean => lifecycleOf(id).some(isStep('started'));

/**
 * Commands that depend on commands of this client, with those. A repetition has the outcome of another time, when other
 * commands had failed.
 */
function dependents(view: View) {
  return view.sent.flatMap(({ frame, json, response }) => {
    const { dependsOn, id } = json;
    if (response === null || !Array.isArray(dependsOn) || view.sentAs(id).length > 1) return [];
    if (response.json.replayed === true) return [];
    const own = dependsOn.filter(
      (name: unknown) => isStarted(view, name) && view.sentAs(name).some((one) => one.frame < frame),
    );
    return own.length === 0 ? [] : [{ frame: response.frame, sentAt: frame, response, own }];
  });
}

/**
 * Whether the command with that id had been carried out and had failed at that frame. A conflict fails under the id of a
 * command that may have succeeded, and its failure is not the outcome that is kept (docs/protocols/pi-server.md 8.7).
 */
const hasFailed = ({ courses, lifecycleOf }: View, id: unknown, frame: number): boolean =>
  lifecycleOf(id).every(({ data }) => data.success !== true) &&
  courses.steps.some(
    (step) => step.id === id && step.frame < frame && step.move === 'failed' && step.course?.stage === 'started',
  );

/** Rules on lanes, repetitions and dependencies. */
export const ticketRows: ServerRows = {
  'lane-order': {
    section: '7.3',
    sentence: 'Commands of one lane are started in the order in which they were sent.',
    covers: ['event:command_started'],
    scenarios: ['session'],
    reads: 'both',
    judge: (view) =>
      each(
        inLanes(view, ({ move }) => move === 'started'),
        ({ overtakenBy }) => (overtakenBy === null ? null : `it is started behind ${String(overtakenBy.id)}`),
      ),
  },
  'lane-one-by-one': {
    section: '7.3',
    isMeasured: true,
    level: 'MAY',
    sentence: 'In a lane one command is finished before the next is started, as servers do from 2.2 on.',
    covers: ['event:command_started', 'event:command_finished'],
    scenarios: ['session'],
    reads: 'both',
    judge: (view) =>
      each(
        inLanes(view, ({ course, phase }) => phase === 'finished' && course?.stage === 'started'),
        ({ joinedBy }) => (joinedBy === null ? null : `${String(joinedBy.id)} was started before`),
      ),
  },
  'replay-not-started': {
    section: '7.4',
    sentence: 'A repetition is not started again.',
    covers: ['event:command_started'],
    scenarios: ['errands'],
    reads: 'both',
    judge: (view) =>
      each(
        view.sent.flatMap(({ frame, json, response }) => {
          if (response?.json.replayed !== true || outcomeBefore(view, json.id, frame) === undefined) return [];
          return [{ frame: response.frame, steps: between(view.lifecycleOf(json.id), frame, response.frame) }];
        }),
        ({ steps }) => (steps.some(({ phase }) => phase === 'started') ? 'it was started' : null),
      ),
  },
  'replay-accepted': {
    section: '7.4',
    sentence: 'All repetitions are accepted and finished; or, as real servers from 2.2 on, all are only finished.',
    covers: ['event:command_accepted', 'event:command_finished'],
    scenarios: ['errands'],
    reads: 'both',
    *judge(view) {
      let dialect: boolean | null = null;
      for (const { frame, json, response } of view.sent) {
        if (response?.json.replayed !== true || outcomeBefore(view, json.id, frame) === undefined) continue;
        const steps = between(view.lifecycleOf(json.id), frame, response.frame);
        const isAccepted = steps.some(({ phase }) => phase === 'accepted');
        dialect ??= isAccepted;
        yield { frame: response.frame, wrong: isAccepted === dialect ? null : 'an earlier one was told otherwise' };
      }
    },
  },
  'repeat-replayed': {
    section: '8.1',
    sentence:
      'The same id with the same payload is a repetition: the outcome, if it is kept, is told with replayed: true.',
    covers: ['message:response'],
    scenarios: ['errands'],
    reads: 'both',
    judge: (view) =>
      each(again(view, true), ({ response, isNew }) =>
        response.json.replayed === true || isNew ? null : 'it does not say that it is a repetition',
      ),
  },
  'repeat-same': {
    section: '8.1',
    sentence: 'A repetition has the outcome of the command that it repeats, a timeout included.',
    covers: ['message:response'],
    scenarios: ['errands'],
    reads: 'both',
    judge: (view) =>
      each(
        again(view, true).filter(({ response }) => response.json.replayed === true),
        ({ response, known }) =>
          isDeepStrictEqual(outcomeOf(response), outcomeOf(known)) ? null : 'the first response said otherwise',
      ),
  },
  'id-conflict': {
    section: '8.1',
    sentence: 'The same id for another command is a conflict.',
    covers: ['message:response'],
    scenarios: ['errands'],
    reads: 'both',
    judge: (view) =>
      each(again(view, false), ({ response, isNew }) =>
        response.json.success === false || isNew ? null : 'it succeeds',
      ),
  },
  'timeout-failed': {
    section: '11',
    sentence: 'What timed out has failed.',
    covers: ['message:response'],
    scenarios: ['errands'],
    judge: ({ responses }) =>
      each(
        responses.filter(({ json }) => json.timedOut !== undefined),
        ({ json }) => (json.success === false ? null : 'it timed out and succeeds'),
      ),
  },
  'dependency-succeeded': {
    section: '9',
    sentence: 'A command that depends on others succeeds when they have.',
    covers: ['message:response'],
    scenarios: ['session'],
    reads: 'both',
    judge: (view) =>
      each(
        dependents(view).filter(({ response }) => response.json.success === true),
        ({ frame, own }) => {
          const isDone = (id: unknown) =>
            view.lifecycleOf(id).some((one) => one.frame < frame && one.data.success === true);
          const missing = own.find((id) => !isDone(id));
          return missing === undefined ? null : `${String(missing)} has not succeeded yet`;
        },
      ),
  },
  'dependency-failed': {
    section: '9',
    sentence: 'A command that depends on one that failed fails.',
    covers: ['message:response'],
    scenarios: ['session'],
    reads: 'both',
    judge: (view) =>
      each(
        dependents(view).filter(({ own, sentAt }) => own.some((id) => hasFailed(view, id, sentAt))),
        ({ response }) => (response.json.success === false ? null : 'it succeeds'),
      ),
  },
};
