// Compares messages and says in words where they differ, so that a failure can be read without a debugger.
import { isDeepStrictEqual } from 'node:util';
import type { FinalMessage } from './message-stream.ts';
import { cutInput } from './pi-messages.ts';

/** Differences that a caller declares beforehand. */
export interface Allowance {
  /** Thinking signatures that the agent's wire brings only after the block has ended: theirs may be missing. */
  readonly lateSignature?: boolean;
}

function brief(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 160 ? `${json.slice(0, 100)}…${json.slice(-50)} (${json.length})` : json;
}

/** A text that differs late is shown from where it differs. */
function between(path: string, actual: unknown, expected: unknown): string {
  if (typeof actual !== 'string' || typeof expected !== 'string') {
    return `${path}: ${brief(actual)} instead of ${brief(expected)}`;
  }
  const length = Math.max(actual.length, expected.length);
  const at = Array.from({ length }, (_, index) => index).find((index) => actual[index] !== expected[index]) ?? 0;
  const window = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 20), at + 40));
  return `${path} from character ${at}: ${window(actual)} instead of ${window(expected)}`;
}

function fieldDifferences(path: string, actual: object, expected: object): string[] {
  const [left, right] = [new Map(Object.entries(actual)), new Map(Object.entries(expected))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((key) => !isDeepStrictEqual(left.get(key), right.get(key)))
    .map((key) => between(`${path}.${key}`, left.get(key), right.get(key)));
}

/** The two blocks without what need not be equal: the input of a cut call, a signature that came too late. */
function comparable(block: unknown, expected: object, allowance: Allowance): object {
  const object: object = typeof block === 'object' && block !== null ? block : { block };
  const ignored = new Set<string>();
  if ('input' in expected && expected.input === cutInput) ignored.add('input');
  if (allowance.lateSignature && 'signature' in expected) ignored.add('signature');
  return Object.fromEntries(Object.entries(object).filter(([key]) => !ignored.has(key)));
}

/** What differs between two messages, as lines; empty when they are equal. */
export function messageDifferences(actual: FinalMessage, expected: FinalMessage, allowance: Allowance = {}): string[] {
  const lines = fieldDifferences('message', { ...actual, content: 0 }, { ...expected, content: 0 });
  if (actual.content.length !== expected.content.length) {
    lines.push(`content: ${brief(actual.content)} instead of ${brief(expected.content)}`);
    return lines;
  }
  for (const [at, block] of expected.content.entries()) {
    const due = typeof block === 'object' && block !== null ? block : { block };
    const [own, other] = [comparable(actual.content[at], due, allowance), comparable(due, due, allowance)];
    lines.push(...fieldDifferences(`content[${at}]`, own, other));
  }
  return lines;
}

/** The same for two lists of messages. */
export function messagesDifferences(
  actual: readonly FinalMessage[],
  expected: readonly FinalMessage[],
  allowance: Allowance = {},
): string[] {
  const count = actual.length === expected.length ? [] : [`${actual.length} messages instead of ${expected.length}`];
  const found = expected.slice(0, actual.length).flatMap((message, at) => {
    const own = actual[at];
    const lines = own === undefined ? [] : messageDifferences(own, message, allowance);
    return lines.map((line) => `message ${at}: ${line}`);
  });
  return [...count, ...found];
}
