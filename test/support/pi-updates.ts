// Updates of a pi, sound and mutated, as lines that may be wrapped by whoever passes them on.
import fc from 'fast-check';
import { deltas, mutationsOfAnyLine, oneOf } from './hot-path.ts';

/** How a delta line repeats the message: not at all, behind the delta, or in front of it. */
export type Shape = 'bare' | 'snapshot' | 'message first';

/** One delta. */
export interface Update {
  readonly shape: Shape;
  readonly kind: 'text' | 'thinking' | 'toolcall';
  readonly index: number;
  readonly delta: string;
  readonly mutation: Mutation;
}

/** What may happen to a line, as text. Each must be judged as the parser judges it. */
export const mutations = {
  ...mutationsOfAnyLine,
  spaces: (line: string) => line.replace('"delta":', '"delta" : ').replace('{', '{ '),
  'escaped slash': (line: string) => line.replace('"delta":"', '"delta":"\\/'),
  'extra key in the update': (line: string) => line.replace('"contentIndex"', '"more":{"delta":"no"},"contentIndex"'),
  'delta twice': (line: string) => line.replace('"delta":', '"delta":"first","delta":'),
  'delta before the index': (line: string) =>
    line.replace(/("contentIndex":\d+),("delta":"(?:[^"\\]|\\.)*")/u, (_all, index, delta) => `${delta},${index}`),
  'other index': (line: string) => line.replace(/"contentIndex":\d+/u, '"contentIndex":7'),
  'no string': (line: string) => line.replace(/"delta":"(?:[^"\\]|\\.)*"/u, '"delta":7'),
  'control character': (line: string) => line.replace('"delta":"', '"delta":"\u0001'),
  'bad escape': (line: string) => line.replace('"delta":"', '"delta":"\\x'),
  'cut in the delta': (line: string) => line.slice(0, line.indexOf('"delta":"') + 10),
  'cut behind the update': (line: string) => line.replace(/,"message":.*$/u, ''),
  'type behind the delta': (line: string) => line.replace(/"type":"(\w+_delta)",(.*?)\}/u, '$2,"type":"$1"}'),
  'another type behind the delta': (line: string) =>
    line.replace(/"type":"(\w+)_delta",(.*)\}\}$/u, '$2,"type":"$1_end","content":""}}'),
  'cut in the middle': (line: string) => line.slice(0, Math.floor(line.length * 0.7)),
} as const;
export type Mutation = keyof typeof mutations;

/** Between the delta of a snapshot line and its last bytes nobody looks (adapters/pi/README.md): only there they differ. */
const unseen: ReadonlySet<string> = new Set(['snapshot doubled']);

const usage = { input: 3, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 4 };
const base = { role: 'assistant', content: [] as object[], api: 'a', provider: 'p', model: 'm', usage };
const message = (text: string) => ({
  ...base,
  content: [{ type: 'text', text, index: 0 }],
  stopReason: 'stop',
  timestamp: 17,
});

function lineOf({ shape, kind, index, delta }: Update, sofar: string): string {
  const event = { type: `${kind}_delta`, contentIndex: index, delta };
  if (shape === 'bare') return JSON.stringify({ type: 'message_update', usage, assistantMessageEvent: event });
  const partial = message(sofar);
  const full = { ...event, partial };
  if (shape === 'snapshot')
    return JSON.stringify({ type: 'message_update', assistantMessageEvent: full, message: partial });
  return JSON.stringify({ type: 'message_update', message: partial, assistantMessageEvent: full });
}

const opening = (kind: Update['kind'], index: number) => ({
  type: 'message_update',
  assistantMessageEvent: { type: `${kind}_start`, contentIndex: index, id: `call-${index}`, toolName: 'bash' },
});

/** A run with one message whose blocks stream these updates. */
export function stream(updates: readonly Update[], wrap: (line: string) => string = (line) => line): Buffer {
  const lines = [{ type: 'agent_start' }, { type: 'turn_start' }, { type: 'message_start', message: base }].map(
    (line) => JSON.stringify(line),
  );
  const open = new Set<number>();
  let sofar = '';
  for (const update of updates) {
    if (!open.has(update.index)) lines.push(JSON.stringify(opening(update.kind, update.index)));
    open.add(update.index);
    sofar += update.delta;
    const isSeen = !unseen.has(`${update.shape} ${update.mutation}`);
    lines.push(mutations[isSeen ? update.mutation : 'none'](lineOf(update, sofar)));
  }
  lines.push(JSON.stringify({ type: 'message_end', message: message(sofar) }));
  lines.push(JSON.stringify({ type: 'turn_end' }), JSON.stringify({ type: 'agent_end', messages: [] }));
  return Buffer.from(lines.map((line) => `${wrap(line)}\n`).join(''));
}

const piece = deltas(['","partial":{', '{"delta":"']);
const mutation = oneOf(mutations, 'none');
/** Updates of one message. */
export const updates = fc
  .tuple(
    fc.constantFrom<Shape>('bare', 'snapshot', 'message first'),
    fc.constantFrom<Update['kind']>('text', 'thinking', 'toolcall'),
    fc.array(fc.record({ delta: piece, mutation, move: fc.integer({ min: 0, max: 9 }) }), {
      minLength: 2,
      maxLength: 14,
    }),
  )
  .map(([shape, kind, parts]) => {
    let index = 0;
    return parts.map(({ delta, mutation: how, move }): Update => {
      if (move === 0) index += 1;
      return { shape, kind, index, delta, mutation: how };
    });
  });
