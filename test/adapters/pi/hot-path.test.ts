// The hot path and the slow path are one: whatever lines come, in whatever pieces, the client is told the same.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cut, deltas, mustTellAlike, mutationsOfAnyLine, oneOf, pass } from '../../support/hot-path.ts';

type Shape = 'bare' | 'snapshot' | 'message first';

interface Update {
  readonly shape: Shape;
  readonly kind: 'text' | 'thinking' | 'toolcall';
  readonly index: number;
  readonly delta: string;
  readonly mutation: Mutation;
}

/** What may happen to a line, as text. Each must be judged as the parser judges it. */
const mutations = {
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
type Mutation = keyof typeof mutations;

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
function stream(updates: readonly Update[]): Buffer {
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
  return Buffer.from(`${lines.join('\n')}\n`);
}

const piece = deltas(['","partial":{', '{"delta":"']);
const mutation = oneOf(mutations, 'none');
const updates = fc
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

describe('the hot path', () => {
  test.each(['claude', 'rpc-message', 'pi'])(
    'tells %s clients what the slow path tells them',
    (to) => {
      const recognised = mustTellAlike(updates.map(stream), 'pi', to, 300);
      // Else this would compare the slow path with itself.
      expect(recognised).toBeGreaterThan(500);
    },
    60_000,
  );

  test.each(Object.keys(mutations) as Mutation[])('judges a line as the parser does: %s', (how) => {
    for (const shape of ['bare', 'snapshot', 'message first'] as const) {
      const parts = ['one', 'two', 'three \\ "', 'four'].map(
        (delta, place): Update => ({ shape, kind: 'text', index: 0, delta, mutation: place === 2 ? how : 'none' }),
      );
      const chunks = [stream(parts)];
      const slow = pass(chunks, { from: 'pi', to: 'claude', isFastPathOn: false });
      expect(pass(chunks, { from: 'pi', to: 'claude', isFastPathOn: true }).said).toEqual(slow.said);
    }
  });

  test.each([
    ['bare', 3],
    ['snapshot', 3],
    ['message first', 0],
  ] as const)('needs one parsed line for the rest of a block (%s)', (shape, expected) => {
    const parts = ['a', 'b', 'c\n', 'ü'].map(
      (delta): Update => ({ shape, kind: 'text', index: 0, delta, mutation: 'none' }),
    );
    expect(pass([stream(parts)], { from: 'pi', to: 'claude', isFastPathOn: true }).recognised).toBe(expected);
  });

  test('a recognised line that is too long is too long', () => {
    const parts = ['a', 'b', 'c'.repeat(3000), 'd'].map(
      (delta): Update => ({ shape: 'bare', kind: 'text', index: 0, delta, mutation: 'none' }),
    );
    for (const sizes of [[], [100], [777]]) {
      const chunks = cut(stream(parts), sizes);
      const quick = pass(chunks, { from: 'pi', to: 'claude', isFastPathOn: true, maxFrameBytes: 2000 });
      expect(quick.said).toEqual(
        pass(chunks, { from: 'pi', to: 'claude', isFastPathOn: false, maxFrameBytes: 2000 }).said,
      );
      expect(quick.said).toContain('fault too-large');
    }
  });

  test('bytes that are no UTF-8 are refused on both', () => {
    const parts = ['a', 'b', 'c', 'd'].map(
      (delta): Update => ({ shape: 'bare', kind: 'text', index: 0, delta, mutation: 'none' }),
    );
    const bytes = stream(parts);
    bytes[bytes.indexOf('"delta":"c"') + 9] = 0xff;
    const slow = pass([bytes], { from: 'pi', to: 'claude', isFastPathOn: false });
    expect(pass([bytes], { from: 'pi', to: 'claude', isFastPathOn: true }).said).toEqual(slow.said);
  });
});
