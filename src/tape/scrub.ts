// Replaces the secrets of a tape by placeholders of the same length. A secret that was streamed in pieces is found in the
// pieces joined, and replaced in each of them.
import { dictionaryIn } from '../core/model/dictionary.ts';
import { knownFrame } from './frame-kind.ts';
import {
  addCarried,
  addEncoded,
  addKeyed,
  addShaped,
  formsOf,
  knownSecrets,
  type SecretKind,
  type Surroundings,
} from './secrets.ts';
import { type PlacedString, stringsOf, withStrings } from './strings-of.ts';

/** One replaced secret. The table never holds the secret. */
export interface Replaced {
  readonly kind: SecretKind;
  readonly placeholder: string;
  readonly count: number;
}

/** A scrubbed tape. */
export interface Scrubbed {
  readonly text: string;
  readonly table: readonly Replaced[];
  /** Secrets that are still in the text: an error of the scrubber. */
  readonly left: number;
}

/** A row of the file, and the text in it that is looked at. */
interface Spoken {
  readonly row: Readonly<Record<string, unknown>> | null;
  readonly raw: string;
  readonly text: string;
  /** The field that holds the text; `row`: the row itself. */
  readonly field: 'line' | 'b64' | 'row';
  readonly strings: readonly PlacedString[];
  readonly values: string[];
}

/** A string and its frame. */
interface Piece {
  readonly spoken: Spoken;
  readonly index: number;
}

/** The beginning of a secret at the end of a text: shorter ones say nothing. */
const leastBeginning = 6;

/** Scrubs the text of a tape. Rows without a secret stay byte for byte. `words`: further secrets of the caller. */
export function scrubTape(text: string, surroundings: Surroundings, words: readonly string[] = []): Scrubbed {
  const lines = text.split('\n').map(spokenIn);
  const streams = streamsOf(lines);
  const secrets = knownSecrets(surroundings);
  for (const word of words) if (word !== '') secrets.set(word, 'key');
  for (const { text: said, strings } of lines) {
    addCarried(dictionaryIn(said), secrets);
    for (const { key, value } of strings) {
      addKeyed(key, value, secrets);
      addShaped(value, secrets);
      addEncoded(value, secrets);
    }
  }
  for (const pieces of streams.values()) if (pieces.length > 1) addShaped(joined(pieces), secrets);
  const rules = rulesOf(secrets);
  const counts = new Map<Rule, number>();
  const count = (rule: Rule) => counts.set(rule, (counts.get(rule) ?? 0) + 1);
  for (const pieces of streams.values()) replaceIn(pieces, rules, count);
  const scrubbed = lines.map(rowText).join('\n');
  const table = rules.all.map((rule) => ({
    kind: rule.kind,
    placeholder: rule.placeholder,
    count: counts.get(rule) ?? 0,
  }));
  return { text: scrubbed, table: table.filter(({ count: times }) => times > 0), left: leftIn(scrubbed, rules) };
}

function spokenIn(raw: string): Spoken {
  const row = dictionaryIn(raw);
  if (typeof row?.line === 'string') return spoken(raw, row, row.line, 'line');
  if (typeof row?.b64 === 'string') return spoken(raw, row, Buffer.from(row.b64, 'base64').toString('latin1'), 'b64');
  return spoken(raw, row, raw, 'row');
}

function spoken(raw: string, row: Spoken['row'], text: string, field: Spoken['field']): Spoken {
  const strings = stringsOf(text);
  return { row, raw, text, field, strings, values: strings.map(({ value }) => value) };
}

function rowText({ row, raw, text, field, strings, values }: Spoken): string {
  const after = withStrings(text, strings, values);
  if (after === text) return raw;
  if (field === 'row') return after;
  const said = field === 'line' ? after : Buffer.from(after, 'latin1').toString('base64');
  const { header: _, ...rest } = row ?? {};
  // A header of its own would tell the old length.
  return JSON.stringify({ ...(after.length === text.length ? row : rest), [field]: said });
}

/** The strings that continue each other: the same key in frames of the same kind, of the same block. */
function streamsOf(lines: readonly Spoken[]): ReadonlyMap<string, readonly Piece[]> {
  const streams = new Map<string, Piece[]>();
  for (const line of lines) {
    const { kind } = knownFrame(line.text);
    const blocks = [...line.text.matchAll(/"(?:contentIndex|index|contentId)":("[^"]*"|\d+)/gu)].map(([, id]) => id);
    const seen = new Map<string, number>();
    line.strings.forEach(({ key }, index) => {
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const name = JSON.stringify([line.row?.conn, line.row?.dir, kind, blocks, key, nth]);
      const stream = streams.get(name);
      if (stream === undefined) streams.set(name, [{ spoken: line, index }]);
      else stream.push({ spoken: line, index });
    });
  }
  return streams;
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map(({ spoken: { strings }, index }) => strings[index]?.value ?? '').join('');
}

interface Rule {
  readonly kind: SecretKind;
  readonly secret: string;
  readonly placeholder: string;
}

interface Rules {
  readonly all: readonly Rule[];
  readonly byForm: ReadonlyMap<string, Rule>;
  /** Finds every form; null without secrets. */
  readonly pattern: RegExp | null;
}

function rulesOf(secrets: ReadonlyMap<string, SecretKind>): Rules {
  const numbers = new Map<SecretKind, number>();
  const all = [...secrets].map(([secret, kind]): Rule => {
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    return { kind, secret, placeholder: placeholderOf(`${kind}${number}`, secret.length) };
  });
  const byForm = new Map<string, Rule>();
  for (const rule of all) for (const form of formsOf(rule.secret)) if (!byForm.has(form)) byForm.set(form, rule);
  const forms = [...byForm.keys()].sort((one, other) => other.length - one.length);
  const escaped = forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&'));
  // Names of people and machines are words of their own, or they would be found inside of others.
  const bounded = escaped.map((form, at) => {
    const kind = byForm.get(forms[at] ?? '')?.kind;
    return kind === 'user' || kind === 'host' ? `(?<![\\p{L}\\p{N}])${form}(?![\\p{L}\\p{N}])` : form;
  });
  return { all, byForm, pattern: forms.length === 0 ? null : new RegExp(bounded.join('|'), 'gu') };
}

/** As long as what it stands for, and free of what JSON and addresses escape. */
function placeholderOf(name: string, length: number): string {
  return name.padEnd(length, 'x').slice(0, length);
}

/** Replaces all forms in the joined pieces, each piece keeping its length; then beginnings at the end of a piece. */
function replaceIn(pieces: readonly Piece[], { all, byForm, pattern }: Rules, count: (rule: Rule) => void): void {
  if (pattern === null) return;
  const before = joined(pieces);
  const after = before.replace(pattern, (form) => {
    const rule = byForm.get(form);
    if (rule === undefined) return form;
    count(rule);
    return placeholderOf(rule.placeholder, form.length);
  });
  let at = 0;
  for (const {
    spoken: { strings, values },
    index,
  } of pieces) {
    const { length } = strings[index]?.value ?? '';
    values[index] = withoutBeginning(after.slice(at, at + length), all);
    at += length;
  }
}

/** A text that grows from frame to frame may end inside of a secret. */
function withoutBeginning(text: string, rules: readonly Rule[]): string {
  for (const { kind, secret, placeholder } of rules) {
    if (kind === 'user' || kind === 'host' || kind === 'home') continue;
    for (let length = Math.min(secret.length - 1, text.length); length >= leastBeginning; length -= 1) {
      if (!text.endsWith(secret.slice(0, length))) continue;
      return text.slice(0, -length) + placeholder.slice(0, length).padEnd(length, 'x');
    }
  }
  return text;
}

/** How many secrets the text still holds, as they are or in any other form. */
function leftIn(text: string, { byForm, pattern }: Rules): number {
  if (pattern === null) return 0;
  const left = new Set([...text.matchAll(pattern)].map(([form]) => byForm.get(form)));
  return left.size;
}
