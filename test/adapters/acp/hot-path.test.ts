// The hot path of an ACP agent: chunks are recognised without being parsed, and mean the same.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Backend } from '../../../src/core/contract/adapter/backend.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { deltas, mustTellAlike, mutationsOfAnyLine, oneOf, pass, saidByAll } from '../../support/hot-path.ts';

const mutations = {
  ...mutationsOfAnyLine,
  spaces: (line: string) => line.replace('"text":', '"text" : '),
  'unusual escape': (line: string) => line.replace('"text":"', '"text":"\\u0041'),
  'extra key in the content': (line: string) => line.replace('"content":{', '"content":{"more":{"text":"no"},'),
  'extra key in the update': (line: string) => line.replace('"update":{', '"update":{"_meta":{"a":1},'),
  'text twice': (line: string) => line.replace('"text":"', '"text":"first","text":"'),
  'text null': (line: string) => line.replace(/"text":"(?:[^"\\]|\\.)*"/u, '"text":null'),
  'control character': (line: string) => line.replace('"text":"', '"text":"\u0001'),
  'bad escape': (line: string) => line.replace('"text":"', '"text":"\\x'),
  'other session': (line: string) => line.replace('"sessionId":"s1"', '"sessionId":"s2"'),
  'other message': (line: string) => line.replace('"messageId":"m', '"messageId":"n'),
  'no message': (line: string) => line.replace(/,?"messageId":"m\d"/u, ''),
  'other method': (line: string) => line.replace('session/update', 'session/other'),
  'other kind': (line: string) => line.replace('agent_message_chunk', 'agent_thought_chunk'),
  'of the user': (line: string) => line.replace('agent_message_chunk', 'user_message_chunk'),
  'other type': (line: string) => line.replace('"type":"text"', '"type":"image","data":"a"'),
  'a request': (line: string) => line.replace('{"jsonrpc":"2.0",', '{"jsonrpc":"2.0","id":9,'),
} as const;
type Mutation = keyof typeof mutations;

/** Where agents write the id and the text: claude the text first, codex the id first, gemini has no ids. */
const orders = ['id first', 'text first', 'no id'] as const;
interface Chunk {
  readonly order: (typeof orders)[number];
  readonly kind: 'agent_message_chunk' | 'agent_thought_chunk';
  readonly text: string;
  readonly mutation: Mutation;
}

function lineOf({ order, kind, text, mutation }: Chunk): string {
  const content = { type: 'text', text };
  const update =
    order === 'no id'
      ? { sessionUpdate: kind, content }
      : order === 'text first'
        ? { sessionUpdate: kind, content, messageId: 'm1' }
        : { sessionUpdate: kind, messageId: 'm1', content };
  return mutations[mutation](
    JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } }),
  );
}

const bytesOf = (chunks: readonly Chunk[]) => Buffer.from(chunks.map((chunk) => `${lineOf(chunk)}\n`).join(''));

/** The agent has opened a session and works on a prompt when the bytes come. */
function prepared(backend: Backend): Backend {
  const hear = (message: object) => backend.decode(createFrame(Buffer.from(JSON.stringify(message))));
  const before = [
    ...(backend.start?.() ?? []),
    ...hear({ jsonrpc: '2.0', id: 0, result: { protocolVersion: 1 } }),
    ...hear({ jsonrpc: '2.0', id: 1, result: { sessionId: 's1' } }),
    ...backend.encode({ type: 'prompt', content: [{ type: 'text', text: 'hello' }] }, 'c1'),
  ].filter((action) => action.do === 'deliver');
  return {
    ...backend,
    decode: (frame) => [...before.splice(0), ...backend.decode(frame)],
  };
}

const chunks = fc
  .tuple(
    fc.constantFrom(...orders),
    fc.array(
      fc.record({
        kind: fc.constantFrom(
          'agent_message_chunk' as const,
          'agent_message_chunk' as const,
          'agent_thought_chunk' as const,
        ),
        text: deltas(['"}}}}\n', '"text":"']),
        mutation: oneOf(mutations, 'none'),
      }),
      { minLength: 4, maxLength: 12 },
    ),
  )
  .map(([order, list]) => list.map((chunk): Chunk => ({ order, ...chunk })));

describe('the hot path', () => {
  test.each(['claude', 'pi', 'eca', 'canonical'])('tells %s clients what the slow path tells them', (to) => {
    const options = to === 'pi' ? { dialect: 'delta-only' } : {};
    const taken = mustTellAlike(chunks.map(bytesOf), 'acp', to, 60, options, { prepared });
    // Each of these short streams begins with lines that are parsed, and many lines are changed: few are left, by chance.
    expect(taken.recognised).toBeGreaterThan(5);
    if (to !== 'canonical') expect(taken.together).toBeGreaterThan(0);
  });

  test.each(orders)('recognises all chunks of a plain stream but the first ones: %s', (order) => {
    const list = Array.from(
      { length: 100 },
      (_, place): Chunk => ({ order, kind: 'agent_message_chunk', text: `word ${place} `, mutation: 'none' }),
    );
    const { recognised, together } = pass([bytesOf(list)], { from: 'acp', to: 'claude', way: 'burst', prepared });
    expect(recognised).toBeGreaterThan(95);
    expect(together).toBeGreaterThan(90);
  });

  test.each(Object.keys(mutations) as Mutation[])('judges a chunk as the parser does: %s', (how) => {
    for (const order of orders) {
      for (const isSuch of [(place: number) => place === 3, (place: number) => place > 1]) {
        const list = ['a', 'b', 'c \\ "', 'd', 'e', 'f'].map(
          (text, place): Chunk => ({
            order,
            kind: 'agent_message_chunk',
            text,
            mutation: isSuch(place) ? how : 'none',
          }),
        );
        saidByAll([bytesOf(list)], { from: 'acp', to: 'claude', prepared });
      }
    }
  });
});
