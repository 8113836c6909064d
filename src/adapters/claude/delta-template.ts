// The frame of a delta with two holes, for its text and its id: all else is the same for every delta of a block. Made
// from the frame that the slow path would write, so that both say the same. Knows no events.
import type { WireFrame } from './wire.ts';

/** The JSON text of a frame around its holes. */
export interface DeltaTemplate {
  readonly head: string;
  /**
   * Between the delta, which comes as JSON text with its quotes, and the end of the id, which comes without: `idHead`
   * included.
   */
  middle(idHead: string): string;
  readonly tail: string;
}

/** They cannot stand in an id, nor in what else the frame holds. */
const textMark = '\u0000text\u0000';
const idMark = '\u0000id\u0000';
const textHole = JSON.stringify(textMark);
const idHole = JSON.stringify(idMark).slice(1, -1);

/**
 * Makes and keeps the template of the block that streams; `key` is the message that it belongs to. Null when such a
 * delta has no frame, or none with these two holes in this order.
 */
export function createDeltaTemplate(
  frameOf: (text: string, id: string) => WireFrame | null,
): (key: object, index: number) => DeltaTemplate | null {
  let made: { readonly key: object; readonly index: number; readonly template: DeltaTemplate | null } | null = null;
  return (key, index) => {
    if (made === null || made.key !== key || made.index !== index) {
      made = { key, index, template: templateOf(frameOf(textMark, idMark)) };
    }
    return made.template;
  };
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
      // One string instead of a rope that is built for each delta.
      if (known.idHead !== idHead) known = { idHead, text: [middle, idHead].join('') };
      return known.text;
    },
  };
}
