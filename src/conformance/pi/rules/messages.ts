// Rules on messages that are no shape: why one stopped, and where an update stands (docs/protocols/pi.md 1.6, 8).
import { isDictionary } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import type { PiRows } from '../view/view.ts';
import { callsOf } from '../view/walk.ts';

const of = { section: 'Event Stream', isMeasured: true } as const;

/** Rules on messages and their updates. */
export const messageRows: PiRows = {
  'stop-for-tools': {
    ...of,
    sentence: 'A message of the model that stopped for tools has a call, and one that just stopped has none.',
    covers: ['event:message_end'],
    scenarios: ['text', 'tool'],
    judge: (view) =>
      each(
        view.allMessages.filter(
          ({ place, message: { role, stopReason } }) =>
            place !== 'message_start' && role === 'assistant' && (stopReason === 'toolUse' || stopReason === 'stop'),
        ),
        ({ message }) => {
          const calls = callsOf(message).length;
          if (message.stopReason === 'stop') return calls === 0 ? null : 'it stopped, and has calls';
          return calls > 0 ? null : 'it stopped for tools, and has no call';
        },
      ),
  },
  'update-event': {
    ...of,
    sentence: 'message_update has an assistantMessageEvent with a type, and of a block its contentIndex.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tool'],
    judge: (view) =>
      each(view.of('message_update'), ({ json: { assistantMessageEvent: event } }) => {
        if (!isDictionary(event) || typeof event.type !== 'string') return 'assistantMessageEvent must have a type';
        if (!/^(?:text|thinking|toolcall)_(?:start|delta|end)$/u.test(event.type)) return null;
        const isIndex = Number.isInteger(event.contentIndex) && Number(event.contentIndex) >= 0;
        return isIndex ? null : 'contentIndex must be a number from 0 on';
      }),
  },
};
