// Which messages of a conversation have to do with a failure: those that hold the ids and the texts that it names, or the ids of
// the message that is wrong. Pure; knows no protocol, only what ids are called.
import { isDictionary } from '../../core/model/dictionary.ts';
import type { LoggedMessage } from '../check/check.ts';
import type { Named } from './named.ts';

type Log = readonly LoggedMessage[];

/** What messages hold, by value: `s:` and a text, `n:` and a number that is an id. */
interface Held {
  /** The messages, in order. */
  readonly messages: number[];
  /** Somewhere it is an id. */
  isId: boolean;
}

const idField = /^(?:id|ids|uuid)$|(?:Id|ID|Ids|[_-]ids?)$/u;
/** Texts that are longer are no ids and no names. */
const longestValue = 200;
/** A message may hold anything. */
const mostValues = 2000;

const indices = new WeakMap<Log, ReadonlyMap<string, Held>>();
const idsByExchange = new WeakMap<LoggedMessage, readonly string[]>();

/** The ids of a message, as {@link indexOf} names them. */
function idsOf(exchange: LoggedMessage): readonly string[] {
  const known = idsByExchange.get(exchange) ?? valuesIn(exchange).flatMap(({ key, isId }) => (isId ? [key] : []));
  idsByExchange.set(exchange, known);
  return known;
}

function indexOf(log: Log): ReadonlyMap<string, Held> {
  const known = indices.get(log);
  if (known !== undefined) return known;
  const index = new Map<string, Held>();
  log.forEach((exchange, place) => {
    for (const { key, isId } of valuesIn(exchange)) {
      const held = index.get(key) ?? { messages: [], isId: false };
      index.set(key, held);
      held.isId ||= isId;
      if (held.messages.at(-1) !== place) held.messages.push(place);
    }
  });
  indices.set(log, index);
  return index;
}

function valuesIn({ text, json }: LoggedMessage): { readonly key: string; readonly isId: boolean }[] {
  const found: { readonly key: string; readonly isId: boolean }[] = [];
  // No recursion: a peer may nest as deep as it likes.
  const open: { readonly value: unknown; readonly isId: boolean }[] = [{ value: json ?? parsed(text), isId: false }];
  for (let next = open.pop(); next !== undefined && found.length < mostValues; next = open.pop()) {
    const { value, isId } = next;
    if (typeof value === 'string') {
      if (value.length <= longestValue) found.push({ key: keyOf(value), isId });
    } else if (typeof value === 'number') {
      if (isId) found.push({ key: `n:${value}`, isId });
    } else if (Array.isArray(value)) {
      for (const one of value.slice(0, mostValues)) open.push({ value: one, isId });
    } else if (isDictionary(value)) {
      for (const [name, one] of Object.entries(value).slice(0, mostValues))
        open.push({ value: one, isId: idField.test(name) });
    }
  }
  return found;
}

/** Peers trim what they are told. */
const keyOf = (text: string): string => `s:${text.trim()}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether an id that the words name stands in one of the messages. */
export function holdsIdOf({ quoted, tokens }: Named, log: Log): boolean {
  const index = indexOf(log);
  return [...quoted, ...tokens].some((text) => index.get(keyOf(text))?.isId === true);
}

/** Of ours in front of the one that is wrong, which may be about what we asked for before. */
const mostAsked = 2;
/** Of those that hold one value: where it came from, and the nearest. */
const mostOfValue = 3;

/**
 * At most that many messages. First those with an id that the words name; then those with an id of the message that is wrong
 * (`wrong`, where there is one) or a text that the words name, the rarest value first; the last that we said before `at` have
 * their places.
 */
export function relatedTo(
  log: Log,
  { named, wrong, at, most }: { named: Named; wrong?: number | undefined; at: number; most: number },
): number[] {
  const index = indexOf(log);
  const exchange = wrong === undefined ? undefined : log[wrong];
  const heldAs = (keys: readonly string[]) => keys.flatMap((key) => index.get(key) ?? []);
  // What every other message holds (a session, a kind) tells nothing.
  const isRare = ({ messages }: Held) => messages.length * 2 <= log.length;
  const ofWords = [...new Set([...named.quoted, ...named.tokens].map(keyOf))];
  const ids = heldAs([...ofWords, ...named.numbers.map((number) => `n:${number}`)]).filter(({ isId }) => isId);
  const others = heldAs([...(exchange === undefined ? [] : idsOf(exchange)), ...ofWords]).filter(isRare);
  const rarestFirst = (a: Held, b: Held) => a.messages.length - b.messages.length;
  const nearest = ({ messages }: Held) => {
    const [first, ...more] = messages.filter((message) => message !== wrong);
    if (first === undefined) return [];
    return [first, ...more.sort((a, b) => Math.abs(a - at) - Math.abs(b - at))].slice(0, mostOfValue);
  };
  const holders = [...ids.sort(rarestFirst), ...others.sort(rarestFirst)].flatMap(nearest);
  const asked = log.flatMap(({ by }, place) => (by === 'us' && place < at ? [place] : [])).slice(-mostAsked);
  return [...new Set([...asked, ...holders])].slice(0, most);
}
