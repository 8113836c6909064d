// Rules on the lifecycle of commands: docs/protocols/pi-server.md 4.2 and 6.2 to 7.2.
import { each } from '../../check/rule.ts';
import type { CourseStep } from '../view/courses.ts';
import type { LifecycleStep, Line } from '../view/frames.ts';
import { between, type ServerRows, shown, type View } from '../view/view.ts';

const everywhere = ['errands', 'session', 'prompt'];

/** Number of matching steps up to that frame. */
const count = (courses: readonly LifecycleStep[], until: number, fits: (course: LifecycleStep) => boolean): number =>
  courses.filter((course) => course.frame <= until && fits(course)).length;
const is = (phase: LifecycleStep['phase']) => (course: LifecycleStep) => course.phase === phase;
/**
 * Steps of this client's commands. Earlier steps of other commands may not have reached this connection
 * (docs/protocols/pi-server.md 6.2).
 */
const isOwn =
  ({ sentAs, isLate }: View) =>
  ({ id, frame }: LifecycleStep): boolean =>
    !isLate && sentAs(id).some((command) => command.frame < frame);
const ownSteps = (view: View, move: CourseStep['move']): readonly CourseStep[] =>
  view.courses.steps.filter((step) => step.move === move && isOwn(view)(step));

/** Successful responses with an id, which must have a matching `finished` step. */
const responsesOf = ({ responses, isLate }: View): readonly Line[] =>
  isLate ? [] : responses.filter(({ json }) => json.success === true && typeof json.id === 'string');

/**
 * Errors of commands that get no lifecycle. A lifecycle under their id belongs to another client, because ids are
 * shared (docs/protocols/pi-server.md 8.4).
 */
const unadmitted = /^Validation failed\b|\bshutting down\b/u;

const endsAs =
  ({ json }: Line) =>
  ({ phase, data }: LifecycleStep): boolean =>
    phase === 'finished' && data.success === json.success && data.replayed === json.replayed;

/** Rules on the lifecycle. */
export const lifecycleRows: ServerRows = {
  'lifecycle-identity': {
    section: '6.2',
    sentence: 'A command is described in the same way when it is accepted, started and finished.',
    covers: ['event:command_started', 'event:command_finished'],
    scenarios: everywhere,
    judge: ({ courses }) =>
      each(
        courses.steps.filter(({ move, course }) => course !== null && (move === 'started' || move === 'done')),
        (step) => (step.isSame ? null : `it was accepted otherwise: ${shown(step)}`),
      ),
  },
  'accepted-first': {
    section: '7.1',
    sentence: 'A command is accepted before it is started.',
    covers: ['event:command_accepted', 'event:command_started'],
    scenarios: everywhere,
    reads: 'both',
    judge: (view) => each(ownSteps(view, 'started'), ({ isInOrder }) => (isInOrder ? null : 'it was not accepted')),
  },
  'started-first': {
    section: '7.2',
    sentence: 'A command that is carried out is started before it is finished, and finished once.',
    covers: ['event:command_started', 'event:command_finished'],
    scenarios: everywhere,
    reads: 'both',
    judge: (view) =>
      each(ownSteps(view, 'done'), ({ isInOrder }) => (isInOrder ? null : 'it was not started, or is finished again')),
  },
  'accepted-finished': {
    section: '7.2',
    sentence: 'Every command that was accepted is finished.',
    covers: ['event:command_accepted', 'event:command_finished'],
    scenarios: everywhere,
    reads: 'both',
    *judge(view) {
      for (const step of view.courses.steps)
        if (step.course !== null && step.move !== 'started' && isOwn(view)(step))
          yield { frame: step.frame, wrong: null };
      if (!view.isComplete) return;
      for (const { accepted } of view.courses.open)
        if (isOwn(view)(accepted)) yield { frame: accepted.frame, wrong: 'it was never finished' };
    },
  },
  'finished-before-response': {
    section: '7.2',
    isMeasured: true,
    sentence: 'The response comes behind command_finished.',
    covers: ['event:command_finished', 'message:response'],
    scenarios: everywhere,
    *judge(view) {
      for (const response of responsesOf(view)) {
        const { frame, json } = response;
        const ends = endsAs(response);
        const answers = view.responsesTo(json.id).filter((one) => one.frame <= frame && one.json.success === true);
        const same = answers.filter((one) => one.json.replayed === json.replayed).length;
        const isOne = count(view.lifecycleOf(json.id), frame, ends) >= same;
        // The document does not forbid a `finished` after the response; another rule covers a missing one.
        if (isOne || view.lifecycleOf(json.id).some(ends))
          yield { frame, wrong: isOne ? null : 'the command was not finished yet' };
      }
    },
  },
  'response-finished': {
    section: '7.1',
    sentence: 'What was answered with success was finished with success; a replay was finished with replayed: true.',
    covers: ['event:command_finished', 'message:response'],
    scenarios: everywhere,
    *judge(view) {
      for (const response of responsesOf(view)) {
        const { frame, json } = response;
        const isOne = view.lifecycleOf(json.id).some(endsAs(response));
        if (isOne || view.isSettled(frame))
          yield { frame, wrong: isOne ? null : `no command_finished tells the outcome of ${String(json.id)}` };
      }
    },
  },
  'response-outcome': {
    section: '6.2',
    sentence: 'command_finished and the response tell the same outcome: command, error, version.',
    covers: ['event:command_finished', 'message:response'],
    scenarios: everywhere,
    *judge({ responses, lifecycleOf, isLate }) {
      if (isLate) return;
      for (const response of responses) {
        const { frame, json } = response;
        const { command, error, sessionVersion } = json;
        if (unadmitted.test(String(error))) continue;
        const endings = typeof json.id === 'string' ? lifecycleOf(json.id).filter(endsAs(response)) : [];
        if (endings.length === 0) continue;
        const isOne = endings.some(
          ({ data }) => data.commandType === command && data.error === error && data.sessionVersion === sessionVersion,
        );
        yield { frame, wrong: isOne ? null : `its command_finished says otherwise: ${shown(response)}` };
      }
    },
  },
  'rejected-silent': {
    section: '4.2',
    sentence: 'What is no valid command, or comes when the server shuts down, has no lifecycle.',
    covers: ['message:response'],
    scenarios: ['errands'],
    reads: 'both',
    *judge({ sent, sentAs, lifecycleOf, isComplete }) {
      for (const { frame, json, response } of sent) {
        if (response === null || typeof json.id !== 'string' || sentAs(json.id).length > 1) continue;
        const { error } = response.json;
        if (!unadmitted.test(String(error))) continue;
        const all = lifecycleOf(json.id);
        const own = between(all, frame, response.frame);
        const [step] = own;
        const end = own.find(is('finished'));
        // Another client may use the same id at that time.
        const isOwn =
          own.length === all.length &&
          own.every(({ data }) => data.commandType === json.type) &&
          (end === undefined ? isComplete : end.data.error === error);
        if (step === undefined || isOwn)
          yield { frame: step?.frame ?? frame, wrong: step === undefined ? null : 'it was not admitted' };
      }
    },
  },
};
