// Rules on the reported state of a session: settings, messages, statistics (docs/protocols/pi.md 5.3, 5.4).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { conversationRoles, countOf, doneOf, messagesOf, unchangedBetween } from '../view/session-answers.ts';
import { dataOf, type PiRows, type PiView, runAt, textOf } from '../view/view.ts';

/** Rules on state, messages and statistics. */
export const sessionDataRows: PiRows = {
  'streaming-told': {
    reads: 'both',
    section: 'get_state',
    sentence: 'isStreaming is true during a run.',
    covers: ['command:get_state'],
    scenarios: ['busy'],
    *judge(view) {
      for (const {
        command: { frame, type },
        answer,
      } of view.commands.flatMap(doneOf)) {
        const run = type === 'get_state' ? runAt(view, frame) : undefined;
        if (run === undefined || run !== runAt(view, answer.frame)) continue;
        yield { frame: answer.frame, wrong: dataOf(answer).isStreaming === true ? null : 'a run is going on' };
      }
    },
  },
  'idle-told': {
    reads: 'both',
    section: 'get_state',
    sentence: 'isStreaming is false before the first prompt, and after a run that went well.',
    covers: ['command:get_state'],
    scenarios: ['text', 'state'],
    *judge(view) {
      for (const {
        command: { frame, type },
        answer,
      } of view.commands.flatMap(doneOf)) {
        if (type !== 'get_state' || !isSurelyIdle(view, frame, answer.frame)) continue;
        yield { frame: answer.frame, wrong: dataOf(answer).isStreaming === false ? null : 'no run is going on' };
      }
    },
  },
  'message-count': {
    reads: 'both',
    section: 'get_state',
    sentence: 'messageCount is the number of messages that get_messages tells.',
    covers: ['command:get_state', 'command:get_messages'],
    scenarios: ['text'],
    *judge(view) {
      for (const { before, after } of unchangedBetween(view, 'get_messages', 'get_state')) {
        const count = messagesOf(before).length;
        const reported = dataOf(after.answer).messageCount;
        yield {
          frame: after.answer.frame,
          wrong: reported === count ? null : `${String(reported)}, and there are ${count}`,
        };
      }
    },
  },
  'messages-said': {
    reads: 'both',
    section: 'get_messages',
    sentence:
      'get_messages tells what was said in the session: each message of the user, the model and the tools, in order.',
    covers: ['command:get_messages', 'event:message_end'],
    scenarios: ['text', 'tool'],
    *judge(view) {
      for (const done of view.commands.flatMap(doneOf)) {
        const { frame } = done.answer;
        if (done.command.type !== 'get_messages' || runAt(view, frame) !== undefined) continue;
        if (runAt(view, done.command.frame) !== undefined) continue;
        const from = sessionStart(view, frame);
        if (from === null) continue;
        // A failed message is removed for a retry, and an aborted one may be.
        const expected = view.endedMessages.filter(
          (one) => one.frame > from && one.frame < frame && isKept(one.message),
        );
        if (expected.length === 0) continue;
        const reported = messagesOf(done);
        let at = 0;
        for (const message of reported) if (isAlike(expected[at]?.message, message)) at += 1;
        const missing = expected[at];
        yield { frame, wrong: missing === undefined ? null : `message ${at} of ${expected.length} is missing` };
      }
    },
  },
  'last-text': {
    reads: 'both',
    section: 'get_last_assistant_text',
    sentence: 'get_last_assistant_text tells the text of the last message of the model.',
    covers: ['command:get_last_assistant_text'],
    scenarios: ['text'],
    *judge(view) {
      for (const { before, after } of unchangedBetween(view, 'get_messages', 'get_last_assistant_text')) {
        const last = messagesOf(before).findLast(({ role }) => role === 'assistant');
        if (last === undefined || last.stopReason !== 'stop' || textOf(last).trim() === '') continue;
        const { text } = dataOf(after.answer);
        const isSame = typeof text === 'string' && text.trim() === textOf(last).trim();
        yield { frame: after.answer.frame, wrong: isSame ? null : 'that is not the text of the last message' };
      }
    },
  },
  'stats-counts': {
    isMeasured: true,
    reads: 'both',
    section: 'get_session_stats',
    sentence: 'get_session_stats counts the messages that get_messages tells.',
    covers: ['command:get_session_stats'],
    scenarios: ['text', 'tool'],
    *judge(view) {
      for (const { before, after } of unchangedBetween(view, 'get_messages', 'get_session_stats')) {
        const messages = messagesOf(before);
        // Compacted messages may or may not be counted.
        if (messages.some(({ role }) => role === 'compactionSummary' || role === 'branchSummary')) continue;
        // A failed message that pi removes for a retry may or may not be counted either.
        if (view.endedMessages.some(({ message }) => message.stopReason === 'error')) continue;
        const { userMessages, assistantMessages, toolResults } = dataOf(after.answer);
        const wrong = [
          ['user', userMessages],
          ['assistant', assistantMessages],
          ['toolResult', toolResults],
        ].find(([role, count]) => countOf(messages, String(role)) !== count);
        yield {
          frame: after.answer.frame,
          wrong: wrong === undefined ? null : `${String(wrong[1])} of ${String(wrong[0])}`,
        };
      }
    },
  },
  'stats-total': {
    isMeasured: true,
    reads: 'both',
    section: 'get_session_stats',
    sentence: 'Of the tokens in get_session_stats the total is the sum.',
    covers: ['command:get_session_stats'],
    scenarios: ['text', 'tool'],
    *judge(view) {
      for (const {
        command: { type },
        answer,
      } of view.commands.flatMap(doneOf)) {
        const { input, output, cacheRead, cacheWrite, total } = dictionaryOf(dataOf(answer).tokens);
        const sum = Number(input) + Number(output) + Number(cacheRead) + Number(cacheWrite);
        if (type !== 'get_session_stats' || typeof total !== 'number' || Number.isNaN(sum)) continue;
        yield { frame: answer.frame, wrong: total === sum ? null : `the total is ${total}, the sum ${sum}` };
      }
    },
  },
};

/** No run is open or about to begin: a retry may follow a failed run, and a compaction any run. */
function isSurelyIdle(view: PiView, from: number, to: number): boolean {
  if (view.runs.some(({ start, over }) => start < to && (over === null || over > from))) return false;
  if (
    view.commands.some(
      ({ frame, type, answers }) => type === 'prompt' && frame < to && (answers[0]?.frame ?? to) > from,
    )
  )
    return false;
  const last = view.runs.findLast(({ over }) => over !== null && over < from);
  const next = view.lines.find(({ frame, type }) => frame > to && type !== 'response');
  if (next?.type === 'agent_start' && !view.commands.some(({ frame }) => frame > to && frame < next.frame))
    return false;
  if (last === undefined) {
    const { firstEvent, prompted } = view.start;
    // A trace that begins late may lack the start of a run.
    const isPromptedHere = Number.isFinite(firstEvent) ? prompted > to && prompted < firstEvent : view.isComplete;
    return isPromptedHere && view.commands.every(({ type, frame }) => type !== 'prompt' || frame > to);
  }
  const stop = last.messages.findLast(({ role }) => role === 'assistant')?.message.stopReason;
  if (stop !== 'stop' || last.end === null) return false;
  const end = last.end;
  const doesSettle = view.of('agent_settled').length > 0;
  const hasSettled = view.of('agent_settled').some(({ frame }) => frame > end && frame < from);
  const since = view.lines.some(
    ({ frame, type }) => frame > end && frame < to && type !== 'response' && type !== 'agent_settled',
  );
  return (!doesSettle || hasSettled) && !since;
}

/** Frame at which the current session began; null if that is unknown, or where the agent reports less than was said. */
function sessionStart(view: PiView, frame: number): number | null {
  const changing = new Set(['new_session', 'switch_session', 'fork', 'compact']);
  const last = view.commands.flatMap(doneOf).findLast(({ command: { type }, answer }) => {
    return changing.has(type ?? '') && answer.frame < frame;
  });
  if (last !== undefined && last.command.type !== 'new_session') return null;
  const start = last?.answer.frame ?? -1;
  const ends = view.of('auto_compaction_end', 'compaction_end');
  return ends.some((line) => line.frame > start && line.frame < frame) ? null : start;
}

/** Whether the message certainly stays in the session. */
function isKept({ role, stopReason }: Dictionary): boolean {
  return role === 'assistant' ? stopReason === 'stop' || stopReason === 'toolUse' : conversationRoles.has(role);
}

function isAlike(one: Dictionary | undefined, other: Dictionary): boolean {
  return (
    one !== undefined && one.role === other.role && one.toolCallId === other.toolCallId && textOf(one) === textOf(other)
  );
}
