// What the clients of each dialect are told of a session that is kept, frame by frame with its cursor.
import { adapters } from '../../../src/adapters/index.ts';
import type { Entry, FrameEntry } from '../../../src/core/contract/reader.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { stillEnv } from '../decoding.ts';
import { textOf } from '../telling.ts';
import { burstOf } from './bursts.ts';
import type { Dialects, KeptRig } from './kept-session.ts';

/** Dialects of clients. */
export const clients: readonly (readonly [name: string, adapter: string, options: Readonly<Record<string, string>>])[] =
  [
    ['claude', 'claude', {}],
    ['rpc-message', 'rpc-message', {}],
    ['pi growing', 'pi', { dialect: 'growing' }],
    ['pi delta-only', 'pi', { dialect: 'delta-only' }],
    ['pi-legacy', 'pi-legacy', {}],
    ['pi-server', 'pi-server', {}],
    ['eca', 'eca', {}],
  ];

/** How they are projected. */
export const dialects: Dialects = Object.fromEntries(
  clients.map(([name, adapter, options]) => {
    const side = adapters.get(adapter)?.client?.frontend(stillEnv(), options);
    if (side === undefined) throw new Error(`${adapter} has no client side`);
    return [name, (view) => side.projection(view)];
  }),
);

/** A frame. */
export interface Said {
  readonly text: string;
  readonly cursor: string;
  readonly at: number | null;
}

/** Whether the entry is a frame. */
export const isFrame = (entry: Entry): entry is FrameEntry => entry.kind === 'frame';

/** The frames among the entries. */
export function saidIn(entries: readonly Entry[]): Said[] {
  return entries.filter(isFrame).map(({ out, cursor, at }) => ({ text: textOf(out), cursor: cursor ?? '', at }));
}

/** Deltas of the main thread that follow one another come as one burst. */
export function speak(rig: KeptRig, events: readonly Event[]): void {
  let deltas: string[] = [];
  let isContinued = false;
  for (const [at, event] of events.entries()) {
    const next = events[at + 1];
    const isDelta = event.type === 'block-delta' && event.parent === undefined && event.extra === undefined;
    // Only what continues the latest delta can be a burst.
    if (!isDelta || !isContinued) rig.say(event);
    else deltas.push(event.delta);
    isContinued = isDelta;
    if (deltas.length === 0 || (next?.type === 'block-delta' && next.parent === undefined)) continue;
    rig.burst(burstOf(deltas, event.type === 'block-delta' ? event.index : 0));
    deltas = [];
  }
}
