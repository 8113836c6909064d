// Cursors: a place among a session's frames as text (`epoch.seq.sub`), or as one number for protocols whose ids are
// numbers. Opaque to clients.

/** A place right behind frame `sub` (the first is 1) of event `seq`. `sub` 0: behind everything before that event. */
export interface Place {
  readonly seq: number;
  readonly sub: number;
}

const textCursor = /^([0-9a-f]{12})\.(\d{1,15})\.(\d{1,9})$/;

/** The text cursor of a place. */
export function formatCursor(epoch: string, { seq, sub }: Place): string {
  return `${epoch}.${seq}.${sub}`;
}

/** 16 bits of epoch, 26 bits of `seq` and 11 bits of `sub` fill the 53 bits that a JSON number holds exactly. */
const seqCount = 2 ** 26;
const subCount = 2 ** 11;
const numberCursorText = /^\d{1,16}$/;

/**
 * The cursor of a place as a number from 2^37 to 2^53 - 1, which rises with each frame of one session epoch. A cursor
 * of another epoch is recognised in all but one of 65,535 cases. Null beyond 67 million events, or beyond 2047 frames
 * of one event: such a place has no number, and a client resumes at an earlier one.
 */
export function numberCursor(epoch: string, { seq, sub }: Place): number | null {
  if (seq >= seqCount || sub >= subCount) return null;
  return (shortEpoch(epoch) * seqCount + seq) * subCount + sub;
}

/** Never 0: some clients take 0 for "no place". */
function shortEpoch(epoch: string): number {
  return Math.max(1, Number.parseInt(epoch.slice(0, 4), 16));
}

function parseNumber(epoch: string, cursor: number): Place | 'epoch' | 'unknown' {
  if (!Number.isSafeInteger(cursor)) return 'unknown';
  const event = Math.floor(cursor / subCount);
  return Math.floor(event / seqCount) === shortEpoch(epoch)
    ? { seq: event % seqCount, sub: cursor % subCount }
    : 'epoch';
}

/** The place of a cursor in either form; `epoch`: the cursor belongs to another epoch; `unknown`: it is malformed. */
export function parseCursor(epoch: string, cursor: string): Place | 'epoch' | 'unknown' {
  if (numberCursorText.test(cursor)) return parseNumber(epoch, Number(cursor));
  const match = textCursor.exec(cursor);
  if (match === null) return 'unknown';
  if (match[1] !== epoch) return 'epoch';
  return { seq: Number(match[2]), sub: Number(match[3]) };
}

/** Negative when `a` comes before `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.seq - b.seq || a.sub - b.sub;
}
