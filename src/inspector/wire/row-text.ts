// What a row of the grid says in one line.
import type { Event } from '../../core/model/event.ts';
import type { EventLog, Row } from '../state/event-log.ts';
import { bytes, duration, visible } from '../state/format.ts';

/** Longest text of a cell. */
const most = 160;

/** The canonical event, or the command, of a row. */
export function canonicalText(log: EventLog, row: Row): string {
  if (row.is === 'wire') {
    const { command } = row.wire;
    return command === undefined
      ? '–'
      : `← ${(command.command as { type?: string }).type ?? 'command'} of ${command.client}`;
  }
  const { event, at } = log.at(row.first);
  if (event === undefined) return '';
  if (row.count === 1) return `${event.type} ${gist(event)}`.trim();
  let length = 0;
  for (let place = row.first; place < row.first + row.count; place += 1) {
    const each = log.at(place).event;
    if (each?.type === 'block-delta') length += each.delta.length;
  }
  const took = log.at(row.first + row.count - 1).at - at;
  const noun = event.type === 'block-delta' ? 'deltas' : 'updates';
  return `${row.count} ${noun}${length > 0 ? `, ${bytes(length)}` : ''}, ${duration(took)}`;
}

/** The part of an event that tells it from others of its type. */
function gist(event: Event): string {
  const { type: _, extra: __, ...rest } = event as Event & { extra?: unknown };
  const parts = Object.entries(rest).map(([name, value]) => {
    if (typeof value === 'string')
      return name === 'id' || name === 'call' ? `#${value}` : JSON.stringify(value.slice(0, most));
    if (typeof value === 'number' || typeof value === 'boolean') return `${name} ${value}`;
    return name === 'synthetic' ? 'made' : name;
  });
  return visible(parts.join(' ').slice(0, most));
}

/** Frames as one line. */
export function framesText(frames: readonly { readonly text: string }[] | undefined): string {
  if (frames === undefined) return '';
  const [first] = frames;
  if (first === undefined) return '–';
  const text = visible(first.text.slice(0, most));
  return frames.length === 1 ? text : `${frames.length}× ${text}`;
}
