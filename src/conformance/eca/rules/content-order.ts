// Rules on the order of reasoning and status contents in a chat. docs/protocols/eca.md 8.3, 2 and 4.

import { shown } from '../../check/shape.ts';
import { type ReasonStep, reasonSteps } from '../view/reasons.ts';
import { isFinished, isOver } from '../view/turns.ts';
import { type Chat, type EcaRows, type EcaView, turnAt } from '../view/view.ts';

const received = 'Chat Content Received';

/** Whether nobody has interfered with the turn, as far as the trace shows. */
const isCleanAt = (chat: Chat, frame: number): boolean => turnAt(chat, frame)?.isClean === true;

/**
 * Whether the trace shows all that could have opened a block before this frame: the beginning of the conversation or of
 * the turn, and no turn that overlaps.
 */
function isKnownAt({ initialize }: EcaView, chat: Chat, frame: number): boolean {
  const turn = turnAt(chat, frame);
  return turn === undefined ? initialize !== null : !turn.isTangled;
}

/** The reasons of all chats whose beginning the trace has, without those of the replayed history. */
function* reasonsOf(view: EcaView): Generator<ReasonStep> {
  for (const chat of view.chats.values()) {
    const events = chat.events.filter((event) => event.is !== 'content' || !event.isHistory);
    for (const step of reasonSteps(events, ({ is }) => is === 'prompt'))
      if (isKnownAt(view, chat, step.frame)) yield step;
  }
}

/** Rules on reasoning and status. */
export const orderRows: EcaRows = {
  'reason-open': {
    section: received,
    sentence: 'Texts and ends of reasons name a reason that has started, and has not finished.',
    covers: ['content:reasonStarted', 'content:reasonText', 'content:reasonFinished'],
    scenarios: ['think'],
    reads: 'both',
    *judge(view) {
      for (const { frame, type, content, was } of reasonsOf(view))
        if (type !== 'reasonStarted')
          yield { frame, wrong: was === 'open' ? null : `${shown(type)} of ${shown(content.id)}, which is not open` };
    },
  },
  'reason-once': {
    section: received,
    isMeasured: true,
    sentence: 'A reason starts once: its id is not that of another reason that is open.',
    covers: ['content:reasonStarted'],
    scenarios: ['think'],
    reads: 'both',
    *judge(view) {
      for (const { frame, type, content, was } of reasonsOf(view))
        if (type === 'reasonStarted')
          yield { frame, wrong: was === 'open' ? `${shown(content.id)} starts again before it has finished` : null };
    },
  },
  'reason-closed': {
    section: received,
    level: 'SHOULD',
    sentence: 'A reason that has started is finished before its run is.',
    covers: ['content:reasonStarted', 'content:reasonFinished'],
    scenarios: ['think'],
    reads: 'both',
    *judge(view) {
      for (const chat of view.chats.values()) {
        for (const turn of chat.turns) {
          const last = turn.finished.at(-1);
          // When the model fails, its reasoning block stays open.
          if (!turn.isClean || turn.hasWords || last === undefined || !isOver(view, turn)) continue;
          const ends = new Set(
            turn.contents.filter(({ type }) => type === 'reasonFinished').map((one) => one.content.id),
          );
          for (const { frame, type, content } of turn.contents) {
            if (type !== 'reasonStarted') continue;
            yield { frame, wrong: ends.has(content.id) ? null : `reason ${shown(content.id)} is not finished` };
          }
        }
      }
    },
  },
  'status-before-finished': {
    section: received,
    isMeasured: true,
    sentence: 'A chat whose status is told is no longer running when its run is finished.',
    covers: ['notification:chat/statusChanged', 'content:progress'],
    scenarios: ['text', 'stop'],
    reads: 'both',
    *judge(view) {
      for (const chat of view.chats.values()) {
        let status: unknown;
        for (const event of chat.events) {
          if (event.is === 'status') status = event.status;
          if (status === undefined || !isFinished(event) || !isCleanAt(chat, event.frame)) continue;
          yield { frame: event.frame, wrong: status === 'running' ? 'its status is still running' : null };
        }
      }
    },
  },
};
