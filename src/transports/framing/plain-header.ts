// The header that nearly all frames with a length have, `Content-Length: 123`, read in one piece. Any other header is left
// to content-header.ts.
import type { FrameHeader } from '../../core/contract/channel.ts';
import { isAt } from '../../core/fast-path/literal.ts';

const utf8 = new TextEncoder();
const opening = utf8.encode('Content-Length: ');
const closing = utf8.encode('\r\n\r\n');
const ZERO = 0x30;
/** As many digits as content-header.ts takes. */
const mostDigits = 9;

/** A class with one instance: the hot path reads a header in front of each frame and allocates nothing for it. */
class PlainHeader implements FrameHeader {
  length = 0;

  read(bytes: Uint8Array, at: number, end: number): number {
    const first = at + opening.length;
    if (first >= end || !isAt(bytes, at, opening)) return -1;
    let length = 0;
    let place = first;
    for (const limit = Math.min(end, first + mostDigits); place < limit; place += 1) {
      const digit = (bytes[place] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      length = length * 10 + digit;
    }
    if (place === first || place + closing.length > end || !isAt(bytes, place, closing)) return -1;
    this.length = length;
    return place + closing.length;
  }
}

/** The one reader: what it has read is used before anybody else is called. */
export const plainHeader: FrameHeader = new PlainHeader();
