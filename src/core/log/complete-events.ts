// Completes events before they are logged, so that the log is sufficient by itself: gives calls unique ids and fills in
// arguments that were only streamed.
import { dictionaryIn } from '../model/dictionary.ts';
import type { Event, EventOf } from '../model/event.ts';
import { laneOf, type Transcript } from '../model/transcript.ts';

/** Completes events in log order. Calls `note` for each id that was already taken. */
export function createCompletion(transcript: Transcript, note: (text: string) => void): (event: Event) => Event {
  /** Made with the first message: a session that is made again has messages of before by then. */
  let messages: Set<string> | null = null;
  /** The sequence number of the last event of each call, or of a sub-agent inside the call. */
  const lived = new Map<string, number>();
  /**
   * An answered call id may be used again on its lane, but not in a message that was open before the call ran, nor
   * while the message of the call is open. Otherwise a replay, which goes message by message, would change the order of
   * the two calls.
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
    // A sub-agent may send events before its call is announced. The id of that call is still free.
    if ('parent' in event && event.parent !== undefined && transcript.tools.has(event.parent)) live(event.parent);
    switch (event.type) {
      case 'message-start': {
        messages ??= messagesOf(transcript);
        const taken = messages;
        const id = free(event.id, (wanted) => taken.has(wanted), event.type);
        taken.add(id);
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

function messagesOf({ items, open }: Transcript): Set<string> {
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  return new Set([...messages, ...open.values()].map(({ start }) => start.id));
}

function withInput(transcript: Transcript, event: EventOf<'block-end'>): EventOf<'block-end'> {
  const block = transcript.open.get(laneOf(event))?.blocks.findLast((candidate) => candidate.index === event.index);
  if (event.input !== undefined || block?.head.kind !== 'tool-call') return event;
  const input = block.text === '' ? {} : dictionaryIn(block.text);
  return input === null ? { ...event, incomplete: true } : { ...event, input };
}
