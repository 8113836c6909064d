// Prints frames that hold long texts: such a text is written from its encoded bytes, which the next frame with the same
// text uses again.
import type { Out } from '../contract/channel.ts';
import { jsonOfText, leastLongText } from '../model/encoded-texts.ts';

/** Stands for a text while the rest of the frame is printed. A control character that JSON.stringify does not escape. */
const mark = '\u0091';

/** The same as JSON.stringify, as pieces if the frame holds long texts. The pieces of texts are bytes. */
export function splicedJson(frame: object): Out {
  if (!holdsLongText(frame)) return JSON.stringify(frame);
  const texts: Uint8Array[] = [];
  let isSpliced = true;
  const marked = JSON.stringify(frame, (_, value: unknown) => {
    if (typeof value !== 'string' || value.length < leastLongText) return value;
    const json = jsonOfText(value);
    if (json === null) isSpliced = false;
    else texts.push(json);
    return mark;
  });
  const parts = marked.split(mark);
  // One mark more: the frame itself holds one.
  if (!isSpliced || parts.length !== texts.length + 1) return JSON.stringify(frame);
  return parts.flatMap((part, place) => {
    const json = texts[place];
    // The quotes around a mark belong to the bytes of its text.
    const from = place === 0 ? 0 : 1;
    return json === undefined ? [part.slice(from)] : [part.slice(from, -1), json];
  });
}

function holdsLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= leastLongText;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLongText);
}

/** Joins JSON to one frame. Bytes stay pieces of their own, and without bytes the frame is one text. */
export function joined(...parts: readonly Out[]): Out {
  const pieces: (string | Uint8Array)[] = [];
  let texts: string[] = [];
  const closeText = () => {
    if (texts.length > 0) pieces.push(texts.join(''));
    texts = [];
  };
  for (const piece of parts.flat()) {
    if (typeof piece === 'string') texts.push(piece);
    else {
      closeText();
      pieces.push(piece);
    }
  }
  closeText();
  const [only = ''] = pieces;
  return pieces.length < 2 && typeof only === 'string' ? only : pieces;
}
