// Reads a fault: `kind [argument] ['@' where] ['x' count] ['p' probability] ['on' in|out]`. Strict: a fault that is
// misread would prove nothing.
import { GatewayError } from '../core/model/errors.ts';
import { type FaultKind, type FaultRule, kindNames, kinds, type Where } from './rule.ts';

/** Reads one fault. Throws `invalid` with the column of the mistake. */
export function parseFault(text: string): FaultRule {
  const scanner = createScanner(text);
  const name = scanner.take(/[a-z-]+/uy);
  if (name === null || !isKind(name)) {
    throw scanner.failure(`a kind of fault is expected: ${kindNames.join(', ')}`, name);
  }
  const argument = argumentOf(name, scanner);
  const where: Where = scanner.take(/@/uy) === null ? { type: 'any' } : placeOf(scanner);
  const rule: FaultRule = {
    text: text.trim(),
    kind: name,
    argument,
    where,
    count: countOf(name, scanner),
    probability: probabilityOf(scanner),
    on: directionOf(scanner),
  };
  if (!scanner.isAtEnd()) throw scanner.failure('nothing more is expected; the order is @, x, p, on');
  return rule;
}

function isKind(name: string): name is FaultKind {
  return Object.hasOwn(kinds, name);
}

interface Scanner {
  /** Takes what fits behind the blanks; null: nothing. */
  take(sticky: RegExp): string | null;
  /** `taken`: the mistake is in what was taken last. */
  failure(words: string, taken?: string | null): GatewayError;
  isAtEnd(): boolean;
}

function createScanner(text: string): Scanner {
  let at = 0;
  const skip = () => {
    while (text[at] === ' ') at += 1;
  };
  return {
    take(sticky) {
      skip();
      sticky.lastIndex = at;
      const found = sticky.exec(text)?.[0];
      if (found === undefined) return null;
      at += found.length;
      return found;
    },
    failure(words, taken = null) {
      if (taken === null) skip();
      const column = at - (taken?.length ?? 0) + 1;
      return new GatewayError('invalid', `fault "${text}", column ${column}: ${words}`);
    },
    isAtEnd() {
      skip();
      return at === text.length;
    },
  };
}

const number = /\d{1,12}(?:\.\d{1,6})?(?![\w.])|\d{1,12}(?:\.\d{1,6})?(?=[a-zA-Z])/uy;
const whole = /\d{1,12}(?![\w.])/uy;

function argumentOf(name: FaultKind, scanner: Scanner): number {
  const { argument } = kinds[name];
  if (argument.type === 'none') return 0;
  const otherwise = 'otherwise' in argument ? argument.otherwise : undefined;
  const read = { time: timeIn, size: sizeIn, count: wholeIn }[argument.type](scanner);
  if (read === null && otherwise === undefined) throw scanner.failure(`${name} needs ${expected[argument.type]}`);
  if (read === null) return otherwise ?? 0;
  const least = argument.type === 'count' ? argument.least : name === 'rate' ? 1 : 0;
  const most = argument.type === 'count' ? argument.most : Number.POSITIVE_INFINITY;
  if (read.value < least) throw scanner.failure(`must be at least ${least}`, read.text);
  if (read.value > most) throw scanner.failure(`must be at most ${most}`, read.text);
  return read.value;
}

const expected = {
  time: 'a time with its unit, such as 200ms, 3s or 1m',
  size: 'a size, such as 4096, 64KiB or 1MiB',
  count: 'a whole number',
} as const;

interface Read {
  readonly value: number;
  readonly text: string;
}

function wholeIn(scanner: Scanner): Read | null {
  const text = scanner.take(whole);
  if (text === null) refuseNumber(scanner, expected.count);
  return text === null ? null : { value: Number(text), text };
}

const times = { ms: 1, s: 1000, m: 60_000 } as const;
const sizes = { '': 1, B: 1, kB: 1000, KiB: 1024, MB: 1e6, MiB: 1024 * 1024 } as const;

function timeIn(scanner: Scanner): Read | null {
  return measureIn(scanner, times, expected.time);
}

function sizeIn(scanner: Scanner): Read | null {
  return measureIn(scanner, sizes, expected.size);
}

function measureIn(scanner: Scanner, units: Readonly<Record<string, number>>, words: string): Read | null {
  const digits = scanner.take(number);
  if (digits === null) {
    refuseNumber(scanner, words);
    return null;
  }
  const unit = scanner.take(/(?:ms|s|m|B|kB|KiB|MB|MiB)(?![a-zA-Z])(?!\d)/uy) ?? '';
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (factor === undefined) throw scanner.failure(`${words} is expected`, `${digits}${unit}`);
  return { value: Number(digits) * factor, text: `${digits}${unit}` };
}

/** A number that is none must not be taken for what comes next. */
function refuseNumber(scanner: Scanner, words: string): void {
  const wrong = scanner.take(/[-+\d.][^\s@]*/uy);
  if (wrong !== null) throw scanner.failure(`${words} is expected`, wrong);
}

function placeOf(scanner: Scanner): Where {
  if (scanner.take(/every\b/uy) !== null) return { type: 'every', step: positive(scanner) };
  if (scanner.take(/byte\b/uy) !== null) return { type: 'byte', offset: needed(scanner) };
  if (scanner.take(/t=/uy) !== null) {
    const time = timeIn(scanner);
    if (time === null) throw scanner.failure(`${expected.time} is expected`);
    return { type: 'time', ms: time.value };
  }
  const isAfter = scanner.take(/after\b/uy) !== null;
  if (scanner.take(/type=/uy) !== null) {
    const name = scanner.take(/[^\s@]+/uy);
    if (name === null) throw scanner.failure('the type or method of a frame is expected');
    return isAfter ? { type: 'after', name } : { type: 'named', name };
  }
  if (isAfter) throw scanner.failure('type=… is expected');
  const range = scanner.take(/\d{1,12}-\d{1,12}(?![\w.])/uy);
  if (range === null) {
    const from = positive(scanner, 'a place is expected: 12, 12-20, every 5, type=T, after type=T, byte 4096 or t=3s');
    return { type: 'frames', from, to: from };
  }
  const [from = 0, to = 0] = range.split('-').map(Number);
  if (from < 1 || to < from)
    throw scanner.failure('frames are counted from 1, and the last is not before the first', range);
  return { type: 'frames', from, to };
}

function needed(scanner: Scanner, words = 'a whole number is expected'): number {
  const text = scanner.take(whole);
  if (text === null) throw scanner.failure(words);
  return Number(text);
}

function positive(scanner: Scanner, words?: string): number {
  const value = needed(scanner, words);
  if (value < 1) throw scanner.failure('must be at least 1', String(value));
  return value;
}

function countOf(name: FaultKind, scanner: Scanner): number {
  if (scanner.take(/x(?=[\s\d])/uy) === null) return kinds[name].isOnce ? 1 : Number.POSITIVE_INFINITY;
  return needed(scanner, 'x needs a whole number: how often the fault happens at most');
}

function probabilityOf(scanner: Scanner): number {
  if (scanner.take(/p(?=[\s\d.])/uy) === null) return 1;
  const text = scanner.take(/(?:\d(?:\.\d{1,9})?|\.\d{1,9})(?![\w.])/uy);
  if (text === null || Number(text) > 1) throw scanner.failure('p needs a number from 0 to 1', text);
  return Number(text);
}

function directionOf(scanner: Scanner): FaultRule['on'] {
  if (scanner.take(/on\b/uy) === null) return 'out';
  const text = scanner.take(/(?:in|out)\b/uy);
  if (text === null) throw scanner.failure('on needs in (towards the agent) or out (from the agent)');
  return text === 'in' ? 'in' : 'out';
}
