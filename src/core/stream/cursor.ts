// A place in a session's frames: `epoch.seq.sub`, or one number for protocols whose ids are numbers. Opaque to clients.

/** After which frame: the `sub`th that event `seq` gave. */
export interface Place {
  readonly seq: number;
  readonly sub: number;
}

const shape = /^([0-9a-f]{12})\.(\d{1,15})\.(\d{1,9})$/;

/** The cursor of a place. */
export function formatCursor(epoch: string, { seq, sub }: Place): string {
  return `${epoch}.${seq}.${sub}`;
}

/** 16 bits of the epoch, 26 of `seq` and 11 of `sub` are the 53 that a JSON number holds exactly. */
const seqs = 2 ** 26;
const subs = 2 ** 11;
const digits = /^\d{1,16}$/;

/**
 * The cursor of a place as a number from 2^37 to 2^53 - 1, which counts up along the frames of one life. Another life is
 * recognised in all but one of 65,535 cases. Null for a place beyond 67 million events, or 2047 frames of one: a client
 * resumes before it then.
 */
export function numberCursor(epoch: string, { seq, sub }: Place): number | null {
  if (seq >= seqs || sub >= subs) return null;
  return (shortEpoch(epoch) * seqs + seq) * subs + sub;
}

/** Never 0: there are clients to whom that is no place. */
function shortEpoch(epoch: string): number {
  return Math.max(1, Number.parseInt(epoch.slice(0, 4), 16));
}

function parseNumber(epoch: string, cursor: number): Place | 'epoch' | 'unknown' {
  if (!Number.isSafeInteger(cursor)) return 'unknown';
  const event = Math.floor(cursor / subs);
  return Math.floor(event / seqs) === shortEpoch(epoch) ? { seq: event % seqs, sub: cursor % subs } : 'epoch';
}

/**
 * The place that a cursor names, in either form; `epoch` when it belongs to another life of the session, `unknown` when
 * it is none.
 */
export function parseCursor(epoch: string, cursor: string): Place | 'epoch' | 'unknown' {
  if (digits.test(cursor)) return parseNumber(epoch, Number(cursor));
  const match = shape.exec(cursor);
  if (match === null) return 'unknown';
  if (match[1] !== epoch) return 'epoch';
  return { seq: Number(match[2]), sub: Number(match[3]) };
}

/** Negative when `a` comes before `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.seq - b.seq || a.sub - b.sub;
}
