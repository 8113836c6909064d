// Rules on tool calls: preparation, run and end. docs/protocols/eca.md 8.3, 2 and 4.
import { isDeepStrictEqual } from 'node:util';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import type { CallStep, EcaCall } from '../view/tool-calls.ts';
import { isOver } from '../view/turns.ts';
import { allCalls, type EcaRows, type EcaView, turnAt } from '../view/view.ts';

const received = 'Chat Content Received';
const withCalls = ['tool'];

/** Parses the text of arguments; an empty text means no arguments. */
function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The possible readings of the argument texts: in the first era each text replaces the last, in newer versions each
 * appends.
 */
function readings({ prepares }: EcaCall): unknown[] {
  const texts = prepares.map(({ content }) => String(content.argumentsText));
  return [parsed(texts.at(-1) ?? ''), parsed(texts.join(''))];
}

/** The steps of all calls, call by call. */
const stepsOf = (view: EcaView, fits: (step: CallStep) => boolean): readonly CallStep[] =>
  [...allCalls(view)].flatMap(({ call }) => call.steps.filter(fits));
/** The same, where the trace has the beginning: a call may have been announced before it. */
const knownSteps = (view: EcaView, fits: (step: CallStep) => boolean): readonly CallStep[] =>
  view.initialize === null ? [] : stepsOf(view, fits);
const isEnd = ({ type }: CallStep): boolean => type === 'toolCalled' || type === 'toolCallRejected';
const named = ({ type, call }: CallStep): string => `${shown(type)} of ${shown(call)}`;

export const toolCallRows: EcaRows = {
  'call-prepared': {
    section: received,
    isMeasured: true,
    sentence: 'A call is prepared before anything else is said of it: editors show no other.',
    covers: ['content:toolCallPrepare', 'content:toolCallRun'],
    scenarios: withCalls,
    reads: 'both',
    judge: (view) =>
      each(
        knownSteps(view, ({ was }) => was === 'new'),
        (step) => (step.type === 'toolCallPrepare' ? null : `${named(step)}, not prepared`),
      ),
  },
  'call-run': {
    section: received,
    sentence: 'A call is run before it is running, and before it is done without an error.',
    covers: ['content:toolCallRun', 'content:toolCallRunning', 'content:toolCalled'],
    scenarios: withCalls,
    reads: 'both',
    judge: (view) =>
      each(
        knownSteps(
          view,
          ({ type, content }) => type === 'toolCallRunning' || (type === 'toolCalled' && content.error !== true),
        ),
        (step) => (step.was === 'new' || step.was === 'prepared' ? `${named(step)}, which was not run` : null),
      ),
  },
  'call-ended': {
    section: received,
    sentence: 'A call that is run is done or rejected before its run is over.',
    covers: ['content:toolCalled', 'content:toolCallRejected'],
    scenarios: withCalls,
    reads: 'both',
    *judge(view) {
      for (const { chat, call } of allCalls(view)) {
        const [run] = call.runs;
        const turn = run === undefined ? undefined : turnAt(chat, run.frame);
        if (run === undefined || turn?.isClean !== true) continue;
        const last = turn.finished.at(-1);
        if (call.ends !== null) {
          const isLate = last !== undefined && last < call.ends && isOver(view, turn);
          yield { frame: call.ends, wrong: isLate ? `${shown(call.id)} ends after its run` : null };
        } else if (last !== undefined && isOver(view, turn))
          yield { frame: run.frame, wrong: `${shown(call.id)} does not end` };
      }
    },
  },
  'call-ended-once': {
    section: received,
    sentence: 'A call is done or rejected once.',
    covers: ['content:toolCalled', 'content:toolCallRejected'],
    scenarios: withCalls,
    judge: (view) =>
      each(stepsOf(view, isEnd), (step) => (step.was === 'ended' ? `${named(step)}, which has ended` : null)),
  },
  'call-ended-stays': {
    section: received,
    isMeasured: true,
    sentence: 'A call that is done or rejected is not run again, and not running (toolCallRunning, since 0.48).',
    covers: ['content:toolCallRun', 'content:toolCallRunning'],
    scenarios: withCalls,
    judge: (view) =>
      each(
        stepsOf(view, ({ type }) => type === 'toolCallRun' || type === 'toolCallRunning'),
        (step) => (step.was === 'ended' ? `${named(step)}, which has ended` : null),
      ),
  },
  'call-id-own': {
    section: received,
    isMeasured: true,
    sentence: 'A call has an id that no later one of its chat has: editors would write over the first.',
    covers: ['content:toolCallPrepare'],
    scenarios: withCalls,
    judge: (view) =>
      each(
        stepsOf(view, ({ type }) => type === 'toolCallPrepare'),
        ({ was, call }) => (was === 'new' || was === 'prepared' ? null : `${shown(call)} is prepared again`),
      ),
  },
  'call-name-kept': {
    section: received,
    sentence: 'A call keeps its name and its origin.',
    covers: ['content:toolCallRun', 'content:toolCalled'],
    scenarios: withCalls,
    judge: (view) =>
      each(
        stepsOf(view, ({ was }) => was !== 'new'),
        ({ content, first }) => {
          const isSame = content.name === first.content.name && content.origin === first.content.origin;
          const was = `${shown(first.content.name)} of ${shown(first.content.origin)}`;
          return isSame ? null : `${shown(content.name)} of ${shown(content.origin)} was ${was}`;
        },
      ),
  },
  'call-arguments': {
    section: received,
    isMeasured: true,
    sentence:
      'The text of the arguments, as it grows (up to 0.29.0) or piece by piece (since 0.29.1), is what the call is run with.',
    covers: ['content:toolCallPrepare', 'content:toolCallRun'],
    scenarios: ['tool'],
    *judge(view) {
      if (view.initialize === null) return;
      for (const { call } of allCalls(view)) {
        const [run] = call.runs;
        if (run === undefined || call.prepares.length === 0) continue;
        const own = isDictionary(run.content.arguments) ? run.content.arguments : {};
        const isSame = readings(call).some((value) => isDeepStrictEqual(value, own));
        yield { frame: run.frame, wrong: isSame ? null : `${shown(own)} is not what was prepared` };
      }
    },
  },
};
