// What a row of the grid says in one line.
import type { WireRow } from '../../core/contract/gateway/wire-rows.ts';
import type { Event } from '../../core/model/event.ts';
import type { EventLog, Row } from '../state/event-log.ts';
import { bytes, duration, visible } from '../state/format.ts';

/** Longest text of a cell. */
const most = 160;

/** Deltas of a folded row whose frames are shown. */
export const mostListed = 50;

/** What the gateway told of the events of a row, of many of the first ones. */
export function wiresOf(log: EventLog, row: Row): readonly WireRow[] {
  if (row.is === 'wire') return [row.wire];
  const places = Array.from({ length: Math.min(row.count, mostListed) }, (_, index) => row.first + index);
  return places.flatMap((place) => log.wireOf(log.at(place).seq) ?? []);
}

/** The canonical event, or the command, of a row. */
export function canonicalText(log: EventLog, row: Row): string {
  if (row.is === 'wire') {
    const { command } = row.wire;
    return command === undefined
      ? '–'
      : `← ${command.command.type}${command.client === '' ? '' : ` of ${command.client}`}`;
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

/** The fields that say most stand first; ids are short, and objects are their names. */
const first = [
  'role',
  'kind',
  'name',
  'outcome',
  'state',
  'status',
  'level',
  'block',
  'delta',
  'text',
  'message',
  'title',
  'input',
  'content',
  'changes',
];

/** The part of an event that tells it from others of its type. */
function gist(event: Event): string {
  const { type: _, extra: __, synthetic: ___, ...rest } = event as Event & { extra?: unknown };
  const entries = Object.entries(rest).sort(([a], [b]) => placeOf(a) - placeOf(b));
  return visible(
    entries
      .map(([name, value]) => said(name, value))
      .join(' ')
      .slice(0, most),
  );
}

function placeOf(name: string): number {
  const place = first.indexOf(name);
  return place < 0 ? first.length : place;
}

function said(name: string, value: unknown): string {
  if (/^(?:id|call|parent)$/u.test(name)) return `#${String(value).slice(0, 8)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${name} ${value}`;
  if (typeof value === 'string')
    return /^(?:text|delta|message|title)$/u.test(name) ? JSON.stringify(value.slice(0, most)) : value.slice(0, most);
  if (name === 'block') return (value as { kind?: string }).kind ?? '';
  if (name === 'content') return textIn(value);
  if (name === 'input' || name === 'stop') return JSON.stringify(value)?.slice(0, most) ?? '';
  if (name === 'changes') return Object.keys(value ?? {}).join(' ');
  return name;
}

/** The first text of a message or result. */
function textIn(content: unknown): string {
  const texts = (Array.isArray(content) ? content : []) as readonly {
    readonly type?: string;
    readonly text?: string;
  }[];
  const [head] = texts;
  return head?.text === undefined
    ? `${texts.length} × ${head?.type ?? 'content'}`
    : JSON.stringify(head.text.slice(0, most));
}

const names = /"(?:type|subtype|method)":"([^"]{1,40})"/gu;

/** What a frame is called, by the names at its beginning. */
export function kindOf(frame: string): string {
  const called = [...visible(frame.slice(0, most)).matchAll(names)].slice(0, 2);
  return called.map(([, name]) => name).join(' › ');
}

/** Frames as one line: how many, what they are called, how the first begins. */
export function framesText(frames: readonly { readonly text: string }[] | undefined): string {
  if (frames === undefined) return '';
  const [head] = frames;
  if (head === undefined) return '–';
  return [frames.length === 1 ? '' : `${frames.length}×`, kindOf(head.text), visible(head.text.slice(0, most))]
    .filter((part) => part !== '')
    .join(' ');
}
