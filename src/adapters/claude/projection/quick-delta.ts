// The hot path of a projection: a delta of the open message gives one frame in which only the text and the id are new.
// Writes the same bytes as the slow path.
import type { Extra } from '../../../core/model/content.ts';
import type { Logged } from '../../../core/model/event.ts';
import type { Ids } from '../frontend/frame-ids.ts';
import type { WireFrame } from '../wire/client.ts';
import { createDeltaTemplate, type DeltaTemplate } from './delta-template.ts';
import type { MessageEncoder } from './message-encoder.ts';

/** The dependencies of the hot path. */
export interface QuickPorts {
  readonly ids: Ids;
  /** The encoder of the open message on the main thread. */
  encoder(): MessageEncoder | undefined;
  /** Whether frames of the open message are sent at once. */
  isLive(): boolean;
  /** The complete frame with that id; null if the dialect has no such frame. */
  frameOf(frame: WireFrame, id: string): WireFrame | null;
}

/** The target of deltas, as long as only deltas of one block arrive. */
interface Route {
  readonly index: number;
  readonly extra: Extra | undefined;
  readonly encoder: MessageEncoder;
  readonly frame: DeltaTemplate;
}

/** The frame of a delta; null if the slow path must handle the event. Must be called for each event. */
export function createQuickDeltas(ports: QuickPorts): (logged: Logged) => string[] | null {
  const { ids } = ports;
  const template = createDeltaTemplate((text, id, extra) => {
    const frame = ports.encoder()?.delta(text, extra) ?? null;
    return frame === null ? null : ports.frameOf(frame, id);
  });
  let route: Route | null = null;
  /** The extra fields of the last delta. Most agents have none, others repeat the same object. */
  let lastExtra: Extra | undefined;

  function routeOf(index: number, extra: Extra | undefined): Route | null {
    const isNew = extra !== lastExtra;
    lastExtra = extra;
    // A template pays off from the second delta on.
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

/** Like JSON.stringify, but faster for most deltas. */
function jsonOf(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
