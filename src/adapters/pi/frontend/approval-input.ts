// The arguments of a tool as an approval shows them, short enough for a dialog. The text says how much was left out at
// each place, so that nobody takes a part for the whole (docs/threats.md T23).
import type { Dictionary } from '../../../core/model/content.ts';

/** Limits in characters: one text, all arguments together, one line. */
const limits = { text: 2_000, all: 8_000, line: 200 } as const;

/** The arguments as JSON. Long texts lose their middle, and long JSON loses its end. */
export function approvalInput(input: Dictionary): string {
  const text = JSON.stringify(
    input,
    (_key, value: unknown) => (typeof value === 'string' ? shortened(value) : value),
    2,
  );
  const hidden = text.length - limits.all;
  return hidden > 0 ? `${text.slice(0, limits.all)}\n${leftOut(hidden)}` : text;
}

/** A name or a title on one line. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > limits.line ? `${line.slice(0, limits.line)}…` : line;
}

/** Keeps both ends, because a command can do harm at either. */
function shortened(text: string): string {
  const hidden = text.length - limits.text;
  if (hidden <= 0) return text;
  const half = limits.text / 2;
  return `${text.slice(0, half)} ${leftOut(hidden)} ${text.slice(-half)}`;
}

function leftOut(characters: number): string {
  return `[… ${characters} characters are not shown …]`;
}
