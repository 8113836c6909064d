// Rules on tool calls: preparation, run and end. docs/protocols/eca.md 8.3, 2 and 4.
import { isDeepStrictEqual } from 'node:util';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { EcaCall } from '../view/tool-calls.ts';
import { isOver } from '../view/turns.ts';
import { allCalls, type EcaRule, turnAt } from '../view/view.ts';
import { shown } from './values.ts';

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

export const toolCallRules: readonly EcaRule[] = [
  {
    id: 'eca/call-prepared',
    section: received,
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A call is prepared before anything else is said of it: editors show no other.',
    covers: ['content:toolCallPrepare', 'content:toolCallRun'],
    scenarios: withCalls,
    reads: 'both',
    *judge(view) {
      // Without the beginning of the conversation the call may have been announced before.
      if (view.initialize === null) return;
      for (const { call } of allCalls(view)) {
        const [first] = call.contents;
        if (first === undefined) continue;
        const isRight = first.type === 'toolCallPrepare';
        yield { frame: first.frame, wrong: isRight ? null : `${shown(first.type)} of ${shown(call.id)}, not prepared` };
      }
    },
  },
  {
    id: 'eca/call-run',
    section: received,
    level: 'MUST',
    basis: 'specification',
    sentence: 'A call is run before it is running, and before it is done without an error.',
    covers: ['content:toolCallRun', 'content:toolCallRunning', 'content:toolCalled'],
    scenarios: withCalls,
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const { call } of allCalls(view)) {
        const from = call.runs[0]?.frame ?? Number.POSITIVE_INFINITY;
        const done = call.called.filter(({ content }) => content.error !== true);
        for (const { frame, type } of [...call.runnings, ...done])
          yield { frame, wrong: from < frame ? null : `${shown(type)} of ${shown(call.id)}, which was not run` };
      }
    },
  },
  {
    id: 'eca/call-ended',
    section: received,
    level: 'MUST',
    basis: 'specification',
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
  {
    id: 'eca/call-ended-once',
    section: received,
    level: 'MUST',
    basis: 'specification',
    sentence: 'A call is done or rejected once.',
    covers: ['content:toolCalled', 'content:toolCallRejected'],
    scenarios: withCalls,
    *judge(view) {
      for (const { call } of allCalls(view)) {
        for (const { frame, type } of [...call.called, ...call.rejected])
          yield { frame, wrong: frame === call.ends ? null : `${shown(type)} of ${shown(call.id)}, which has ended` };
      }
    },
  },
  {
    id: 'eca/call-ended-stays',
    section: received,
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A call that is done or rejected is not run again, and not running (toolCallRunning, since 0.48).',
    covers: ['content:toolCallRun', 'content:toolCallRunning'],
    scenarios: withCalls,
    *judge(view) {
      for (const { call } of allCalls(view)) {
        const until = call.ends ?? Number.POSITIVE_INFINITY;
        for (const { frame, type } of [...call.runs, ...call.runnings])
          yield { frame, wrong: frame < until ? null : `${shown(type)} of ${shown(call.id)}, which has ended` };
      }
    },
  },
  {
    id: 'eca/call-id-own',
    section: received,
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A call has an id that no later one of its chat has: editors would write over the first.',
    covers: ['content:toolCallPrepare'],
    scenarios: withCalls,
    *judge(view) {
      for (const { call } of allCalls(view)) {
        const from = Math.min(call.runs[0]?.frame ?? Number.POSITIVE_INFINITY, call.ends ?? Number.POSITIVE_INFINITY);
        for (const { frame } of call.prepares)
          yield { frame, wrong: frame < from ? null : `${shown(call.id)} is prepared again` };
      }
    },
  },
  {
    id: 'eca/call-name-kept',
    section: received,
    level: 'MUST',
    basis: 'specification',
    sentence: 'A call keeps its name and its origin.',
    covers: ['content:toolCallRun', 'content:toolCalled'],
    scenarios: withCalls,
    *judge(view) {
      for (const { call } of allCalls(view)) {
        const [first, ...more] = call.contents;
        for (const { frame, content } of more) {
          const isSame = content.name === first?.content.name && content.origin === first?.content.origin;
          const was = `${shown(first?.content.name)} of ${shown(first?.content.origin)}`;
          yield { frame, wrong: isSame ? null : `${shown(content.name)} of ${shown(content.origin)} was ${was}` };
        }
      }
    },
  },
  {
    id: 'eca/call-arguments',
    section: received,
    level: 'SHOULD',
    basis: 'measured',
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
];
