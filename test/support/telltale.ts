// A short conversation whose words are like no other words on any wire, and how to find words in frames of any protocol.
// Knows no protocol.
import type { Capabilities } from '../../src/core/contract/adapter/adapter.ts';
import type { Event } from '../../src/core/model/event.ts';

/** Words that a client must be told. */
export interface Words {
  readonly words: string;
  /** Whether these frames tell them. */
  isIn(texts: readonly string[]): boolean;
}

const first = ['ΑΒΓ', 'ΔΕΖ', 'ΗΘΙ'];
const second = ['ΚΛΜ', 'ΝΞΟ'];
const result = 'ΠΡΣ';

const text = (pieces: readonly string[]): Event[] => [
  { type: 'block-start', index: 0, block: { kind: 'text' } },
  ...pieces.map((delta): Event => ({ type: 'block-delta', index: 0, delta })),
  { type: 'block-end', index: 0 },
];

/** Two messages with a tool call between them. */
export const conversation: readonly Event[] = [
  { type: 'run-start' },
  { type: 'turn-start' },
  { type: 'message-added', role: 'user', origin: 'prompt', content: [{ type: 'text', text: 'go' }] },
  { type: 'message-start', id: 'm1', model: 'model' },
  ...text(first),
  { type: 'block-start', index: 1, block: { kind: 'tool-call', id: 'c1', name: 'read' } },
  { type: 'block-delta', index: 1, delta: '{"a":1}' },
  { type: 'block-end', index: 1, input: { a: 1 } },
  { type: 'message-end', stop: { reason: 'tool-use' } },
  { type: 'tool-start', call: 'c1', name: 'read', input: { a: 1 } },
  { type: 'tool-end', call: 'c1', name: 'read', content: [{ type: 'text', text: result }], isError: false },
  { type: 'turn-end' },
  { type: 'turn-start' },
  { type: 'message-start', id: 'm2', model: 'model' },
  ...text(second),
  { type: 'message-end', stop: { reason: 'end' } },
  { type: 'turn-end' },
  { type: 'run-end', outcome: 'completed' },
];

/** The words of the conversation that a protocol with these capabilities can tell. */
export function finds(can: Capabilities): Words[] {
  const isTold = (type: Event['type'], words: string): Words[] =>
    can.events.includes(type) ? [{ words, isIn: (texts) => tells(texts, words) }] : [];
  return [
    ...isTold('block-delta', first.join('')),
    ...isTold('block-delta', second.join('')),
    ...isTold('tool-end', result),
  ];
}

/** Every string in a frame with its place; a frame that is no JSON may hold strings in quotes. */
function stringsIn(text: string): [place: string, words: string][] {
  const leaves = (value: unknown, place: string): [string, string][] => {
    if (typeof value === 'string') return [[place, value]];
    if (typeof value !== 'object' || value === null) return [];
    // The members of a list are at one place.
    return Object.entries(value).flatMap(([key, member]) =>
      leaves(member, Array.isArray(value) ? place : `${place}.${key}`),
    );
  };
  try {
    return leaves(JSON.parse(text), '');
  } catch {
    const quoted = [...text.matchAll(/"(?:[^"\\]|\\.)*"/gu)].map(([words]): string => JSON.parse(words));
    return quoted.map((words) => [text.slice(0, text.indexOf('"')), words]);
  }
}

/** Whether frames tell these words: in one string, or in strings that follow each other at one place of the frames. */
export function tells(texts: readonly string[], words: string): boolean {
  const places = new Map<string, string>();
  for (const [place, said] of texts.flatMap(stringsIn)) places.set(place, `${places.get(place) ?? ''}${said}`);
  return [...places.values()].some((said) => said.includes(words));
}
