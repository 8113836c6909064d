// ECA servers with a wrong order of reasoning, calls, approvals or states.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor } from '../../support/intercept.ts';
import { dropsOutput, type Mutant } from '../../support/mutant.ts';
import {
  alone,
  behind,
  content,
  contentOf,
  deafTo,
  goneBehind,
  having,
  isContent,
  isFinished,
  isMethod,
  isOf,
  silentAt,
  told,
  withParams,
} from './changes.ts';

/** Swaps two kinds of frames on one connection. */
const swaps =
  (first: (frame: Record<string, unknown>) => boolean, second: (frame: Record<string, unknown>) => boolean) =>
  (): Interceptor => {
    const held = new Map<unknown, Record<string, unknown>[]>();
    return {
      out(frame, link) {
        const own = held.get(link) ?? [];
        held.set(link, own);
        if (first(frame)) {
          own.push(frame);
          return [];
        }
        return second(frame) ? [frame, ...own.splice(0)] : [frame];
      },
    };
  };

const isWaiting = isOf('toolCallRun', ({ manualApproval }) => manualApproval === true);

export const orderMutants: readonly Mutant[] = [
  { fault: 'reasons do not start', caughtBy: ['reason-open'], make: dropsOutput(isOf('reasonStarted')) },
  {
    fault: 'reasons start twice',
    caughtBy: ['reason-once'],
    make: behind(isOf('reasonStarted'), (frame) => frame),
  },
  {
    fault: 'calls are running when they have ended',
    caughtBy: ['call-ended-stays'],
    make: behind(isOf('toolCalled'), (frame) =>
      withParams(frame, (told) => ({ ...told, content: { ...contentOf(frame), type: 'toolCallRunning' } })),
    ),
  },
  {
    fault: 'reasons do not finish',
    caughtBy: ['reason-closed'],
    make: dropsOutput(isOf('reasonFinished')),
  },
  { fault: 'calls are not prepared', caughtBy: ['call-prepared'], make: dropsOutput(isOf('toolCallPrepare')) },
  {
    fault: 'calls are not run',
    caughtBy: ['call-run'],
    alsoCaughtBy: ['approval-asked'],
    make: dropsOutput(isOf('toolCallRun')),
  },
  {
    fault: 'calls do not end',
    caughtBy: ['call-ended'],
    alsoCaughtBy: ['approved-runs', 'approved-goes-on'],
    make: dropsOutput(isOf('toolCalled')),
  },
  {
    fault: 'calls end after their run',
    caughtBy: ['call-ended'],
    alsoCaughtBy: ['finished-last', 'approved-goes-on'],
    make: swaps(isOf('toolCalled'), isFinished),
  },
  { fault: 'calls end twice', caughtBy: ['call-ended-once'], make: behind(isOf('toolCalled'), (frame) => frame) },
  {
    fault: 'calls share an id',
    caughtBy: ['call-id-own'],
    alsoCaughtBy: [
      'call-arguments',
      'call-ended-once',
      'call-ended-stays',
      'call-name-kept',
      'call-ended',
      'call-prepared',
      'approved-runs',
      'reject-told',
    ],
    make: () => ({
      out: (frame) => [
        'origin' in contentOf(frame)
          ? { ...frame, params: { ...dictionaryOf(frame.params), content: { ...contentOf(frame), id: 'the-one' } } }
          : frame,
      ],
    }),
  },
  {
    fault: 'a call changes its name',
    caughtBy: ['call-name-kept'],
    make: content('toolCalled', having({ name: 'another' })),
  },
  {
    fault: 'a call is run with other arguments',
    caughtBy: ['call-arguments'],
    make: content('toolCallRun', having({ arguments: { nobody: 'wrote this' } })),
  },
  {
    fault: 'no call says that it waits',
    caughtBy: ['approval-asked'],
    make: () => goneBehind(isWaiting, content('toolCallRun', having({ manualApproval: false }))())(),
  },
  {
    fault: 'a call that waits runs all the same',
    caughtBy: ['approval-asked'],
    make: behind(isWaiting, (frame) => told(frame, 'assistant', { ...contentOf(frame), type: 'toolCallRunning' })),
  },
  {
    fault: 'approvals are not heard',
    caughtBy: ['approved-runs'],
    make: deafTo(
      (frame) =>
        isMethod('chat/toolCallApprove')(frame) && dictionaryOf(frame.params).toolCallId !== 'nobody-has-this-call',
    ),
  },
  {
    fault: 'the model says nothing to a result',
    caughtBy: ['approved-goes-on'],
    make: () => {
      const done = new Set<unknown>();
      return {
        out(frame) {
          const { chatId, role } = dictionaryOf(frame.params);
          const { type } = contentOf(frame);
          if (type === 'toolCalled') done.add(chatId);
          return isContent(frame) && type === 'text' && role === 'assistant' && done.has(chatId) ? [] : [frame];
        },
      };
    },
  },
  {
    fault: 'nothing is told of a rejection',
    caughtBy: ['reject-told'],
    alsoCaughtBy: ['call-ended'],
    make: silentAt(isOf('toolCallRejected')),
  },
  {
    fault: 'what was rejected runs',
    caughtBy: ['rejected-not-run'],
    alsoCaughtBy: ['reject-told', 'approval-asked'],
    make: goneBehind(isFinished, {
      in: (frame) => [frame.method === 'chat/toolCallReject' ? { ...frame, method: 'chat/toolCallApprove' } : frame],
    }),
  },
  {
    fault: 'an approval is for any call',
    caughtBy: ['unknown-call-ignored'],
    alsoCaughtBy: ['approval-asked', 'approved-runs'],
    make: alone(() => {
      const waiting = new Map<unknown, unknown>();
      return {
        out(frame, link) {
          if (isFinished(frame)) queueMicrotask(() => link.close());
          if (isWaiting(frame)) waiting.set(contentOf(frame).id, dictionaryOf(frame.params).chatId);
          return [frame];
        },
        in(frame) {
          const own = dictionaryOf(frame.params);
          if (frame.method !== 'chat/toolCallReject') return [frame];
          return [{ ...frame, params: { ...own, chatId: waiting.get(own.toolCallId) ?? own.chatId } }];
        },
      };
    }),
  },
  {
    fault: 'the status stays at running',
    caughtBy: ['status-before-finished'],
    make: dropsOutput(
      (frame) => isMethod('chat/statusChanged')(frame) && dictionaryOf(frame.params).status !== 'running',
    ),
  },
];
