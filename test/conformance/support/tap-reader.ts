// A TAP 14 reader with the part of YAML that our diagnostics use. Throws on an invalid line.

/** One test point. */
export interface Point {
  readonly ok: boolean;
  readonly number: number;
  /** Unescaped. */
  readonly description: string;
  readonly directive: 'SKIP' | 'TODO' | null;
  readonly reason: string;
  /** Top-level fields of its diagnostic. */
  readonly fields: ReadonlyMap<string, string>;
  readonly messages: readonly ReadonlyMap<string, string>[];
}

/** A TAP document. */
export interface Tap {
  readonly plan: number;
  readonly points: readonly Point[];
  readonly comments: readonly string[];
}

/** Parses a document. */
export function readTap(text: string): Tap {
  const lines = text.split('\n');
  if (lines.shift() !== 'TAP version 14') throw new Error('it has no version');
  if (lines.pop() !== '') throw new Error('its last line has no end');
  let plan: number | null = null;
  const points: Point[] = [];
  const comments: string[] = [];
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const count = /^1\.\.(\d+)$/u.exec(line)?.[1];
    if (line.startsWith('# ')) comments.push(line.slice(2));
    else if (count !== undefined) {
      if (plan !== null) throw new Error('there are two plans');
      plan = Number(count);
    } else points.push(readPoint(line, lines));
  }
  if (plan === null) throw new Error('there is no plan');
  return { plan, points, comments };
}

function readPoint(line: string, rest: string[]): Point {
  const [, not, number = '', words = ''] = /^(not )?ok (\d+) - (.*)$/u.exec(line) ?? [];
  if (number === '') throw new Error(`no line of TAP: ${line.slice(0, 80)}`);
  const [, description = '', directive, reason = ''] =
    /^((?:[^\\#]|\\.)*?)(?: # (SKIP|TODO)(?: (.*))?)?$/u.exec(words) ?? [];
  if (description === '') throw new Error(`an unescaped # in: ${line.slice(0, 200)}`);
  const fields = new Map<string, string>();
  const messages: Map<string, string>[] = [];
  if (rest[0] === '  ---') {
    rest.shift();
    for (let row = rest.shift(); row !== '  ...'; row = rest.shift()) {
      if (row === undefined) throw new Error('a diagnostic does not end');
      const [, indent = '', key = '', value = ''] = /^( {2}| {4}- | {6})([a-z]+):(?: (.*))?$/u.exec(row) ?? [];
      if (key === '') throw new Error(`no row of YAML: ${row.slice(0, 80)}`);
      if (indent.includes('-')) messages.push(new Map());
      const into = indent.length === 2 ? fields : messages.at(-1);
      if (into?.has(key) !== false) throw new Error(`${key} comes twice, or nowhere`);
      into.set(key, scalar(value));
    }
  }
  return {
    ok: not === undefined,
    number: Number(number),
    description: unescaped(description),
    directive: directive === 'SKIP' || directive === 'TODO' ? directive : null,
    reason: unescaped(reason),
    fields,
    messages,
  };
}

const unescaped = (text: string): string => text.replace(/\\(.)/gu, '$1');

function scalar(text: string): string {
  if (text === '' || /^[A-Za-z\d][A-Za-z\d-]*$/u.test(text)) return text;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'string' || /[^\P{Cc}\n\t]|\p{Cs}/u.test(value))
    throw new Error(`no text: ${text.slice(0, 80)}`);
  return value;
}
