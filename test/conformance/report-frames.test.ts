// Which messages a report shows around a failure: those that the reason is about, wherever they are.
import { expect, test } from 'vitest';
import type { Breach, LoggedMessage } from '../../src/conformance/check/check.ts';
import { excerptsOf } from '../../src/conformance/report/excerpt.ts';
import { renderHtml } from '../../src/conformance/report/html.ts';
import { renderJunit } from '../../src/conformance/report/junit.ts';
import { renderMarkdown } from '../../src/conformance/report/markdown.ts';
import { makeReport } from '../../src/conformance/report/report.ts';
import { cutAround, withoutLastWords } from '../../src/conformance/report/safe-text.ts';
import { renderTable } from '../../src/conformance/report/table.ts';
import { renderTap } from '../../src/conformance/report/tap.ts';
import { watchChannel } from '../../src/conformance/runner/connection.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { sampleSet } from './support/reports.ts';

const us = (message: object): LoggedMessage => ({ at: 0, by: 'us', text: JSON.stringify(message) });
const peer = (message: object): LoggedMessage => ({ at: 0, by: 'peer', text: JSON.stringify(message), json: message });
/** Messages in between: each with an id of its own, and with the common session. */
const noise = (count: number): LoggedMessage[] =>
  Array.from({ length: count }, (_none, index) => peer({ type: 'update', sessionId: 's-1', id: `n-${index}` }));
const around = { around: 1, most: 4, conversations: 1 };

interface Case {
  readonly log: readonly LoggedMessage[];
  readonly reason?: string;
  readonly wrong?: { readonly message: number; readonly says: string };
  /** Texts that the excerpt must contain. */
  readonly shows: readonly string[];
}

const asked = us({ type: 'set_session_name', name: ' name-7 ', id: 'req-1' });
const cases: readonly (readonly [string, Case])[] = [
  [
    'a command without its answer, by the id in the reason',
    {
      log: [...noise(5), us({ type: 'abort', id: 'req-a-3' }), ...noise(20)],
      reason: 'no response to req-a-3 within 10000 ms; the last that was said:\n  peer: {"id":"n-3"}',
      shows: ['"abort"', '"n-19"'],
    },
  ],
  [
    'a request with a number',
    {
      log: [us({ id: 41, method: 'first' }), us({ id: 4, method: 'prompt' }), ...noise(20)],
      reason: 'no answer to request 4 within 10000 ms',
      shows: ['"prompt"'],
    },
  ],
  [
    'what we said last, where the reason names nothing',
    { log: [us({ type: 'go' }), ...noise(20)], reason: 'no end of it', shows: ['"go"', '"n-19"'] },
  ],
  [
    'what else holds an id that the words quote',
    {
      log: [...noise(5), us({ type: 'answer', for: { id: 'nobody-17' } }), ...noise(20)],
      wrong: { message: 20, says: 'nobody asked with the id "nobody-17"' },
      shows: ['"answer"'],
    },
  ],
  [
    'what else holds an id of the message that is wrong',
    {
      log: [
        us({ type: 'start', calls: [{ tool_use_id: 'c-1' }] }),
        ...noise(17),
        ...['one', 'two', 'three'].map((type) => us({ type })),
        peer({ type: 'end', toolCallId: 'c-1' }),
      ],
      wrong: { message: 21, says: 'it has no result' },
      shows: ['"start"'],
    },
  ],
  [
    'the command that set what is told otherwise',
    {
      log: [
        ...noise(5),
        asked,
        peer({ id: 'req-1' }),
        ...noise(20),
        us({ id: 'req-2' }),
        ...noise(9),
        peer({ id: 'req-2' }),
      ],
      wrong: { message: 37, says: 'sessionName is "other", not "name-7"' },
      shows: ['"set_session_name"', '"req-2"'],
    },
  ],
  [
    'the same where others hold another id of the answer',
    {
      log: [
        ...noise(60),
        asked,
        ...Array.from({ length: 9 }, (_none, index) =>
          peer({ id: `o-${index}`, data: { sessionId: 's-2', name: 'other' } }),
        ),
        us({ type: 'get', id: 'req-2' }),
        ...noise(3),
        peer({ id: 'req-2', data: { sessionId: 's-2', name: 'other' } }),
      ],
      wrong: { message: 74, says: 'name is "other", not "name-7"' },
      shows: ['"set_session_name"', '"get"'],
    },
  ],
  [
    'what we asked for before, where nothing is named',
    {
      log: [...noise(5), us({ type: 'set_auto', enabled: true }), ...noise(6), us({ type: 'get' }), ...noise(9)],
      wrong: { message: 21, says: 'auto is false, not true' },
      shows: ['"set_auto"', '"get"'],
    },
  ],
];

test.each(cases)('%s', (_name, { log, reason = '', wrong, shows }) => {
  const breaches: Breach[] = wrong === undefined ? [] : [{ conversation: 0, ...wrong }];
  const conversation = { connection: 'c', log };
  const { excerpts } = excerptsOf({ conversations: [conversation], breaches, reason }, around);
  const shown = excerpts[0]?.messages ?? [];
  for (const text of shows) expect(shown.map(({ exchange }) => exchange.text).join('\n')).toContain(text);
  expect(shown.length).toBeLessThanOrEqual(around.most + 6);
  const left = shown.reduce((sum, { skipped }) => sum + skipped, excerpts[0]?.skipped ?? 0);
  expect(left + shown.length).toBe(log.length);

  const result = {
    id: 'toy/fails',
    verdict: 'failed',
    reason,
    ms: 0,
    conversations: [conversation],
    breaches,
  } as const;
  const report = makeReport({ set: sampleSet, results: [result], target: 'x', startedAt: '', ms: 0 });
  for (const render of [renderTable, renderTap, renderMarkdown, renderJunit, renderHtml])
    for (const text of shows) expect(render(report).replaceAll(/\\"|&quot;/gu, '"'), render.name).toContain(text);
});

test('a session id that every message holds relates nothing', () => {
  const log = noise(40);
  const breaches = [{ conversation: 0, message: 30, says: 'it is wrong' }];
  const { excerpts } = excerptsOf({ conversations: [{ connection: 'c', log }], breaches }, around);
  expect(excerpts[0]?.messages.map(({ index }) => index)).toEqual([29, 30, 31]);
});

test('shows the connection that the reason is about', () => {
  const conversations = [
    { connection: 'first', log: noise(9) },
    { connection: 'second', log: [us({ id: 'req-9' })] },
  ];
  const { excerpts, skipped } = excerptsOf({ conversations, reason: 'no response to req-9' }, around);
  expect([excerpts.map(({ connection }) => connection), skipped]).toEqual([['second'], 1]);
});

const filler = 'x'.repeat(3000);
const focused: readonly (readonly [string, string, object, string])[] = [
  ['a field', 'data.model must be an object', { data: { filler, model: 7 } }, '"model":7'],
  [
    'the parent of a field that is missing',
    'data.sessionName is missing',
    { filler, data: { a: 1 } },
    '"data":{"a":1}',
  ],
  [
    'a field alone',
    'sessionName is undefined, not "b"',
    { filler, sessionName: 'a', filler2: filler },
    '"sessionName":"a"',
  ],
  ['a value', 'nobody knows "odd-one"', { filler, kind: 'odd-one', filler2: filler }, '"kind":"odd-one"'],
  ['a plain word', 'model must be an object', { filler, model: 7 }, '"model":7'],
];

test.each(focused)('a long frame is cut around %s', (_name, says, message, part) => {
  const conversations = [{ connection: 'c', log: [peer({ type: 'kind', ...message })] }];
  const breaches = [{ conversation: 0, message: 0, says }];
  const result = { id: 'toy/fails', verdict: 'failed', reason: says, ms: 0, conversations, breaches } as const;
  const report = makeReport({ set: sampleSet, results: [result], target: 'x', startedAt: '', ms: 0 });
  for (const render of [renderTable, renderTap, renderMarkdown, renderJunit]) {
    const text = render(report)
      .replaceAll(/\\"|&quot;/gu, '"')
      .replaceAll(/\n */gu, '');
    expect(text, render.name).toContain(part);
    expect(text, render.name).toContain('"type":"kind"');
    expect(text, render.name).toMatch(/\(cut: [\d,]+ characters\)/u);
  }
});

test('cutting around a place respects the limit and surrogate pairs', () => {
  const text = `${'a'.repeat(501)}${'👩'.repeat(400)}END${'b'.repeat(500)}`;
  for (let place = 0; place < text.length; place += 7) {
    const shown = cutAround(text, 100, place).replace(/ \(cut: .*/u, '');
    expect(shown.length).toBeLessThanOrEqual(104);
    expect(shown).not.toMatch(/\p{Cs}/u);
    if (!/\p{Cs}/u.test(text[place] ?? '')) expect(shown).toContain(text[place]);
  }
  expect(cutAround(text, 100, text.indexOf('END'))).toContain('END');
  expect(cutAround('short', 100, 3)).toBe('short');
});

test('reads a deeply nested message', () => {
  const deep: LoggedMessage = { at: 0, by: 'peer', text: `${'['.repeat(50_000)}${']'.repeat(50_000)}` };
  const log = [deep, us({ id: 'req-9' }), ...noise(20)];
  const { excerpts } = excerptsOf(
    { conversations: [{ connection: 'c', log }], reason: 'no response to req-9' },
    around,
  );
  expect(excerpts[0]?.messages.map(({ index }) => index)).toEqual([1, 18, 19, 20, 21]);
});

test('drops the messages that a timeout quotes when the frames are shown', async () => {
  const [ours, theirs] = memoryPair();
  theirs.open({ frame: () => {}, fault: () => {}, end: () => {} });
  const connection = watchChannel(ours, { patienceMs: 20 });
  connection.send('{"ask":"hello"}');
  const thrown: unknown = await connection.until('answer', () => undefined).catch((error: unknown) => error);
  const reason = thrown instanceof Error ? thrown.message : '';
  expect(reason).toContain('{"ask":"hello"}');
  expect(withoutLastWords(reason)).toBe('no answer within 20 ms');
  expect(withoutLastWords(`${reason}; it said:\n  oh`)).toBe('no answer within 20 ms; it said:\n  oh');

  const of = (log: readonly LoggedMessage[]) => {
    const conversations = log.length === 0 ? [] : [{ connection: 'c', log }];
    const result = { id: 'toy/fails', verdict: 'failed', reason, ms: 0, conversations } as const;
    return makeReport({ set: sampleSet, results: [result], target: 'x', startedAt: '', ms: 0 });
  };
  for (const render of [renderTable, renderTap, renderMarkdown, renderJunit, renderHtml]) {
    expect(render(of(connection.log)), render.name).not.toContain('the last that was said');
    expect(render(of([])), render.name).toContain('the last that was said');
  }
});
