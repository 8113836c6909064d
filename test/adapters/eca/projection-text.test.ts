// What the model says: texts in short frames, thoughts, things that come whole (docs/protocols/eca.md 8.3).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textFrames } from '../../../src/adapters/eca/projection/encode-frame.ts';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event } from '../../../src/core/model/event.ts';
import {
  afterPrompt,
  closed,
  contentsOf,
  message,
  opened,
  piece,
  run,
  stopped,
  text,
  told,
  user,
} from './projection-words.ts';

/** Bytes of a frame on its way to a client, with its header. */
function sizeOf(frame: string): number {
  const length = Buffer.byteLength(frame);
  return `Content-Length: ${length}\r\n\r\n`.length + length;
}
const textOf = (frame: string): string => JSON.parse(frame).params.content.text;
const joined = (frames: readonly string[]): string => frames.map(textOf).join('');
/** Half of a pair. */
const lonely = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/u;

describe('frames of a text', () => {
  const frames = textFrames({ chatId: 'chat' }, 'assistant', { type: 'text' }, 'text');

  test.each<[string, string, number]>([
    ['nothing', '', 1],
    ['a word', 'hello', 1],
    ['what just fits', 'x'.repeat(3_900), 1],
    ['20 kB', 'x'.repeat(20_000), 6],
    ['quotes', '"'.repeat(5_000), 3],
    ['line ends', '\n'.repeat(5_000), 3],
    ['control characters', '\u0001'.repeat(5_000), 8],
    ['two bytes each', 'ü'.repeat(5_000), 3],
    ['three bytes each', '中'.repeat(5_000), 4],
    ['pairs', '\u{1F600}'.repeat(5_000), 6],
    ['half pairs', '\uD83D'.repeat(5_000), 8],
  ])('%s', (_, words, count) => {
    const all = frames(words);
    expect(all).toHaveLength(count);
    expect(joined(all)).toBe(words);
    for (const frame of all) expect(sizeOf(frame)).toBeLessThan(4096);
  });

  test('are as short with a chat of a long name', () => {
    const long = textFrames({ chatId: '\u{1F600}'.repeat(128) }, 'assistant', { type: 'reasonText', id: 'r' }, 'text');
    const all = long('\u0001中"'.repeat(3_000));
    for (const frame of all) expect(sizeOf(frame)).toBeLessThan(4096);
    expect(joined(all)).toBe('\u0001中"'.repeat(3_000));
  });

  test('say any text, whole pairs in each', () => {
    const unit = fc.constantFrom('a', '"', '\\', '\n', '\u0000', '\u007F', '\u0085', 'ü', '中', '\u2028', '\u{1F600}');
    fc.assert(
      fc.property(fc.array(unit, { minLength: 500, maxLength: 4_000, size: 'max' }), (units) => {
        const words = units.join('');
        const all = frames(words);
        expect(joined(all)).toBe(words);
        for (const frame of all) {
          expect(sizeOf(frame)).toBeLessThan(4096);
          expect(textOf(frame)).not.toMatch(lonely);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('deltas', () => {
  test('cut in a pair of surrogates are joined: some readers refuse half of one', () => {
    const { frames } = told([...run, message(), ...text(0, 'a\uD83D', '\uDE00b')]);
    expect(contentsOf(frames, 'text')).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: '\u{1F600}b' },
    ]);
  });

  test('the half that stays alone is told at the end', () => {
    const { frames } = told([...run, message(), ...text(0, 'a', '\uD83D')]);
    expect(contentsOf(frames, 'text').map((content) => content.text)).toEqual(['a', '\uD83D']);
  });

  test('of a block that nobody opened are text', () => {
    expect(afterPrompt([message(), piece(3, 'x')])).toEqual(['S (Generating)', 'A "x"']);
  });

  test('text that only the end of a block tells', () => {
    const events = [message(), opened(0, { kind: 'text' }), piece(0, 'a'), closed(0, { text: 'ab' })];
    expect(afterPrompt(events)).toEqual(['S (Generating)', 'A "a"', 'A "b"']);
  });
});

describe('thoughts', () => {
  const thought: Event[] = [opened(0, { kind: 'thinking' }), piece(0, 'I '), piece(0, 'see'), closed(0)];

  test('are told as they come, each under an id of its own', () => {
    const second = [opened(1, { kind: 'thinking' }), closed(1)];
    expect(afterPrompt([message(), ...thought])).toEqual([
      'S (Generating)',
      'A reasonStarted',
      'A reasonText "I "',
      'A reasonText "see"',
      'A reasonFinished',
    ]);
    const { frames } = told([
      ...run,
      message(),
      ...thought,
      ...second,
      { type: 'message-end', stop: { reason: 'end' } },
    ]);
    const more = told([...run, message(), ...thought, ...second, message('n'), ...thought]);
    const ids = contentsOf(more.frames, 'reasonStarted').map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(contentsOf(frames, 'reasonFinished').map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });

  test('say how long they took', () => {
    const { frames } = told([...run, message(), ...thought]);
    // The clock of the tests ticks 10 ms an event.
    expect(contentsOf(frames, 'reasonFinished')).toMatchObject([{ totalTimeMs: 30 }]);
  });

  test('are ended when the run is stopped', () => {
    const words = afterPrompt([message(), opened(0, { kind: 'thinking' }), piece(0, 'I '), stopped]);
    expect(words.slice(2)).toEqual([
      'A reasonText "I "',
      'A reasonFinished',
      'S "\\nPrompt stopped\\n"',
      'stopping',
      'S finished',
    ]);
  });
});

describe('what comes whole', () => {
  const usage = 'S (Generating)';
  test.each<[string, Content, string[], string[]]>([
    ['a text', { type: 'text', text: 'hi' }, [usage, 'A "hi"'], []],
    ['no text', { type: 'text', text: '' }, [], []],
    [
      'a thought',
      { type: 'thinking', text: 'I see' },
      [usage, 'A reasonStarted', 'A reasonText "I see"', 'A reasonFinished'],
      [],
    ],
    ['a hidden thought', { type: 'thinking', text: '', redacted: true }, [], ['redacted thinking']],
    ['a link', { type: 'link', url: 'https://example.org' }, [usage, 'A url'], []],
    ['an image', { type: 'image', data: 'aGk=' }, [usage, 'A image'], []],
    ['an image elsewhere', { type: 'image', url: 'https://example.org/i.png' }, [usage, 'A url'], []],
    ['a document elsewhere', { type: 'document', url: 'https://example.org/d.pdf' }, [usage, 'A url'], []],
    ['a document', { type: 'document', data: 'aGk=' }, [], ['document']],
    [
      'a call that the provider has run',
      { type: 'tool-call', id: 'c', name: 'search', input: { for: 'cables' } },
      [usage, 'A prepare c "{\\"for\\":\\"cables\\"}"', 'A run c', 'A called c'],
      [],
    ],
    ['anything else', { type: 'opaque', name: 'hologram', protocol: 'p', payload: {} }, [], ['block hologram']],
  ])('%s', (_, content, expected, losses) => {
    const events: Event[] = [message(), opened(0, { kind: 'whole', content }), closed(0)];
    expect(afterPrompt(events)).toEqual(expected);
    expect(told([...run, ...events]).losses).toEqual(losses);
  });

  test('a link has a title, an image its type', () => {
    const link: Content = { type: 'link', url: 'https://example.org' };
    const named: Content = { ...link, title: 'Cables' };
    const image: Content = { type: 'image', data: 'aGk=', mediaType: 'image/webp' };
    const events = [link, named, image].map((content, index) => opened(index, { kind: 'whole', content }));
    const { frames } = told([...run, message(), ...events]);
    expect(contentsOf(frames, 'url')).toEqual([
      { type: 'url', title: link.url, url: link.url },
      { type: 'url', title: 'Cables', url: link.url },
    ]);
    expect(contentsOf(frames, 'image')).toEqual([{ type: 'image', mediaType: 'image/webp', base64: 'aGk=' }]);
  });
});

describe('history', () => {
  test('is told without a run: texts, thoughts, calls with their results', () => {
    const said: Content[] = [
      { type: 'thinking', text: 'I see' },
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', id: 'c', name: 'read', input: { path: 'notes' } },
    ];
    const result: Event = {
      type: 'message-added',
      role: 'tool',
      origin: 'replay',
      call: 'c',
      name: 'read',
      content: [{ type: 'text', text: 'cables' }],
    };
    const { frames, losses } = told([
      user('go', { origin: 'replay' }),
      { type: 'message-added', role: 'assistant', origin: 'replay', content: said },
      result,
      { type: 'message-added', role: 'summary', origin: 'replay', content: [] },
    ]);
    expect(frames.map(({ params }) => params.content?.type)).toEqual([
      undefined,
      'text',
      'metadata',
      'reasonStarted',
      'reasonText',
      'reasonFinished',
      'text',
      'toolCallPrepare',
      'toolCallRun',
      'toolCalled',
    ]);
    expect(contentsOf(frames, 'toolCalled')).toMatchObject([{ id: 'c', outputs: [{ text: 'cables' }] }]);
    expect(losses).toEqual(['message of role summary']);
  });

  test('does not count as the words of the next run', () => {
    const { frames } = told([user('old', { origin: 'replay' }), ...run, user('go')]);
    expect(frames.map(({ params }) => params.content?.text ?? params.status)).toEqual([
      undefined,
      'old\n',
      undefined,
      'go\n',
      'running',
      'Waiting model',
    ]);
  });
});
