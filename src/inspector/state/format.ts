// Figures and hostile text as words for people.

/** `2.1 kB` */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** `42 ms`, `3.4 s`, `2 m 5 s`; takes ms. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} m ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `12.3k` */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

/** US dollars. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.0001) return '<$0.0001';
  return `$${amount < 0.01 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

/** `12.345`: seconds of the session's clock, ms given. */
export function clock(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** What would turn the text around, hide in it or move the cursor: controls but line feed and tab, bidi, zero width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Shows hidden characters as their escapes. */
export function visible(text: string): string {
  return text.replace(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `1 event`, `2 events` */
export function several(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
