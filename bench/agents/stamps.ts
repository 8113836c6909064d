// Finds the times at which a made-up agent has written its deltas, in frames of any dialect.

/** What stands before the text of a delta, and before no other text: in frames of Claude, and of pi. */
const marks = [Buffer.from('"type":"text_delta","text":"'), Buffer.from('"delta":"')];

/** The number that begins there; NaN when there is none of that length. */
function numberAt(bytes: Buffer, start: number): number {
  let number = 0;
  let at = start;
  for (let code = bytes[at] ?? 0; code >= 48 && code <= 57; code = bytes[at] ?? 0) {
    number = number * 10 + (code - 48);
    at += 1;
  }
  return at - start < 9 ? Number.NaN : number;
}

/** Calls back with the delay of each stamped delta, us, and returns how many there were. */
export function eachDelay(bytes: Buffer, told: (us: number) => void): number {
  const now = Number(process.hrtime.bigint());
  let count = 0;
  for (const mark of marks) {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) {
      const stamp = numberAt(bytes, at + mark.length);
      if (Number.isNaN(stamp)) continue;
      count += 1;
      told(Math.max(1, Math.round((now - stamp) / 1000)));
    }
    if (count > 0) return count;
  }
  return count;
}
