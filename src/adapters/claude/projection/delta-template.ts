// The frame of a delta with two holes, for the text and the id. The rest is the same for every delta of a block. The
// template is made from a frame of the slow path, so both write the same frames.
import type { Extra } from '../../../core/model/content.ts';
import type { WireFrame } from '../wire/client.ts';

/** The JSON text of a frame around its holes. */
export interface DeltaTemplate {
  readonly head: string;
  /**
   * The text between the delta, which is JSON text with its quotes, and the tail of the id, which has no quotes.
   * Includes `idHead`.
   */
  middle(idHead: string): string;
  readonly tail: string;
}

/** Marks that cannot occur in an id or elsewhere in the frame. */
const textMark = '\u0000text\u0000';
const idMark = '\u0000id\u0000';
const textHole = JSON.stringify(textMark);
const idHole = JSON.stringify(idMark).slice(1, -1);

/**
 * Makes and keeps the template of the streaming block. `key`: the message of the block. `extra`: the extra fields of
 * each delta. Returns null if such a delta has no frame, or not exactly these two holes in this order.
 */
export function createDeltaTemplate(
  frameOf: (text: string, id: string, extra: Extra | undefined) => WireFrame | null,
): (key: object, index: number, extra: Extra | undefined) => DeltaTemplate | null {
  let made: Made | null = null;
  return (key, index, extra) => {
    if (made === null || made.key !== key || made.index !== index || made.extra !== extra) {
      made = { key, index, extra, template: templateOf(frameOf(textMark, idMark, extra)) };
    }
    return made.template;
  };
}

interface Made {
  readonly key: object;
  readonly index: number;
  readonly extra: Extra | undefined;
  readonly template: DeltaTemplate | null;
}

function templateOf(frame: WireFrame | null): DeltaTemplate | null {
  if (frame === null) return null;
  const [head, rest, ...more] = JSON.stringify(frame).split(textHole);
  const [middle, tail, ...others] = rest?.split(idHole) ?? [];
  if (head === undefined || middle === undefined || tail === undefined || more.length + others.length > 0) return null;
  let known = { idHead: '', text: middle };
  return {
    head,
    tail,
    middle(idHead) {
      // Join the parts into one flat string, instead of a concatenation that the engine flattens for each delta.
      if (known.idHead !== idHead) known = { idHead, text: [middle, idHead].join('') };
      return known.text;
    },
  };
}
