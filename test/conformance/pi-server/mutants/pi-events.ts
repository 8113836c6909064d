// Broken pi-servers whose session events are not those of pi (docs/protocols/pi-server.md 19).
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, without } from '../../../../src/core/model/dictionary.ts';
import { changesOutput, dropsOutput, eventOf, type Mutant, withEvent } from './mutant.ts';
import { isEvent } from './rule-changes.ts';

const updateOf = (frame: Dictionary): Dictionary => dictionaryOf(eventOf(frame).assistantMessageEvent);
const isUpdate = (kind: RegExp) => (frame: Dictionary) => kind.test(String(updateOf(frame).type));
/** Changes the events of this type. */
const changes = (type: string, change: (event: Dictionary) => Dictionary) =>
  changesOutput((frame) => (isEvent(frame, type) ? { ...frame, event: change(eventOf(frame)) } : frame));

export const piEventMutants: readonly Mutant[] = [
  ...['agent_start', 'turn_start'].map(
    (type): Mutant => ({
      fault: `there is no ${type}`,
      caughtBy: ['event-brackets'],
      alsoCaughtBy: ['run-order', 'event-repeats'],
      make: dropsOutput((frame) => isEvent(frame, type)),
    }),
  ),
  {
    fault: 'turns end without the results of their tools',
    caughtBy: ['event-repeats'],
    make: changes('turn_end', (event) => ({ ...event, toolResults: [] })),
  },
  {
    fault: 'messages start without a message',
    caughtBy: ['event-messages'],
    alsoCaughtBy: ['event-blocks'],
    make: changes('message_start', (event) => without(event, 'message')),
  },
  {
    fault: 'messages stop in the words of the model',
    caughtBy: ['event-messages'],
    alsoCaughtBy: ['event-repeats'],
    make: changes('message_end', (event) => {
      const message = dictionaryOf(event.message);
      return message.stopReason === 'stop' ? { ...event, message: { ...message, stopReason: 'end_turn' } } : event;
    }),
  },
  {
    fault: 'texts do not end',
    caughtBy: ['event-blocks'],
    make: dropsOutput(isUpdate(/^text_end$/u)),
  },
  {
    fault: 'calls are not told as they grow',
    caughtBy: ['event-blocks'],
    make: dropsOutput(isUpdate(/^toolcall_/u)),
  },
  ...['text', 'toolcall'].map(
    (kind): Mutant => ({
      fault: `there is no delta of ${kind}`,
      caughtBy: ['event-deltas'],
      make: dropsOutput((frame) => updateOf(frame).type === `${kind}_delta`),
    }),
  ),
  {
    fault: 'updates repeat messages without their usage',
    caughtBy: ['event-blocks'],
    make: changes('message_update', (event) => ({ ...event, message: without(dictionaryOf(event.message), 'usage') })),
  },
  {
    fault: 'updates repeat two things',
    caughtBy: ['event-deltas'],
    make: changes('message_update', (event) => ({
      ...event,
      message: { ...dictionaryOf(event.message), content: [] },
    })),
  },
  {
    fault: 'compactions end with an empty result',
    caughtBy: ['event-compactions'],
    make: changes('auto_compaction_end', (event) => ({ ...event, result: {} })),
  },
  {
    fault: 'nobody knows how long a retry waits',
    caughtBy: ['event-retries'],
    make: changes('auto_retry_start', (event) => without(event, 'delayMs')),
  },
  {
    fault: 'tools end without a result',
    caughtBy: ['event-tools'],
    make: changes('tool_execution_end', (event) => without(event, 'result')),
  },
  {
    fault: 'tools start without arguments',
    caughtBy: ['event-tools'],
    make: changesOutput((frame) =>
      isEvent(frame, 'tool_execution_start') ? withEvent(frame, { args: undefined }) : frame,
    ),
  },
];
