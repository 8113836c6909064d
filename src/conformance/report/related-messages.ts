// Finds the messages related to a failure: those that hold the ids and texts of the reason, or the ids of the violating
// message. The only protocol knowledge is the usual names of id fields.
import { isDictionary } from '../../core/model/dictionary.ts';
import type { LoggedMessage } from '../check/check.ts';
import type { ReasonTerms } from './reason-terms.ts';

type Log = readonly LoggedMessage[];

/** Which messages hold a value. Keys: `s:` and a text, or `n:` and a number that is an id. */
interface Held {
  /** Indices of the messages, in order. */
  readonly messages: number[];
  /** At least one message holds the value as an id. */
  isId: boolean;
}

const idField = /^(?:id|ids|uuid)$|(?:Id|ID|Ids|[_-]ids?)$/u;
/** Longer texts are neither ids nor names, UTF-16 units. */
const longestValue = 200;
/** Most values read from one message; a message may hold anything. */
const mostValues = 2000;

const indices = new WeakMap<Log, ReadonlyMap<string, Held>>();
const idsByExchange = new WeakMap<LoggedMessage, readonly string[]>();

/** The ids of a message, as keys of {@link indexOf}. */
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
  // Iterative, because a peer may nest values to any depth.
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

/** Peers trim the texts that they repeat. */
const keyOf = (text: string): string => `s:${text.trim()}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether one of the messages holds an id that the reason names. */
export function holdsIdOf({ quoted, tokens }: ReasonTerms, log: Log): boolean {
  const index = indexOf(log);
  return [...quoted, ...tokens].some((text) => index.get(keyOf(text))?.isId === true);
}

/** Our own messages before the violation, which may answer one of them. */
const mostAsked = 2;
/** Messages for one value: the first that holds it, and the nearest. */
const mostOfValue = 3;

/**
 * At most that many messages. First come messages with an id that the reason names. Then come messages with an id of
 * the violating message (`wrong`, if any) or a text that the reason names, the rarest value first. The last messages
 * that we sent before `at` always have a place.
 */
export function relatedTo(
  log: Log,
  { named, wrong, at, most }: { named: ReasonTerms; wrong?: number | undefined; at: number; most: number },
): number[] {
  const index = indexOf(log);
  const exchange = wrong === undefined ? undefined : log[wrong];
  const heldAs = (keys: readonly string[]) => keys.flatMap((key) => index.get(key) ?? []);
  // A value in half of the messages (a session, a type) relates nothing.
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
