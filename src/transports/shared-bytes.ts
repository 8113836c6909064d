// What was encoded for one reader is kept for a moment for the others: a hundred readers of one stream get the same
// frames soon after each other (docs/limits.md 6.4).

/** Bytes that are kept at least, and twice that at most. */
const keptBytes = 512 * 1024;
/** More bytes than this in one write are not copied together. */
const mostJoined = 256 * 1024;

/** Encodings by what was encoded. */
export interface SharedBytes<Key> {
  /** What `encode` returned for that key a moment ago, or returns now. */
  get(key: Key, encode: () => Buffer): Buffer;
}

/** Two generations: the older one is forgotten when the younger one is full. */
export function createSharedBytes<Key>(): SharedBytes<Key> {
  let young = new Map<Key, Buffer>();
  let old = new Map<Key, Buffer>();
  let length = 0;
  return {
    get(key, encode) {
      const known = young.get(key) ?? old.get(key);
      if (known !== undefined) return known;
      const encoded = encode();
      young.set(key, encoded);
      length += encoded.length;
      if (length > keptBytes) {
        old = young;
        young = new Map();
        length = 0;
      }
      return encoded;
    },
  };
}

let lastPieces: readonly Buffer[] = [];
let lastJoined: Buffer = Buffer.alloc(0);

/** The pieces as few chunks. Readers at the same place get the very same chunk, if they come one after the other. */
export function joinShared(pieces: readonly Buffer[]): readonly Buffer[] {
  if (pieces.length < 2) return pieces;
  if (isSame(pieces, lastPieces)) return [lastJoined];
  let length = 0;
  for (const piece of pieces) length += piece.length;
  if (length > mostJoined) return pieces;
  lastPieces = pieces;
  lastJoined = Buffer.concat(pieces, length);
  return [lastJoined];
}

function isSame(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  if (one.length !== other.length) return false;
  for (let place = 0; place < one.length; place += 1) if (one[place] !== other[place]) return false;
  return true;
}
