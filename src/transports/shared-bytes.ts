// What was encoded for one reader is kept for a moment for the others: a hundred readers of one stream get the same
// frames soon after each other (docs/limits.md 6.4).

/** Bytes that are kept at least, and twice that at most. */
const keptBytes = 512 * 1024;
/** How long they are kept at least, and twice that at most, ms: what nobody else reads soon belongs to no session any more. */
const momentMs = 1000;
/** More bytes than this in one write are not copied together. */
const mostJoined = 256 * 1024;

/** Encodings by what was encoded. */
export interface SharedBytes<Key, Encoded = Buffer> {
  /** What `encode` returned for that key a moment ago, or returns now. */
  get(key: Key, encode: () => Encoded): Encoded;
}

/** Two generations: the older one is forgotten when the younger one is full, or a moment old. */
export function createSharedBytes<Key, Encoded extends { readonly length: number } = Buffer>(): SharedBytes<
  Key,
  Encoded
> {
  let young = new Map<Key, Encoded>();
  let old = new Map<Key, Encoded>();
  let length = 0;

  function age(): boolean {
    old = young;
    young = new Map();
    length = 0;
    return old.size > 0;
  }
  const used = eachMoment(age);

  return {
    get(key, encode) {
      const known = young.get(key) ?? old.get(key);
      if (known !== undefined) return known;
      const encoded = encode();
      young.set(key, encoded);
      length += encoded.length;
      if (length > keptBytes) age();
      used();
      return encoded;
    },
  };
}

/** Returns the function that starts the calls of `act`, which go on for as long as `act` returns true. */
function eachMoment(act: () => boolean): () => void {
  let isWaiting = false;
  function start(): void {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      if (act()) start();
    }, momentMs).unref();
  }
  return start;
}

let lastPieces: readonly Uint8Array[] = [];
let lastJoined: Buffer = Buffer.alloc(0);

/** The pieces as few chunks. Readers at the same place get the very same chunk, if they come one after the other. */
export function joinShared<Piece extends Uint8Array>(pieces: readonly Piece[]): readonly (Piece | Buffer)[] {
  if (pieces.length < 2) return pieces;
  if (isSame(pieces, lastPieces)) return [lastJoined];
  let length = 0;
  for (const piece of pieces) length += piece.length;
  if (length > mostJoined) return pieces;
  lastPieces = pieces;
  lastJoined = Buffer.concat(pieces, length);
  joined();
  return [lastJoined];
}

const joined = eachMoment(() => {
  lastPieces = [];
  lastJoined = Buffer.alloc(0);
  return false;
});

function isSame(one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean {
  if (one.length !== other.length) return false;
  for (let place = 0; place < one.length; place += 1) if (one[place] !== other[place]) return false;
  return true;
}
