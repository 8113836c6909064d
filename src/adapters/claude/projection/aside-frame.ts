// The frame of an event that is passed on unchanged, with holes for the values that differ and for its id. Made from a frame
// of the slow path, like the frame of a delta.
import { type AsideHole, type AsideMould, createAsideMould } from '../../../core/fast-path/mixed-stretch.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import type { WireFrame } from '../wire/client.ts';

/** A frame around its holes. */
export interface AsideFrame {
  /** The bytes of many frames; null when such an event has no frame, or not with these holes. */
  mould(idHead: string): AsideMould | null;
}

/** Marks that cannot occur elsewhere in the frame. */
const idMark = '\u0000id\u0000';
const markOf = (place: number) => `\u0000${place}\u0000`;
const holes = /"\\u0000(\d+)\\u0000"|\\u0000id\\u0000/u;

/** `fields`: of the payload, those with values of their own. */
export function createAsideFrame(
  payload: Dictionary,
  fields: readonly string[],
  frameOf: (payload: Dictionary, id: string) => WireFrame | null,
): AsideFrame {
  const marks = Object.fromEntries(fields.map((field, place) => [field, markOf(place)]));
  // A payload that holds marks itself gets no holes.
  const isMarked = JSON.stringify(frameOf(payload, '')).includes('\\u0000');
  const frame = isMarked ? null : frameOf({ ...payload, ...marks }, idMark);
  return new SplitAside(frame === null ? null : JSON.stringify(frame));
}

/** A class, so that all such frames have one shape. Keeps what belongs to the beginning of the last id. */
class SplitAside implements AsideFrame {
  readonly #texts: readonly string[];
  readonly #holes: readonly AsideHole[];
  #idHead: string | null = null;
  #mould: AsideMould | null = null;

  /** `json`: the marked frame. */
  constructor(json: string | null) {
    // Around each hole there is a text, and behind it what the hole captured: the number of its field, or nothing.
    const parts = json === null ? [] : json.split(holes);
    this.#texts = parts.filter((_, at) => at % 2 === 0);
    this.#holes = parts
      .filter((_, at) => at % 2 === 1)
      .map((place) => (place === undefined ? 'digits' : Number(place)));
  }

  mould(idHead: string): AsideMould | null {
    if (this.#idHead === idHead) return this.#mould;
    this.#idHead = idHead;
    const isNumbered = this.#holes.filter((hole) => hole === 'digits').length === 1;
    const texts = this.#texts.map((text, at) => (this.#holes[at] === 'digits' ? text + idHead : text));
    this.#mould = isNumbered ? createAsideMould(texts, this.#holes) : null;
    return this.#mould;
  }
}
