// What an event must say before it is logged, for those who read the log alone: a name that is its own, and arguments
// that only streamed. Knows no protocol and no order.
import { dictionaryIn } from '../model/dictionary.ts';
import type { Event, EventOf } from '../model/event.ts';
import { laneOf, type Transcript } from '../model/transcript.ts';

/** Completes events in the order in which they are logged; `note` hears of names that were taken. */
export function createCompletion(transcript: Transcript, note: (text: string) => void): (event: Event) => Event {
  const messages = new Set<string>();
  const isMessage = (id: string) => messages.has(id);
  /** The last event in the life of each call of the run, or of a sub-agent in it. */
  const lived = new Map<string, number>();
  /**
   * A call that was answered may come again on its lane, but not in a message that was open before it ran, nor while
   * the message that called it is open: told again, message by message, its two lives would come in another order.
   */
  const isCall = (lane: string) => (id: string) => {
    const call = transcript.tools.get(id);
    if (call !== undefined && (call.state !== 'done' || laneOf(call) !== lane)) return true;
    if ((lived.get(id) ?? 0) > (transcript.open.get(lane)?.seq ?? 0)) return true;
    return [...transcript.open.values()].some(({ blocks }) =>
      blocks.some(({ head }) => head.kind === 'tool-call' && head.id === id),
    );
  };

  function free(wanted: string, isTaken: (id: string) => boolean, type: string): string {
    if (!isTaken(wanted)) return wanted;
    let number = 2;
    while (isTaken(`${wanted}-${number}`)) number += 1;
    note(`${type}: its id is taken`);
    return `${wanted}-${number}`;
  }

  function live(call: string): void {
    lived.set(call, transcript.lastSeq + 1);
  }

  return (event) => {
    // A sub-agent may speak before its call is told; then that call is not taken.
    if ('parent' in event && event.parent !== undefined && transcript.tools.has(event.parent)) live(event.parent);
    switch (event.type) {
      case 'message-start': {
        const id = free(event.id, isMessage, event.type);
        messages.add(id);
        return id === event.id ? event : { ...event, id };
      }
      case 'block-start': {
        const { block } = event;
        if (block.kind !== 'tool-call') return event;
        const id = free(block.id, isCall(laneOf(event)), event.type);
        return id === block.id ? event : { ...event, block: { ...block, id } };
      }
      case 'block-end':
        return withInput(transcript, event);
      case 'tool-start':
      case 'tool-end':
        live(event.call);
        return event;
      case 'run-end':
        lived.clear();
        return event;
      default:
        return event;
    }
  };
}

function withInput(transcript: Transcript, event: EventOf<'block-end'>): EventOf<'block-end'> {
  const block = transcript.open.get(laneOf(event))?.blocks.findLast((candidate) => candidate.index === event.index);
  if (event.input !== undefined || block?.head.kind !== 'tool-call') return event;
  const input = block.text === '' ? {} : dictionaryIn(block.text);
  return input === null ? { ...event, incomplete: true } : { ...event, input };
}
