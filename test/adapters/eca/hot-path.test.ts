// The hot path of an ECA server: contents are recognised without being parsed, as lines and behind headers, and mean the
// same.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/index.ts';
import {
  asFrames,
  asLines,
  type Content,
  contents,
  type Header,
  headers,
  type Mutation,
  messages,
  mutations,
  type Order,
  said,
} from '../../support/eca-contents.ts';
import { isFull, shareOf } from '../../support/full.ts';
import { cut, mustTellAlike, oneOf, type PassageOptions, pass, saidByAll } from '../../support/hot-path.ts';
import { chatId, say, talk } from './backend-words.ts';

const framing = 'content-length';

function texts(pieces: readonly string[], fields: Partial<Content> = {}): Content[] {
  return pieces.map((text) => ({ order: 'text last', kind: 'text', thought: 0, text, mutation: 'none', ...fields }));
}

const names = Object.keys(mutations) as Mutation[];
const contentKinds = (['text last', 'text first'] as const).flatMap((order) =>
  (['text', 'thought'] as const).map((kind) => ({ order, kind })),
);

describe('the hot path', () => {
  test.each<[string, Options]>([
    ['claude', {}],
    ['rpc-message', {}],
    ['pi', { dialect: 'delta-only' }],
    ['pi-server', {}],
    ['eca', {}],
  ])(
    'tells %s clients %j what the slow path tells them',
    (to, options) => {
      const asFramed = fc
        .tuple(contents, fc.array(oneOf(headers, 'plain'), { minLength: 1, maxLength: 7 }))
        .map(([list, hows]) => asFrames(messages(list), (place) => hows[place % hows.length] ?? 'plain'));
      const framed = mustTellAlike(asFramed, 'eca', to, 60, options, { framing });
      expect(framed.recognised).toBeGreaterThan(50);
      const lines = mustTellAlike(
        contents.map((list) => asLines(messages(list))),
        'eca',
        to,
        60,
        options,
      );
      expect(lines.recognised).toBeGreaterThan(80);
      if (to === 'pi-server') return;
      expect(framed.together).toBeGreaterThan(15);
      expect(lines.together).toBeGreaterThan(25);
    },
    60_000,
  );

  test.each(names)('judges a content as the parser does: %s', (how) => {
    for (const { order, kind } of shareOf(contentKinds, names.indexOf(how), 3)) {
      for (const isSuch of [(place: number) => place === 3, (place: number) => place > 1]) {
        const list = texts(['a', 'b', 'c \\ "', 'd', 'e', 'f'], { order, kind }).map((one, place) =>
          isSuch(place) ? { ...one, mutation: how } : one,
        );
        saidByAll([asLines(messages(list))], { from: 'eca', to: 'claude' });
        saidByAll([asFrames(messages(list))], { from: 'eca', to: 'claude', framing });
      }
    }
  });

  test.each(Object.keys(headers) as Header[])('reads a header as the framing does: %s', (how) => {
    for (const isSuch of [(place: number) => place === 4, (place: number) => place > 3]) {
      const list = messages(texts(['a', 'b', 'c', 'd', 'e', 'f']));
      const bytes = asFrames(list, (place) => (isSuch(place) ? how : 'plain'));
      saidByAll([bytes], { from: 'eca', to: 'claude', framing });
    }
  });

  test.each<[Order, Content['kind']]>([
    ['text last', 'text'],
    ['text last', 'thought'],
    ['text first', 'text'],
    ['text first', 'thought'],
  ])('needs two parsed contents for the rest of a block (%s, %s)', (order, kind) => {
    // The first one begins the block, the second one teaches.
    const list = messages(texts(['a', 'b', 'c\n', 'ü', 'e'], { order, kind }));
    for (const way of ['glance', 'burst'] as const) {
      expect(pass([asLines(list)], { from: 'eca', to: 'claude', way }).recognised).toBe(3);
      expect(pass([asFrames(list)], { from: 'eca', to: 'claude', way, framing }).recognised).toBe(3);
    }
  });

  test('a frame that is too long is too long, in a burst as well', () => {
    const list = messages(texts(['a', 'b', 'c', 'd', 'long '.repeat(500), 'f', 'g']));
    for (const sizes of [[], [100], [777]]) {
      const said = saidByAll(cut(asFrames(list), sizes), { from: 'eca', to: 'claude', maxFrameBytes: 2000, framing });
      expect(said.filter((one) => one === 'fault too-large')).toHaveLength(1);
    }
    const fits = messages(texts(['a', 'b', 'c', 'd', 'e']));
    const most = Math.max(...fits.map((line) => Buffer.byteLength(line)));
    expect(saidByAll([asFrames(fits)], { from: 'eca', to: 'claude', maxFrameBytes: most, framing })).not.toContain(
      'fault too-large',
    );
  });

  test('a text that a later one replaces is none', () => {
    const twice = (first: string, last: string) =>
      JSON.stringify(said('assistant', { type: 'text', text: first })).replace('"}}}', `","text":"${last}"}}}`);
    const list = messages(texts(['a', 'b']));
    // What the second one teaches must not be taken for the first text of the others.
    const lines = list.toSpliced(
      4,
      0,
      twice('c', 'c'),
      twice('c', 'c'),
      twice('d', 'c'),
      twice('c', 'd'),
      twice('e', 'e'),
    );
    saidByAll([asFrames(lines)], { from: 'eca', to: 'claude', framing });
  });

  test('bytes that are no UTF-8 are refused on both', () => {
    const bytes = asFrames(messages(texts(['a', 'b', 'c', 'd', 'e', 'f'])));
    bytes[bytes.indexOf('"text":"d"') + 8] = 0xff;
    saidByAll([bytes], { from: 'eca', to: 'claude', framing });
  });
});

describe('a burst', () => {
  const words = Array.from({ length: 40 }, (_, place) => `word ${place} `);
  const together = (bytes: Buffer, sizes: readonly number[] = []) => {
    const chunks = cut(bytes, sizes);
    const burst = pass(chunks, { from: 'eca', to: 'claude', way: 'burst', framing });
    expect(burst.said).toEqual(pass(chunks, { from: 'eca', to: 'claude', way: 'slow', framing }).said);
    return burst.together;
  };

  test('takes all contents of a chunk but those that begin and teach', () => {
    expect(together(asFrames(messages(texts(words))))).toBe(words.length - 2);
  });

  test('goes on behind each border of a chunk, in a header or in a body', () => {
    const bytes = asFrames(messages(texts(words.slice(0, 9))));
    const begin = bytes.indexOf('word 2');
    const end = bytes.indexOf('word 4');
    // A number that shares no divisor with the length of a content: each one is cut at other places.
    for (let border = begin; border < end; border += isFull ? 1 : 7) {
      // One content is in both chunks; behind the border others are together again.
      expect(together(bytes, [border, bytes.length])).toBeGreaterThan(3);
    }
  });

  test('a content in two chunks is recognised', () => {
    const list = messages(texts(words.slice(0, 5)));
    const bytes = asFrames(list);
    for (let border = bytes.indexOf('word 2') - 30; border < bytes.indexOf('word 3') - 130; border += 1) {
      for (const way of ['glance', 'burst'] as const) {
        const { recognised } = pass(cut(bytes, [border, bytes.length]), { from: 'eca', to: 'claude', way, framing });
        expect(recognised).toBe(3);
      }
    }
  });

  test.each([
    ['half a surrogate pair', '\ud83d'],
    ['U+2028', 'a\u2028b'],
    ['a control character', '\u0001'],
    ['nothing', ''],
  ])('ends before %s, and goes on behind it', (_name, odd) => {
    expect(together(asFrames(messages(texts(words.with(20, odd)))))).toBe(words.length - 3);
  });

  test.each<[string, object, number]>([
    ['the usage', { type: 'usage', sessionTokens: 3 }, words.length - 2],
    ['a progress', { type: 'progress', state: 'running', text: 'Thinking hard' }, words.length - 2],
    // Its frame waits for the end of the message, and nothing is written quickly before that.
    ['a system text', { type: 'text', text: 'by the way' }, 16],
  ])('ends before %s, which stays where it was', (_name, content, expected) => {
    const list = messages(texts(words));
    const params = { chatId: 'c1', role: 'system', content };
    const beside = JSON.stringify({ jsonrpc: '2.0', method: 'chat/contentReceived', params });
    expect(together(asFrames(list.toSpliced(20, 0, beside)))).toBe(expected);
  });
});

describe('a burst for ECA clients', () => {
  const words = Array.from({ length: 12 }, (_, place) => `word ${place} `);
  const together = (from: string, bytes: Buffer, chosen: Partial<PassageOptions> = {}) => {
    const burst = pass([bytes], { from, to: 'eca', way: 'burst', ...chosen });
    expect(burst.said).toEqual(pass([bytes], { from, to: 'eca', way: 'slow', ...chosen }).said);
    return burst;
  };

  // The frames for these clients name the session. Room for a text in a frame of 4095 bytes with its header:
  const frame = { jsonrpc: '2.0', method: 'chat/contentReceived', params: { chatId: 'trace', role: 'assistant' } };
  const around = JSON.stringify({ ...frame, params: { ...frame.params, content: { type: 'text', text: '' } } }).length;
  const most = 4095 - 'Content-Length: 4095\r\n\r\n'.length;
  const room = most - around;
  test.each([
    ['fits', 'x'.repeat(room), 10],
    ['does not fit', 'x'.repeat(room + 1), 0],
    ['fits in two bytes a letter', 'é'.repeat(Math.floor(room / 2)), 10],
    ['does not fit in two bytes a letter', 'é'.repeat(Math.floor(room / 2) + 1), 0],
    ['fits with its escapes', '"'.repeat(Math.floor(room / 2)), 10],
    ['does not fit with its escapes', '"'.repeat(Math.floor(room / 2) + 1), 0],
  ])('is one as long as each delta %s into one frame', (_name, text, expected) => {
    const list = messages(texts(words.with(7, text)));
    const { said: frames, together: count } = together('eca', asFrames(list), { framing });
    expect(count).toBe(expected);
    for (const one of frames) expect(Buffer.byteLength(one)).toBeLessThanOrEqual(most);
  });

  test('is none while half a character waits for the other half', () => {
    for (const half of ['\ud83d', 'x\ud83d']) {
      together('eca', asFrames(messages(texts(words.with(5, half)))), { framing });
      together('eca', asFrames(messages(texts(words.with(5, half).with(6, '\ude00')))), { framing });
    }
  });

  test('needs a chat that has shown that the model writes', () => {
    const list = messages(texts(words));
    const waits = said('system', { type: 'progress', state: 'running', text: 'Waiting model' });
    // Behind another progress, the first delta shows that the model writes again.
    const lines = list.toSpliced(8, 0, JSON.stringify(waits));
    expect(together('eca', asFrames(lines), { framing }).together).toBe(4);
  });
});

describe('a content is not recognised', () => {
  const speaks = say('assistant', { type: 'text', text: 'word' });
  const over = say('system', { type: 'progress', state: 'finished', text: '' });

  function speaking() {
    const server = talk('modern');
    server.prompt('hello');
    server.hear(say('user', { type: 'text', text: 'hello\n' }), speaks, speaks);
    expect(server.recognises(speaks)).toBe(true);
    return server;
  }

  test('while a steering text is due that the server did not repeat', () => {
    const server = speaking();
    server.ask({ type: 'steer', content: [{ type: 'text', text: 'faster' }] });
    expect(server.recognises(speaks)).toBe(true);
    // The steering text is sent as a prompt, and comes before further words of the model.
    server.hear(over);
    expect(server.recognises(speaks)).toBe(false);
    server.hear(speaks, speaks);
    expect(server.recognises(speaks)).toBe(true);
  });

  test('once the run is over', () => {
    const server = speaking();
    server.hear(over);
    expect(server.recognises(speaks)).toBe(false);
  });

  test('once its chat is that of a sub-agent', () => {
    const server = speaking();
    const call = { id: 'x', name: 'task', arguments: {} };
    server.hear(say('assistant', { type: 'toolCallRun', ...call }), speaks, speaks);
    expect(server.recognises(speaks)).toBe(true);
    const details = { type: 'subagent', subagentChatId: chatId };
    server.hear(say('assistant', { type: 'toolCallRunning', ...call, details }));
    expect(server.recognises(speaks)).toBe(false);
  });
});
