// Rules on tool calls that wait for approval. docs/protocols/eca.md 8.6, 4.3 to 4.6.
import type { Finding } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import type { EcaCall } from '../view/tool-calls.ts';
import { isFinished } from '../view/turns.ts';
import { allCalls, type Chat, type EcaRows, type EcaView, turnAt } from '../view/view.ts';

/** Calls that the client answers while they wait. */
function* answeredCalls(
  view: EcaView,
  which: 'approvals' | 'rejections',
): Generator<{ readonly chat: Chat; readonly call: EcaCall; readonly at: number }> {
  for (const { chat, call } of allCalls(view)) {
    const [at] = call[which];
    const [other] = call[which === 'approvals' ? 'rejections' : 'approvals'];
    if (at === undefined || call.waits === null || at < call.waits || (other !== undefined && other < at)) continue;
    if (call.ends !== null && call.ends < at) continue;
    yield { chat, call, at };
  }
}

/** Rules on approvals. */
export const approvalRows: EcaRows = {
  'approval-asked': {
    section: 'Chat approve tool call',
    sentence:
      'A call that needs approval says so when it is run, and waits: it is not running and not done before the client has answered for it.',
    covers: ['notification:chat/toolCallApprove', 'content:toolCallRun'],
    scenarios: ['approve', 'reject'],
    reads: 'both',
    *judge(view) {
      for (const { call } of allCalls(view)) {
        if (call.waits === null) continue;
        const { waits } = call;
        // Approvals from elsewhere (the remote server of newer versions, trusted tools) are not on this wire, so a call
        // that this client never answers is not judged.
        const approved = Math.min(...call.approvals, ...call.rejections.filter((frame) => frame > waits));
        if (approved === Number.POSITIVE_INFINITY) continue;
        const done = [...call.runnings, ...call.called.filter(({ content }) => content.error !== true)];
        const early = done.find(({ frame }) => frame > waits && frame < approved);
        const wrong = early && `${shown(early.type)} of ${shown(call.id)}, before the client has answered for it`;
        yield { frame: early?.frame ?? waits, wrong: wrong ?? null };
      }
    },
  },
  'approved-runs': {
    section: 'Chat approve tool call',
    sentence: 'A call that is approved is executed, and its result is told.',
    covers: ['notification:chat/toolCallApprove', 'content:toolCalled'],
    scenarios: ['approve'],
    reads: 'both',
    *judge(view) {
      for (const { chat, call, at } of answeredCalls(view, 'approvals')) {
        const isDone = call.called.some(({ frame }) => frame > at);
        const turn = turnAt(chat, at);
        const isOver = view.isComplete || (turn?.finished.some((frame) => frame > at) ?? false);
        if (isDone) yield { frame: at, wrong: null };
        else if (isOver && turn?.isClean === true) yield { frame: at, wrong: `${shown(call.id)} has no result` };
      }
    },
  },
  'approved-goes-on': {
    section: 'Chat approve tool call',
    level: 'SHOULD',
    sentence: 'After a call that was approved the model goes on.',
    covers: ['notification:chat/toolCallApprove'],
    scenarios: ['approve'],
    reads: 'both',
    *judge(view) {
      for (const { chat, call, at } of answeredCalls(view, 'approvals')) {
        const turn = turnAt(chat, at);
        const end = call.ends;
        if (end === null || turn?.isClean !== true || turn.hasWords) continue;
        const later = turn.contents.filter(({ frame }) => frame > end);
        const goesOn = later.some(({ role, type }) => role === 'assistant' && type === 'text');
        const isOver = later.some((one) => isFinished(one));
        if (goesOn || isOver) yield { frame: end, wrong: goesOn ? null : 'the model says nothing to the result' };
      }
    },
  },
  'reject-told': {
    section: 'Chat reject tool call',
    sentence: 'A call that is rejected is told as rejected.',
    covers: ['notification:chat/toolCallReject', 'content:toolCallRejected'],
    scenarios: ['reject'],
    reads: 'both',
    *judge(view) {
      for (const { chat, call, at } of answeredCalls(view, 'rejections')) {
        const turn = turnAt(chat, at);
        const isOver = view.isComplete || (turn?.finished.some((frame) => frame > at) ?? false);
        if (call.rejected.length > 0) yield { frame: at, wrong: null };
        else if (isOver && turn?.isClean === true)
          yield { frame: at, wrong: `nothing tells that ${shown(call.id)} is rejected` };
      }
    },
  },
  'rejected-not-run': {
    section: 'Chat reject tool call',
    sentence: 'A call that is rejected is not executed.',
    covers: ['notification:chat/toolCallReject'],
    scenarios: ['reject'],
    reads: 'both',
    *judge(view) {
      for (const { call, at } of answeredCalls(view, 'rejections')) {
        const ran = [...call.runnings, ...call.called.filter(({ content }) => content.error !== true)];
        const late = ran.find(({ frame }) => frame > at);
        yield {
          frame: late?.frame ?? at,
          wrong: late === undefined ? null : `${shown(call.id)} was rejected, and runs`,
        };
      }
    },
  },
  'unknown-call-ignored': {
    section: 'Chat approve tool call',
    isMeasured: true,
    sentence: 'Who approves or rejects a call that nobody has, or in a chat that is not its own, changes nothing.',
    covers: ['notification:chat/toolCallApprove', 'notification:chat/toolCallReject'],
    scenarios: ['approve'],
    reads: 'both',
    *judge(view): Generator<Finding> {
      const everyone = new Set([...allCalls(view)].map(({ call }) => call.id));
      for (const chat of view.chats.values()) {
        for (const event of chat.events) {
          if (event.is !== 'approve' && event.is !== 'reject') continue;
          const isOwn = chat.calls.some(({ id }) => id === event.call);
          if (isOwn) continue;
          const next = [...view.client.requests, ...view.client.notifications]
            .map(({ frame }) => frame)
            .filter((frame) => frame > event.frame)
            .toSorted((one, other) => one - other)[1];
          // No waiting call can proceed between this frame and the client's next message.
          const moved = [...allCalls(view)].flatMap(({ call }) => [...call.runnings, ...call.called, ...call.rejected]);
          const wrong = everyone.has(String(event.call))
            ? moved.find(
                ({ frame, content }) =>
                  content.id === event.call && frame > event.frame && frame < (next ?? view.count),
              )
            : undefined;
          yield {
            frame: wrong?.frame ?? event.frame,
            wrong: wrong === undefined ? null : `${shown(wrong.type)} comes of it`,
          };
        }
      }
    },
  },
};
