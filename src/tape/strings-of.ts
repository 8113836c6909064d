// The strings of a frame with their places, so that one can be changed and no other byte is.

/** A string of a frame. */
export interface PlacedString {
  /** The key in front, or the last key before it; empty for a key itself. */
  readonly key: string;
  readonly value: string;
  /** The place of the string with its quotes. */
  readonly from: number;
  readonly to: number;
  /** False for a text that is no JSON. */
  readonly isQuoted: boolean;
}

// Every string is taken whole, so that no match begins inside of one.
const token = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/gsu;

/** The keys, and the values that are strings, in the order of the text. A text that is no JSON is one string without quotes. */
export function stringsOf(text: string): readonly PlacedString[] {
  if (!isJson(text)) return [{ key: '', value: text, from: 0, to: text.length, isQuoted: false }];
  const found: PlacedString[] = [];
  let key = '';
  for (const match of text.matchAll(token)) {
    const [, raw = '', colon] = match;
    const value = String(JSON.parse(`"${raw}"`));
    const isValue = colon === undefined;
    const to = match.index + raw.length + 2;
    found.push({ key: isValue ? key : '', value, from: match.index, to, isQuoted: true });
    if (!isValue) key = value;
  }
  return found;
}

/** The text with other values in the places of these strings. */
export function withStrings(text: string, strings: readonly PlacedString[], values: readonly string[]): string {
  let result = '';
  let at = 0;
  strings.forEach(({ value, from, to, isQuoted }, index) => {
    const other = values[index] ?? value;
    if (other === value) return;
    result += text.slice(at, from) + (isQuoted ? JSON.stringify(other) : other);
    at = to;
  });
  return at === 0 ? text : result + text.slice(at);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
