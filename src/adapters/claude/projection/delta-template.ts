// The frame of a delta with two holes, for the text and the id. The rest is the same for every delta of a block. The
// template is made from a frame of the slow path, so both write the same frames.
import { createMould, type FrameMould } from '../../../core/fast-path/stretch-writer.ts';
import type { Extra } from '../../../core/model/content.ts';
import type { WireFrame } from '../wire/client.ts';

/** A frame around its holes. `idHead`: the id without its last three digits, which seldom changes. */
export interface DeltaTemplate {
  /** The frame. `text`: the delta as JSON text with its quotes. `idTail`: the last three digits. */
  frame(text: string, idHead: string, idTail: string): string;
  /** The bytes of many frames; null when they are not ASCII. */
  mould(idHead: string): FrameMould | null;
}

/** Marks that cannot occur in an id or elsewhere in the frame. */
const textMark = '\u0000text\u0000';
const idMark = '\u0000id\u0000';
const textHole = JSON.stringify(textMark);
const idHole = JSON.stringify(idMark).slice(1, -1);

/**
 * Makes and keeps the template of the streaming block. `key`: the message of the block. `extra`: the extra fields of
 * each delta. Returns null if such a delta has no frame, or not exactly these two holes.
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

/** The text between the holes, and which hole comes first. */
interface Parts {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
  readonly isTextFirst: boolean;
}

function templateOf(frame: WireFrame | null): DeltaTemplate | null {
  const parts = frame === null ? null : partsOf(JSON.stringify(frame));
  return parts === null ? null : new SplitFrame(parts);
}

function partsOf(json: string): Parts | null {
  const isTextFirst = json.indexOf(textHole) < json.indexOf(idHole);
  const [first, second] = isTextFirst ? [textHole, idHole] : [idHole, textHole];
  const [head, rest, ...more] = json.split(first);
  const [middle, tail, ...others] = rest?.split(second) ?? [];
  if (head === undefined || middle === undefined || tail === undefined || more.length + others.length > 0) return null;
  return { head, middle, tail, isTextFirst };
}

/** A class, so that all templates have one shape. Keeps what belongs to the beginning of the last id. */
class SplitFrame implements DeltaTemplate {
  readonly #parts: Parts;
  #idHead: string | null = null;
  /** The text before the first hole or between both, with the beginning of the id. */
  #withHead = '';
  #mould: FrameMould | null = null;
  #isMouldMade = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  frame(text: string, idHead: string, idTail: string): string {
    const { head, middle, tail, isTextFirst } = this.#parts;
    if (this.#idHead !== idHead) this.#setIdHead(idHead);
    return isTextFirst
      ? head + text + this.#withHead + (idTail + tail)
      : this.#withHead + (idTail + middle + text + tail);
  }

  mould(idHead: string): FrameMould | null {
    if (this.#idHead !== idHead) this.#setIdHead(idHead);
    if (this.#isMouldMade) return this.#mould;
    const { head, middle, tail, isTextFirst } = this.#parts;
    // The quotes of the text belong to the bytes around it.
    this.#mould = isTextFirst
      ? createMould({ head: `${head}"`, middle: `"${this.#withHead}`, tail, first: 'delta' })
      : createMould({ head: this.#withHead, middle: `${middle}"`, tail: `"${tail}`, first: 'digits' });
    this.#isMouldMade = true;
    return this.#mould;
  }

  #setIdHead(idHead: string): void {
    const { head, middle, isTextFirst } = this.#parts;
    this.#idHead = idHead;
    // One flat string, instead of a concatenation that the engine flattens for each delta.
    this.#withHead = [isTextFirst ? middle : head, idHead].join('');
    this.#isMouldMade = false;
  }
}
