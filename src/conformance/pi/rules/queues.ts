// Rules on steer, follow_up, the modes of their queues, and abort (docs/protocols/pi.md 10).
import type { Finding } from '../../check/rule.ts';
import type { Answer, Command } from '../view/lines.ts';
import { type QueuedMessage, queuedMessages } from '../view/queued-messages.ts';
import { answerOf, type PiRows, type PiView, runAt, succeeded } from '../view/view.ts';
import type { Run } from '../view/walk.ts';

/**
 * Whether the message had to be delivered in its run: it was accepted before the model ended its last message there,
 * and that message did not fail.
 */
function wasInTime({ run, answer }: QueuedMessage): boolean {
  const last = run.messages.findLast(({ role }) => role === 'assistant');
  return run.end !== null && last !== undefined && last.frame > answer.frame && last.message.stopReason === 'stop';
}

function* delivered(view: PiView, kind: QueuedMessage['kind']): Generator<Finding> {
  for (const joined of queuedMessages(view).filter((one) => one.kind === kind)) {
    const { resultingMessage, run, command } = joined;
    const isInRun = resultingMessage !== undefined && (run.end === null || resultingMessage.frame < run.end);
    if (isInRun) yield { frame: resultingMessage.frame, wrong: null };
    else if (wasInTime(joined))
      yield { frame: command.frame, wrong: 'the run ends without a message of the user with it' };
  }
}

/** Rules on messages that join a run. */
export const joinRows: PiRows = {
  'steer-delivered': {
    reads: 'both',
    section: 'steer',
    sentence: 'A steering message is delivered in the run that it was meant for.',
    covers: ['command:steer', 'command:prompt'],
    scenarios: ['busy', 'queues all', 'queues one-at-a-time'],
    judge: (view) => delivered(view, 'steer'),
  },
  'follow-up-delivered': {
    reads: 'both',
    section: 'follow_up',
    sentence: 'A follow-up message is delivered when the agent has finished, before agent_end.',
    covers: ['command:follow_up', 'command:prompt'],
    scenarios: ['busy', 'queues all', 'queues one-at-a-time'],
    judge: (view) => delivered(view, 'followUp'),
  },
  'follow-up-waits': {
    reads: 'both',
    section: 'follow_up',
    sentence: 'A follow-up is delivered only when the model has no more tool calls.',
    covers: ['command:follow_up'],
    scenarios: ['busy'],
    *judge(view) {
      for (const { resultingMessage, run, kind } of queuedMessages(view)) {
        if (kind !== 'followUp' || resultingMessage === undefined) continue;
        const last = run.messages.findLast(({ role, frame }) => role === 'assistant' && frame < resultingMessage.frame);
        if (last === undefined) continue;
        const wrong =
          last.message.stopReason === 'toolUse' ? 'the model still waits for the results of its calls' : null;
        yield { frame: resultingMessage.frame, wrong };
      }
    },
  },
  'steer-before-follow-up': {
    reads: 'both',
    section: 'Streaming Behavior',
    sentence: 'A follow-up is delivered only when no steering message waits.',
    covers: ['command:steer', 'command:follow_up'],
    scenarios: ['busy'],
    *judge(view) {
      const all = queuedMessages(view);
      for (const { resultingMessage, run, kind } of all) {
        if (kind !== 'followUp' || resultingMessage === undefined) continue;
        const last = run.messages.findLast(({ role, frame }) => role === 'assistant' && frame < resultingMessage.frame);
        const steering = all.filter((one) => one.kind === 'steer' && one.run === run);
        // Messages that were accepted while an earlier message streamed, and still waited at the end of that message.
        const waiting = steering.filter(({ answer }) => last !== undefined && answer.frame < last.frame);
        if (waiting.length === 0) continue;
        const late = waiting.find(
          (one) => one.resultingMessage !== undefined && one.resultingMessage.frame > resultingMessage.frame,
        );
        yield {
          frame: resultingMessage.frame,
          wrong: late === undefined ? null : `"${late.text.slice(0, 40)}" waits still`,
        };
      }
    },
  },
  'steering-mode-obeyed': {
    reads: 'both',
    section: 'set_steering_mode',
    sentence:
      'Steering messages that wait are delivered at once in the mode `all`, and one for each turn in `one-at-a-time`.',
    covers: ['command:set_steering_mode'],
    scenarios: ['queues all', 'queues one-at-a-time'],
    judge: (view) => together(view, 'steer', 'set_steering_mode'),
  },
  'follow-up-mode-obeyed': {
    reads: 'both',
    section: 'set_follow_up_mode',
    sentence: 'Follow-ups that wait are delivered at once in the mode `all`, and one for each turn in `one-at-a-time`.',
    covers: ['command:set_follow_up_mode'],
    scenarios: ['queues all', 'queues one-at-a-time'],
    judge: (view) => together(view, 'followUp', 'set_follow_up_mode'),
  },
};

/** Two messages that wait at the same time; an answer of the model between them tells the mode. */
function* together(view: PiView, kind: QueuedMessage['kind'], command: string): Generator<Finding> {
  const modes = [...succeeded(view, command)];
  const all = queuedMessages(view).filter((one) => one.kind === kind);
  for (const [index, first] of all.entries()) {
    const second = all[index + 1];
    if (second === undefined || second.run !== first.run) continue;
    const one = first.resultingMessage?.frame;
    const other = second.resultingMessage?.frame;
    if (one === undefined || other === undefined || second.answer.frame > one) continue;
    const mode = modes.findLast(({ answer }) => answer.frame < first.command.frame)?.command.json?.mode;
    if (mode !== 'all' && mode !== 'one-at-a-time') continue;
    // The mode may have changed in between.
    if (modes.some(({ command }) => command.frame > first.command.frame && command.frame < other)) continue;
    const isApart = view.endedMessages.some(({ frame, role }) => role === 'assistant' && frame > one && frame < other);
    const isSame = isApart === (mode === 'one-at-a-time');
    yield { frame: other, wrong: isSame ? null : `delivered ${isApart ? 'apart' : 'together'} in the mode ${mode}` };
  }
}

/** Rules on abort. */
export const abortRows: PiRows = {
  'abort-succeeds': {
    reads: 'both',
    section: 'abort',
    sentence: 'abort succeeds.',
    covers: ['command:abort'],
    scenarios: ['abort'],
    *judge({ commands }) {
      for (const one of commands) {
        const answer = answerOf(one);
        if (one.type !== 'abort' || answer === undefined) continue;
        yield { frame: answer.frame, wrong: answer.isSuccess ? null : `it fails: ${String(answer.json.error)}` };
      }
    },
  },
  'abort-waits': {
    reads: 'both',
    section: 'abort',
    sentence: 'abort is answered when the agent is idle: behind the agent_end of the run.',
    covers: ['command:abort', 'event:agent_end'],
    scenarios: ['abort'],
    *judge(view) {
      for (const { answer, run } of aborted(view)) {
        const isBehind = run.over !== null && run.over < answer.frame;
        yield { frame: answer.frame, wrong: isBehind ? null : 'the run goes on' };
      }
    },
  },
  'abort-stops': {
    isMeasured: true,
    reads: 'both',
    section: 'abort',
    sentence: 'The last message of a run that was aborted says so: it stopped as aborted (0.87: as an error).',
    covers: ['command:abort', 'event:message_end'],
    scenarios: ['abort'],
    *judge(view) {
      for (const { asked, run } of aborted(view)) {
        if (run.end === null) continue;
        const last = run.messages.findLast(({ role }) => role === 'assistant');
        const hasFailed = last !== undefined && ['aborted', 'error'].includes(String(last.message.stopReason));
        // The run may have ended by itself at the same moment; only in our own scenarios it cannot.
        const mayHaveEnded = last === undefined || !view.isComplete || last.frame < asked.frame;
        if (hasFailed) yield { frame: last.frame, wrong: null };
        else if (!mayHaveEnded)
          yield { frame: last.frame, wrong: `it stopped as ${String(last.message.stopReason)} behind the abort` };
      }
    },
  },
};

/** Successful aborts of a run. */
function* aborted(view: PiView): Generator<{ asked: Command; answer: Answer; run: Run }> {
  for (const { command: asked, answer } of succeeded(view, 'abort')) {
    const run = runAt(view, asked.frame);
    // pi loses an abort that comes before the run has begun (docs/protocols/pi.md 10.6).
    if (run !== undefined) yield { asked, answer, run };
  }
}
