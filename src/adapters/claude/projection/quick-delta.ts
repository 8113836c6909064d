// The hot path of a projection: a delta of the open message gives one frame, of which only the text and the id are new.
// Says what the slow path would say. Knows no other event.
import type { Extra } from '../../../core/model/content.ts';
import type { Logged } from '../../../core/model/event.ts';
import { createDeltaTemplate, type DeltaTemplate } from './delta-template.ts';
import type { Ids } from '../frontend/envelope.ts';
import type { MessageEncoder } from './message.ts';
import type { WireFrame } from '../wire/client.ts';

/** What the hot path takes from its projection. */
export interface QuickPorts {
  readonly ids: Ids;
  /** Of the open message on the main thread. */
  encoder(): MessageEncoder | undefined;
  /** Whether its frames go out at once. */
  isLive(): boolean;
  /** The whole frame with that id; null when the dialect has none such. */
  frameOf(frame: WireFrame, id: string): WireFrame | null;
}

/** Where deltas go as long as nothing but deltas of one block comes. */
interface Route {
  readonly index: number;
  readonly extra: Extra | undefined;
  readonly encoder: MessageEncoder;
  readonly frame: DeltaTemplate;
}

/** The one frame of a delta; null for what must go the slow path. Must be asked about each event. */
export function createQuickDeltas(ports: QuickPorts): (logged: Logged) => string[] | null {
  const { ids } = ports;
  const template = createDeltaTemplate((text, id, extra) => {
    const frame = ports.encoder()?.delta(text, extra) ?? null;
    return frame === null ? null : ports.frameOf(frame, id);
  });
  let route: Route | null = null;
  /** What else the last delta said: most agents say nothing, others the same object again and again. */
  let rest: Extra | undefined;

  function routeOf(index: number, extra: Extra | undefined): Route | null {
    const isNew = extra !== rest;
    rest = extra;
    // A template pays for itself with the second delta that it fits.
    if (isNew && extra !== undefined) return null;
    const encoder = ports.encoder();
    if (encoder === undefined || !ports.isLive() || !encoder.isExtending(index)) return null;
    const frame = template(encoder, index, extra);
    return frame === null ? null : { index, extra, encoder, frame };
  }

  return ({ event, seq, replay }) => {
    if (event.type !== 'block-delta' || event.parent !== undefined || replay !== undefined || event.delta === '') {
      route = null;
      return null;
    }
    if (route?.index !== event.index || route.extra !== event.extra) route = routeOf(event.index, event.extra);
    if (route === null) return null;
    const { encoder, frame } = route;
    encoder.extended(event.delta);
    ids.at(seq, false);
    const between = frame.middle(ids.nextHead());
    const end = ids.nextTail() + frame.tail;
    return [frame.head + jsonOf(event.delta) + between + end];
  };
}

const plain = /^[ !#-[\]-~]*$/;

/** JSON.stringify, quicker for what most deltas are. */
function jsonOf(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
