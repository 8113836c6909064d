// The least that others do with the same bytes: look for line ends, or parse each line.
const LF = 0x0a;

/** Finds every LF and does nothing else; returns how many there were. */
export function searchLines(chunks: readonly Buffer[]): number {
  let lines = 0;
  for (const chunk of chunks) {
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) lines += 1;
  }
  return lines;
}

/** Cuts the bytes into lines, decodes and parses each one and drops the value; returns how many objects there were. */
export function parseLines(chunks: readonly Buffer[]): number {
  let objects = 0;
  let held: Buffer[] = [];
  const parse = (text: string) => {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object') objects += 1;
  };
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      if (held.length === 0) {
        parse(chunk.toString('utf8', start, end));
      } else {
        parse(Buffer.concat([...held, chunk.subarray(start, end)]).toString());
        held = [];
      }
      start = end + 1;
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
  }
  return objects;
}

/** Parses lines that somebody else has cut and decoded. */
export function parseStrings(lines: readonly string[]): number {
  let objects = 0;
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object') objects += 1;
  }
  return objects;
}
