// The hot path of a projection: a delta of the open message gives one frame in which only the text and the id are new.
// Writes the same bytes as the slow path, for single deltas and for bursts.
import type { BurstProjection } from '../../../core/contract/adapter/projection.ts';
import { writeMixedStretch } from '../../../core/fast-path/mixed-stretch.ts';
import { type FrameMould, writeStretch } from '../../../core/fast-path/stretch-writer.ts';
import { type Asides, type Burst, deltasAmong, textIn } from '../../../core/model/burst.ts';
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import type { Logged } from '../../../core/model/event.ts';
import type { Ids } from '../frontend/frame-ids.ts';
import type { WireFrame } from '../wire/client.ts';
import { type AsideFrame, createAsideFrame } from './aside-frame.ts';
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
  /** The complete frame of an event of another protocol's payload; null if it may have no frame at once. */
  asideOf(protocol: string, payload: Dictionary, id: string): WireFrame | null;
}

/** The target of deltas, as long as only deltas of one block arrive. */
interface Route {
  readonly index: number;
  readonly extra: Extra | undefined;
  readonly encoder: MessageEncoder;
  readonly frame: DeltaTemplate;
}

type Range = readonly [from: number, to: number];

/** Writes deltas of the open message, one by one or many at once. */
export interface QuickDeltas extends BurstProjection {
  /** The frame of a delta; null if the slow path must handle the event. Must be called for each event. */
  one(logged: Logged): string[] | null;
}

/** Creates the hot path of one projection. */
export function createQuickDeltas(ports: QuickPorts): QuickDeltas {
  const { ids } = ports;
  const template = createDeltaTemplate((text, id, extra) => {
    const frame = ports.encoder()?.delta(text, extra) ?? null;
    return frame === null ? null : ports.frameOf(frame, id);
  });
  let route: Route | null = null;
  /** The extra fields of the last delta. Most agents have none, others repeat the same object. */
  let lastExtra: Extra | undefined;
  let aside: { payload: Dictionary; encoder: MessageEncoder; frame: AsideFrame } | null = null;

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

  function routeTo(index: number, extra: Extra | undefined): Route | null {
    if (route?.index !== index || route.extra !== extra) route = routeOf(index, extra);
    return route;
  }

  function mouldAt(frame: DeltaTemplate, seq: number): FrameMould {
    ids.at(seq, false);
    const mould = frame.mould(ids.nextHead());
    if (mould === null) throw new Error('a burst that was not taken');
    return mould;
  }

  /** The frame of the asides; the same object for those of one payload. */
  function asideFrame({ protocol, payload, fields }: Asides, encoder: MessageEncoder): AsideFrame {
    if (aside === null || aside.payload !== payload || aside.encoder !== encoder) {
      const frameOf = (marked: Dictionary, id: string) => ports.asideOf(protocol, marked, id);
      aside = { payload, encoder, frame: createAsideFrame(payload, fields, frameOf) };
    }
    return aside.frame;
  }

  function writeMixed(
    burst: Burst & { readonly asides: Asides },
    { encoder, frame }: Route,
    seq: number,
    range: Range,
  ) {
    const ofAside = asideFrame(burst.asides, encoder);
    return writeMixedStretch(burst, seq, range, (number) => {
      const delta = mouldAt(frame, number);
      const mould = ofAside.mould(ids.nextHead());
      if (mould === null) throw new Error('a burst that was not taken');
      return { delta, aside: mould };
    });
  }

  return {
    one({ event, seq, replay }) {
      if (event.type !== 'block-delta' || event.parent !== undefined || replay !== undefined || event.delta === '') {
        route = null;
        return null;
      }
      const known = routeTo(event.index, event.extra);
      if (known === null) return null;
      const { encoder, frame } = known;
      encoder.extended(event.delta);
      ids.at(seq, false);
      return [frame.frame(jsonOf(event.delta), ids.nextHead(), ids.nextTail())];
    },
    takesAsides: true,
    takes({ index, extra, asides }) {
      const known = routeTo(index, extra);
      if (known === null || known.frame.mould(ids.nextHead()) === null) return false;
      return asides === undefined || asideFrame(asides, known.encoder).mould(ids.nextHead()) !== null;
    },
    write(burst, seq, from, to) {
      const known = routeTo(burst.index, burst.extra);
      if (known === null) throw new Error('a burst that was not taken');
      const { encoder, frame } = known;
      encoder.extended(textIn(burst, deltasAmong(burst, from), deltasAmong(burst, to)));
      const stretch = hasAsides(burst)
        ? writeMixed(burst, known, seq, [from, to])
        : writeStretch(burst, seq, [from, to], (number) => mouldAt(frame, number));
      ids.at(seq + to - from - 1, false);
      ids.nextTail();
      return stretch;
    },
  };
}

function hasAsides(burst: Burst): burst is Burst & { readonly asides: Asides } {
  return burst.asides !== undefined;
}

const plain = /^[ !#-[\]-~]*$/;

/** Like JSON.stringify, but faster for most deltas. */
function jsonOf(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
