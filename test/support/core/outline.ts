// Events as short words, so that a table can hold a sequence of them.
import type { Event } from '../../../src/core/model/event.ts';

/** One word for each event: `+` marks what the gateway made up, `lane/` a sub-agent's. */
export function outline(events: readonly Event[]): string[] {
  return events.map((event) => {
    const lane = 'parent' in event && event.parent !== undefined ? `${event.parent}/` : '';
    return `${event.synthetic === true ? '+' : ''}${lane}${[event.type, ...details(event)].join(' ')}`;
  });
}

function details(event: Event): (string | number)[] {
  switch (event.type) {
    case 'run-end':
      return [event.outcome];
    case 'message-start':
      return [event.id];
    case 'message-end':
      return [event.stop.reason];
    case 'block-start':
      return [event.index, event.block.kind];
    case 'block-delta':
      return [event.index, event.delta];
    case 'block-end':
      return [event.index, ...(event.incomplete === true ? ['cut'] : [])];
    case 'tool-start':
    case 'tool-update':
      return [event.call];
    case 'tool-end':
      return [event.call, ...(event.skipped === undefined ? [] : [event.skipped])];
    case 'approval-request':
      return [event.id, ...(event.standing === undefined ? [] : [event.standing])];
    case 'dialog-request':
      return [event.id];
    case 'approval-end':
    case 'dialog-end':
      return [event.id, event.outcome];
    case 'retry-start':
      return [event.attempt];
    case 'retry-end':
      return [event.attempt, String(event.success)];
    case 'compaction-end':
      return [event.outcome];
    case 'agent-changed':
      return [event.state];
    case 'notice':
      return [event.text];
    default:
      return [];
  }
}
