// The frame of a delta with two holes, for its text and its id: all else is the same for every delta of a block. Made
// from the frame that the slow path would write, so that both say the same. Knows no events.
import type { Extra } from '../../../core/model/content.ts';
import type { WireFrame } from '../wire/client.ts';

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
 * Makes and keeps the template of the block that streams; `key` is the message that it belongs to, `extra` what else is
 * said with each of its deltas. Null when such a delta has no frame, or none with these two holes in this order.
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
      // One string instead of a rope that is built for each delta.
      if (known.idHead !== idHead) known = { idHead, text: [middle, idHead].join('') };
      return known.text;
    },
  };
}
