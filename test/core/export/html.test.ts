// An exported page: it shows the whole conversation, and nothing in the conversation can be more than text in it.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlPage, pageMark } from '../../../src/core/export/html.ts';
import { element, written } from '../../../src/core/export/html-markup.ts';
import { style } from '../../../src/core/export/html-style.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { figuresOf, messagesOf } from '../../../src/core/log/messages.ts';
import type { Content, Message } from '../../../src/core/model/content.ts';
import { legalEvents } from '../../support/core/arbitraries.ts';
import { elementsOf, type PageElement, readPage, shownText, skeleton } from '../../support/judges/html-page.ts';

const exportedAt = Date.UTC(2025, 0, 2, 3, 4, 5);
const text = (words: string): Content => ({ type: 'text', text: words });

function pageOf(messages: readonly Message[], title = 'A talk'): string {
  return [pageMark, ...written(htmlPage({ title, exportedAt, messages, figures: figuresOf(messages) }))].join('');
}

/** The body of a page. */
function bodyOf(messages: readonly Message[], title?: string): PageElement {
  const [body] = elementsOf(readPage(pageOf(messages, title)), 'body');
  if (body === undefined) throw new Error('the page has no body');
  return body;
}

const articlesOf = (...messages: Message[]) => elementsOf(bodyOf(messages), 'article');

/** A conversation with everything in it; `word` is wherever a foreign word may be. */
function conversation(word: string): Message[] {
  return [
    {
      role: 'user',
      origin: 'prompt',
      content: [text(word), { type: 'image', name: word, data: 'AAAA', mediaType: 'image/png' }],
    },
    {
      role: 'assistant',
      model: word,
      provider: word,
      content: [
        { type: 'thinking', text: word, signature: word },
        text(word),
        { type: 'tool-call', id: 'call 1', name: word, input: { [word]: word } },
        { type: 'tool-call', id: 'call 2', name: 'cut', input: {}, incomplete: true },
        { type: 'link', url: `https://example.org/${word}`, title: word },
        { type: 'opaque', name: word, protocol: word, payload: { [word]: [word] } },
      ],
      stop: { reason: 'error', raw: word },
      usage: { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 },
      cost: { total: 0.123 },
      failure: { kind: 'provider', message: word },
      timestamp: exportedAt,
    },
    { role: 'tool', call: 'call 1', name: word, content: [text(word)], isError: true, details: { [word]: word } },
    { role: 'tool', call: word, name: word, content: [text(word)] },
    { role: 'assistant', parent: word, content: [text(word)] },
    { role: 'bash', content: [text(word)] },
    { role: 'system', content: [{ type: 'document', name: word, text: word, mediaType: word }] },
    { role: 'custom', content: [{ type: 'image', name: word, data: word, mediaType: word, url: word }] },
    {
      role: 'summary',
      content: [
        { type: 'link', url: `javascript:${word}` },
        { type: 'document', name: word, url: word },
      ],
    },
  ];
}

test('quotes are escaped in attributes and stay in text', () => {
  const word = `"'&<>`;
  expect([...written(element('p', { title: word }, [word]))].join('')).toBe(
    `<p title="&quot;&#39;&amp;&lt;&gt;">"'&amp;&lt;&gt;</p>`,
  );
});

test('the structure of a page', () => {
  expect(skeleton(bodyOf(conversation('word')))).toMatchInlineSnapshot(
    `"body(header(h1 p.facts(time)) main(article.user(h2 div.text p(img)) article.assistant(h2(time) details.thinking(summary div.text) div.text details.call(summary(code) h3 div.code h3 div.failure(div.code)) details.call(summary(code) h3 div.code) p(a) details.opaque(summary div.code) p.failure p.facts-of-message) article.tool(h2 div.code) article.assistant.lane(h2 div.text) article.bash(h2 div.code) article.system(h2 details.document(summary div.code)) article.custom(h2 p.facts-of-message) article.summary(h2 p(code) p.facts-of-message)))"`,
  );
});

test('what a page says', () => {
  expect(shownText(bodyOf(conversation('word')))).toMatchInlineSnapshot(`
    "A talk9 messages · 2 tool calls · 10 tokens in, 20 out, cache 30 read, 40 written · $0.1230 · exported 2025-01-02 03:04 UTC

    Userword
    Assistant · 2025-01-02 03:04 UTCThinkingwordwordTool word (failed)Input{
      "word": "word"
    }ResultwordTool cut (cut, never ran)Input{}word: https://example.org/wordword (word){
      "word": [
        "word"
      ]
    }wordword/word · 10 tokens in, 20 out, cache 30 read, 40 written · $0.1230 · stopped: word
    Tool result · wordword
    Assistant · sub-agent of wordword
    Shellword
    SystemDocument wordword
    Note[Image · word · word · word: not shown]
    Summaryjavascript:word[Document · word · word: not shown]"
  `);
});

describe('a page is closed', () => {
  const head = elementsOf(readPage(pageOf([])), 'head')[0];

  test('to scripts, requests and forms', () => {
    const metas = head === undefined ? [] : elementsOf(head, 'meta');
    const policy = metas.find(({ attributes }) => attributes['http-equiv'] === 'content-security-policy');
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy?.attributes.content).toBe(
      `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    expect(head && shownText(elementsOf(head, 'style')[0] ?? head)).toBe(style);
  });

  test('and needs nothing from anywhere', () => {
    expect(style).not.toMatch(/url\(|@import/u);
    expect(style).toContain('prefers-color-scheme: dark');
  });
});

const hostile = [
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style></textarea><h1>',
  '<!-- --><![CDATA[ ]]>',
  '&lt;b&gt; &amp; &#60; &nosemicolon',
  'one\u2028two\u2029three',
  'NUL \0 ESC \u001b[31m DEL \u007f C1 \u0085',
  '\ud800 half, \udc00 the other',
  '\u202egnp.exe\u202c',
  'javascript:alert(1)',
  '\r\nlines\rof\nall kinds',
  '__proto__',
  'b',
  '`tick` {{mustache}} \\u003cb\\u003e',
  '😀 ﷽',
];

describe('hostile words', () => {
  const plain = skeleton(readPage(pageOf(conversation('word'))));

  test.each(hostile)('are text: %j', (word) => {
    const page = readPage(pageOf(conversation(word), word));
    expect(skeleton(page)).toBe(plain);
    expect(elementsOf(page, 'a').map(({ attributes }) => attributes.href?.slice(0, 20))).toEqual([
      'https://example.org/',
    ]);
    expect(elementsOf(page, 'img')).toHaveLength(1);
  });

  test('any string at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (word) => {
        expect(skeleton(readPage(pageOf(conversation(word), word)))).toBe(plain);
      }),
    );
  });

  test.each([
    ['NUL \0 ESC \u001b[31m', 'NUL ␀ ESC ␛[31m'],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['\ud800!', '\ufffd!'],
    ['\u0085', '\ufffd'],
    ['<&>"\'', '<&>"\''],
    ['one\u2028two', 'one\u2028two'],
  ])('%j is shown as %j', (word, shown) => {
    const [article] = articlesOf({ role: 'user', content: [text(word)] });
    expect(article && shownText(elementsOf(article, 'div')[0] ?? article)).toBe(shown);
  });
});

describe('an image', () => {
  const shown = (image: Extract<Content, { type: 'image' }>) => {
    const [article] = articlesOf({ role: 'user', content: [image] });
    if (article === undefined) throw new Error('no article');
    const [img] = elementsOf(article, 'img');
    return img === undefined ? shownText(article) : img.attributes.src;
  };

  test.each(['png', 'jpeg', 'gif', 'webp', 'avif'])('of type image/%s is in the page', (kind) => {
    const mediaType = `image/${kind}`;
    expect(shown({ type: 'image', data: 'iVBORw0KGgo=', mediaType })).toBe(`data:${mediaType};base64,iVBORw0KGgo=`);
  });

  test.each<[string, Omit<Extract<Content, { type: 'image' }>, 'type'>]>([
    ['a page', { data: 'PGI+', mediaType: 'text/html' }],
    ['a drawing, which may hold scripts', { data: 'PHN2Zz4=', mediaType: 'image/svg+xml' }],
    ['a type with parameters', { data: 'AAAA', mediaType: 'image/png;charset=x' }],
    ['a type in capitals', { data: 'AAAA', mediaType: 'IMAGE/PNG' }],
    ['no type', { data: 'AAAA' }],
    ['no base64', { data: 'AA"onerror=x', mediaType: 'image/png' }],
    ['nothing', { data: '', mediaType: 'image/png' }],
    ['an address', { url: 'https://example.org/a.png', mediaType: 'image/png' }],
    ['bytes outside, by a data URL', { url: 'data:image/png;base64,AAAA' }],
  ])('that is %s is named, not shown', (_name, image) => {
    expect(shown({ type: 'image', ...image })).toMatch(/^User\[Image.*: not shown\]$/u);
  });
});

describe('a link', () => {
  test.each<[string, boolean]>([
    ['https://example.org/?a=1&b="2"', true],
    ['HTTP://EXAMPLE.ORG', true],
    ['javascript:alert(1)', false],
    ['data:text/html,<b>', false],
    [' https://example.org', false],
    ['//example.org', false],
    ['file:///etc/passwd', false],
  ])('%s leads somewhere: %s', (url, leads) => {
    const [article] = articlesOf({ role: 'assistant', content: [{ type: 'link', url }] });
    if (article === undefined) throw new Error('no article');
    expect(elementsOf(article, 'a').map(({ attributes }) => attributes)).toEqual(
      leads ? [{ href: url, rel: 'noopener noreferrer nofollow' }] : [],
    );
    expect(shownText(article)).toContain(url);
  });
});

describe('the result of a call', () => {
  const call = (id: string): Message => ({
    role: 'assistant',
    content: [{ type: 'tool-call', id, name: 'look', input: {} }],
  });
  const result = (id: string, words: string): Message => ({ role: 'tool', call: id, content: [text(words)] });
  const words = (...messages: Message[]) => articlesOf(...messages).map((article) => shownText(article));

  test('is shown with its call', () => {
    expect(words(call('a'), call('b'), result('b', 'of b'), result('a', 'of a'))).toEqual([
      'AssistantTool lookInput{}Resultof a',
      'AssistantTool lookInput{}Resultof b',
    ]);
  });

  test('is that of the last call of its name before it', () => {
    expect(words(call('a'), result('a', 'one'), call('a'), result('a', 'two'))).toEqual([
      'AssistantTool lookInput{}Resultone',
      'AssistantTool lookInput{}Resulttwo',
    ]);
    expect(words(call('a'), call('a'), result('a', 'two'))).toEqual([
      'AssistantTool lookInput{}',
      'AssistantTool lookInput{}Resulttwo',
    ]);
  });

  test('is not lost without a call', () => {
    expect(words(result('a', 'early'), call('a'), result('a', 'one'), result('a', 'again'))).toEqual([
      'Tool resultearly',
      'AssistantTool lookInput{}Resultone',
      'Tool resultagain',
    ]);
  });
});

test('times that no calendar has, payloads that are no JSON', () => {
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const [article] = articlesOf({
    role: 'user',
    timestamp: Number.NaN,
    content: [
      { type: 'opaque', name: 'o', protocol: 'p', payload: circle },
      { type: 'opaque', name: 'o', protocol: 'p', payload: undefined },
    ],
  });
  expect(article && shownText(article)).toBe('User · NaNo (p)(cannot be shown)o (p)');
});

test('whatever legal events came, the page can be read', () => {
  fc.assert(
    fc.property(legalEvents, (events) => {
      const transcript = emptyTranscript();
      for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at, event });
      const messages = messagesOf(transcript, 0);
      const articles = articlesOf(...messages);
      expect(articles.length).toBeLessThanOrEqual(messages.length);
      expect(articles.length).toBeGreaterThanOrEqual(messages.filter(({ role }) => role !== 'tool').length);
    }),
    { numRuns: 50 },
  );
});
