// A place in a session's frames: `epoch.seq.sub`. Opaque to clients.

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

/** The place that a cursor names; `epoch` when it belongs to another life of the session, `unknown` when it is none. */
export function parseCursor(epoch: string, cursor: string): Place | 'epoch' | 'unknown' {
  const match = shape.exec(cursor);
  if (match === null) return 'unknown';
  if (match[1] !== epoch) return 'epoch';
  return { seq: Number(match[2]), sub: Number(match[3]) };
}

/** Negative when `a` comes before `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.seq - b.seq || a.sub - b.sub;
}
