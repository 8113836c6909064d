// Tool calls: prepared before anything else, asked about, run, ended once, each under an id of its own (docs/protocols/eca.md 2.7, 3.3, 4.3 to 4.7; docs/faults.md 1.5).
import { describe, expect, test } from 'vitest';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event } from '../../../src/core/model/event.ts';
import {
  afterPrompt,
  againstOrder,
  answered,
  asks,
  calling,
  calls,
  closed,
  contentsOf,
  crashed,
  decided,
  done,
  ended,
  message,
  modern,
  opened,
  outline,
  piece,
  run,
  says,
  started,
  stopped,
  told,
  user,
} from './projection-words.ts';

const whole = '"{\\"path\\":\\"notes\\"}"';
const prepared = ['S (Generating)', 'A prepare c ""', `A prepare c ${whole}`];
const unannounced = ['S (Generating)', `A prepare c ${whole}`];
const running = ['A running c', 'S (Calling tool)'];
const waiting = ['A run c ?', 'S (Waiting for tool call approval)'];
const called = ['A called c', 'S (Generating)'];
const rejected = ['A rejected c', 'S (Generating)'];
const finished = ['idle', 'S finished'];
const cut = ['S "\\nPrompt stopped\\n"', 'stopping', 'S finished'];
const failed = ['S "\\n\\nthe agent went away"', ...finished];
const c = { call: 'c' };
const kept = { ...c, standing: 'remembered' } as const;

describe('the life of a call', () => {
  test.each<[string, Event[], string[]]>([
    ['is written', calls('c'), prepared],
    ['runs unasked', [...calls('c'), started('c'), answered('c')], [...prepared, 'A run c', ...running, ...called]],
    ['runs unannounced', [started('c'), answered('c')], [...unannounced, 'A run c', ...running, ...called]],
    [
      'is allowed',
      [...calls('c'), asks('a', c), decided('a', 'allowed'), started('c'), answered('c')],
      [...prepared, ...waiting, ...running, ...called],
    ],
    [
      'is allowed beforehand: it runs unasked',
      [...calls('c'), asks('a', kept), decided('a', 'allowed'), started('c'), answered('c')],
      [...prepared, 'A run c', ...running, ...called],
    ],
    [
      'is allowed beforehand when it is about to run',
      [...calls('c'), started('c'), asks('a', kept), decided('a', 'allowed'), answered('c')],
      [...prepared, 'A run c', ...running, ...called],
    ],
    [
      'is allowed beforehand, and begins before that is said',
      [...calls('c'), asks('a', kept), started('c'), decided('a', 'allowed'), answered('c')],
      [...prepared, 'A run c', ...running, ...called],
    ],
    [
      'is allowed beforehand, which the agent does not take',
      [...calls('c'), asks('a', kept), decided('a', 'expired'), answered('c', { skipped: 'denied', isError: true })],
      [...prepared, 'A run c', ...rejected],
    ],
    [
      'is asked about unannounced',
      [asks('a', c), decided('a', 'allowed'), started('c'), answered('c')],
      [...unannounced, ...waiting, ...running, ...called],
    ],
    [
      'is asked about when it is about to run',
      [...calls('c'), started('c'), asks('a', c), decided('a', 'allowed'), answered('c')],
      [...prepared, 'A run c', ...running, ...waiting, ...running, ...called],
    ],
    [
      'is denied, and its result is nobody’s',
      [...calls('c'), asks('a', c), decided('a', 'denied'), answered('c', { skipped: 'denied', isError: true })],
      [...prepared, ...waiting, ...rejected],
    ],
    [
      'is denied when it is about to run',
      [...calls('c'), started('c'), asks('a', c), decided('a', 'denied'), answered('c', { isError: true })],
      [...prepared, 'A run c', ...running, ...waiting, ...rejected],
    ],
    [
      'is denied, and begins and ends behind that',
      [...calls('c'), asks('a', c), decided('a', 'denied'), started('c'), answered('c', { isError: true })],
      [...prepared, ...waiting, ...rejected],
    ],
    [
      'is not asked about any more, and begins and ends behind that',
      [...calls('c'), asks('a', c), decided('a', 'cancelled'), started('c'), answered('c', { isError: true }), stopped],
      [...prepared, ...waiting, 'A rejected c', ...cut],
    ],
    [
      'is denied without a question',
      [...calls('c'), answered('c', { skipped: 'denied', isError: true })],
      [...prepared, ...rejected],
    ],
    [
      'begins while its question is open',
      [...calls('c'), asks('a', c), started('c'), decided('a', 'allowed'), answered('c')],
      [...prepared, ...waiting, ...running, ...called],
    ],
    [
      'is not asked about any more, and stopped',
      [...calls('c'), asks('a', c), decided('a', 'cancelled'), answered('c', { isError: true }), stopped],
      [...prepared, ...waiting, 'A rejected c', ...cut],
    ],
    [
      'is not answered in time',
      [...calls('c'), asks('a', c), decided('a', 'expired'), answered('c', { skipped: 'denied', isError: true })],
      [...prepared, ...waiting, ...rejected],
    ],
    [
      'fails',
      [...calls('c'), started('c'), answered('c', { isError: true })],
      [...prepared, 'A run c', ...running, 'A failed c', 'S (Generating)'],
    ],
    [
      'is overtaken',
      [...calls('c'), answered('c', { isError: true, skipped: 'superseded' })],
      [...prepared, 'A failed c', 'S (Generating)'],
    ],
    ['has a result without having run', [...calls('c'), answered('c')], [...prepared, 'A run c', ...called]],
    [
      'is stopped while it waits',
      [...calls('c'), asks('a', c), stopped],
      [...prepared, ...waiting, 'A rejected c', ...cut],
    ],
    [
      'is lost while it waits',
      [...calls('c'), asks('a', c), crashed],
      [...prepared, ...waiting, 'A failed c', ...failed],
    ],
    [
      'is stopped while it runs',
      [...calls('c'), started('c'), stopped],
      [...prepared, 'A run c', ...running, 'A failed c', ...cut],
    ],
    [
      'is stopped while it is written',
      [message(), opened(0, { kind: 'tool-call', id: 'c', name: 'read' }), piece(0, '{"pa'), stopped],
      ['S (Generating)', 'A prepare c ""', 'A rejected c', ...cut],
    ],
    [
      'is lost while it is written',
      [message(), opened(0, { kind: 'tool-call', id: 'c', name: 'read' }), piece(0, '{"pa'), crashed],
      ['S (Generating)', 'A prepare c ""', 'A failed c', ...failed],
    ],
    [
      'was given up by an agent that goes on',
      [...calls('c'), answered('c', { isError: true, skipped: 'aborted' }), ...says('on')],
      [...prepared, 'A failed c', 'A "on"'],
    ],
    [
      'has no arguments',
      [message(), opened(0, { kind: 'tool-call', id: 'c', name: 'read' }), closed(0), ended()],
      ['S (Generating)', 'A prepare c ""', 'A prepare c "{}"'],
    ],
    [
      'runs while it is written',
      [message(), opened(0, { kind: 'tool-call', id: 'c', name: 'read' }), started('c'), ...calling(0, 'c').slice(1)],
      [...prepared, 'A run c', ...running],
    ],
  ])('%s', (_, events, expected) => {
    expect(afterPrompt(events)).toEqual(expected);
    const isOver = events.some(({ type }) => type === 'run-end');
    expect(againstOrder(told([...run, user('go'), ...events]).frames, undefined, isOver)).toEqual([]);
  });

  test('new clients get the arguments piece by piece', () => {
    const pieces = ['S (Generating)', 'A prepare c ""', 'A prepare c "{\\"path\\":"', 'A prepare c "\\"notes\\"}"'];
    expect(afterPrompt(calls('c'), modern)).toEqual(pieces);
    const silent = [
      message(),
      opened(0, { kind: 'tool-call', id: 'c', name: 'read' }),
      closed(0, { input: { path: 'notes' } }),
    ];
    expect(afterPrompt(silent, modern)).toEqual(['S (Generating)', 'A prepare c ""', `A prepare c ${whole}`]);
  });

  test('arguments that were written otherwise are told as they are', () => {
    const events = [
      message(),
      opened(0, { kind: 'tool-call', id: 'c', name: 'read' }),
      piece(0, '{"path": '),
      closed(0, { input: { path: 'notes' } }),
      started('c', { input: { path: '/notes' } }),
    ];
    const { frames } = told([...run, ...events]);
    expect(contentsOf(frames, 'toolCallPrepare').map(({ argumentsText }) => argumentsText)).toEqual([
      '',
      '{"path":"notes"}',
    ]);
    expect(contentsOf(frames, 'toolCallRun')).toMatchObject([{ arguments: { path: 'notes' } }]);
    expect(contentsOf(frames, 'toolCallRunning')).toMatchObject([{ arguments: { path: '/notes' } }]);
  });

  test('two at once, each with its own', () => {
    const events = [...calls('c', 'd'), started('c'), started('d'), answered('d'), answered('c')];
    expect(outline(told([...run, ...events]).frames).slice(8)).toEqual([
      'A run c',
      ...running,
      'A run d',
      'A running d',
      'S (Calling tool)',
      'A called d',
      'S (Generating)',
      ...called,
    ]);
  });
});

describe('what is shown of a call', () => {
  const change = { path: 'notes', diff: '-a\n+b', linesAdded: 1, linesRemoved: 1 };

  test('title, whose tool it is, and the change of a file are kept to its end', () => {
    const shown = { title: 'Read the notes', origin: 'mcp' as const, server: 'shelf', change };
    const { frames } = told([...run, started('c', shown), answered('c')]);
    const kept = { id: 'c', name: 'read', origin: 'mcp', server: 'shelf', arguments: { path: 'notes' } };
    const details = { type: 'fileChange', ...change };
    for (const type of ['toolCallRun', 'toolCallRunning', 'toolCalled']) {
      expect(contentsOf(frames, type)).toMatchObject([{ ...kept, summary: 'Read the notes', details }]);
    }
    expect(contentsOf(frames, 'toolCallPrepare')).toMatchObject([{ origin: 'mcp', server: 'shelf' }]);
  });

  test.each<[string, string, string | undefined, string]>([
    ['relative', 'a/notes', '/work', '/work/a/notes'],
    ['relative, with dots', './a/../../notes', '/work/b/', '/work/notes'],
    ['relative to the root', 'notes', '/', '/notes'],
    ['relative to a drive', 'notes', 'C:\\work', 'C:\\work/notes'],
    ['absolute', '/a/./notes', '/work', '/a/./notes'],
    ['absolute on a drive', 'D:\\notes', 'C:\\work', 'D:\\notes'],
    ['a URI', 'file:///notes', '/work', 'file:///notes'],
    ['of the user’s home', '~/notes', '/work', '~/notes'],
    ['relative to nobody knows what', './notes', undefined, './notes'],
    ['relative to what is itself relative', 'notes', 'work', 'notes'],
    ['none', '', '/work', ''],
  ])('the path of a changed file is absolute where it can be: %s', (_, path, cwd, expected) => {
    const where: Event = { type: 'session-changed', changes: cwd === undefined ? {} : { cwd } };
    const shown = { change: { ...change, path } };
    const call = [asks('a', { ...c, ...shown }), decided('a', 'allowed'), started('c', shown), answered('c', shown)];
    const { frames } = told([where, ...run, ...call]);
    for (const type of ['toolCallRun', 'toolCalled']) {
      expect(contentsOf(frames, type)).toMatchObject([{ details: { type: 'fileChange', path: expected } }]);
    }
  });

  test('what the question showed is kept for the result', () => {
    const { frames } = told([
      ...run,
      ...calls('c'),
      asks('a', { ...c, title: 'Read?', change }),
      decided('a', 'allowed'),
      started('c', { input: { path: 'others' } }),
      answered('c'),
    ]);
    expect(contentsOf(frames, 'toolCallRun')).toMatchObject([
      { manualApproval: true, summary: 'Read?', arguments: { path: 'notes' } },
    ]);
    expect(contentsOf(frames, 'toolCalled')).toMatchObject([
      { summary: 'Read?', arguments: { path: 'others' }, details: { type: 'fileChange', ...change } },
    ]);
  });

  test('whose tool it is stays as it was told first: clients read it once', () => {
    const { frames } = told([...run, ...calls('c'), started('c', { origin: 'mcp', server: 'shelf' })]);
    expect(contentsOf(frames, 'toolCallRun')).toMatchObject([{ origin: 'native', server: 'eca' }]);
  });

  test('a tool of a server that nobody names has none', () => {
    const { frames } = told([...run, started('c', { origin: 'mcp' })]);
    expect(contentsOf(frames, 'toolCallRun')[0]).not.toHaveProperty('server');
  });

  test.each<[string, object, string]>([
    ['the first argument that is a text', { count: 3, path: 'a  b\nc' }, 'read a b c'],
    ['none', { count: 3 }, 'read'],
    ['a long one', { path: 'x'.repeat(200) }, `read ${'x'.repeat(74)}…`],
  ])('without a title: %s', (_, input, summary) => {
    const { frames } = told([...run, started('c', { input: { ...input } })]);
    expect(contentsOf(frames, 'toolCallRun')).toMatchObject([{ summary }]);
  });

  test('how long it took: as the agent says, or as the clock of the session', () => {
    const { frames } = told([...run, started('c'), answered('c'), started('d'), answered('d', { durationMs: 4.6 })]);
    expect(contentsOf(frames, 'toolCalled').map(({ totalTimeMs }) => totalTimeMs)).toEqual([10, 5]);
  });

  test.each<[string, Event[]]>([
    ['a call that took no time', [started('c'), answered('c', { durationMs: 0.2 })]],
    ['an approval without a call', [asks('a'), decided('a', 'allowed')]],
    [
      'a dialog',
      [
        { type: 'dialog-request', id: 'd', kind: 'confirm', title: 'On?' },
        { type: 'dialog-end', id: 'd', outcome: 'answered' },
      ],
    ],
  ])('VS Code would show a zero: nothing is said of how long it took: %s', (_, events) => {
    const contents = contentsOf(told([...run, ...events]).frames, 'toolCalled');
    expect(contents.map((content) => Object.hasOwn(content, 'totalTimeMs'))).toEqual([false]);
  });

  test.each<[string, Content, string[]]>([
    ['a text', { type: 'text', text: 'a' }, ['a']],
    ['a link', { type: 'link', url: 'https://example.org', title: 'Cables' }, ['Cables: https://example.org']],
    ['a document', { type: 'document', name: 'd', text: 'its words' }, ['its words']],
    ['an image', { type: 'image', data: 'aGk=' }, []],
    ['an image elsewhere', { type: 'image', url: 'https://example.org/i.png' }, ['https://example.org/i.png']],
    ['anything else', { type: 'opaque', name: 'n', protocol: 'p', payload: { a: 1 } }, ['{"a":1}']],
  ])('its output under both names: %s', (_, content, texts) => {
    const { frames } = told([...run, started('c'), answered('c', { content: [content] })]);
    const outputs = texts.map((text) => ({ type: 'text', text, content: text }));
    expect(contentsOf(frames, 'toolCalled')).toMatchObject([{ outputs }]);
    expect(contentsOf(frames, 'image')).toHaveLength(content.type === 'image' && content.data !== undefined ? 1 : 0);
  });
});

describe('ids that come again get another on the wire', () => {
  test('in another run', () => {
    const turn = [...run, ...calls('c'), started('c'), answered('c'), ...done];
    const { frames } = told([...turn, ...turn]);
    const ids = ['toolCallPrepare', 'toolCallRun', 'toolCallRunning', 'toolCalled'].flatMap((type) =>
      contentsOf(frames, type).map(({ id }) => id),
    );
    expect(ids).toEqual(['c', 'c', 'c#2', 'c#2', 'c', 'c#2', 'c', 'c#2', 'c', 'c#2']);
    expect(againstOrder(frames)).toEqual([]);
  });

  test('of a question that is asked again', () => {
    const { frames } = told([...run, ...calls('c'), asks('a', c), decided('a', 'denied'), asks('b', c)]);
    expect(contentsOf(frames, 'toolCallRun').map(({ id }) => id)).toEqual(['c', 'c#2']);
  });

  test('that look like one of ours', () => {
    const { frames } = told([...run, started('c#2'), answered('c#2')]);
    expect(contentsOf(frames, 'toolCalled').map(({ id }) => id)).toEqual(['c#2#1']);
  });

  test('not after the chat was cleared', () => {
    const turn = [...run, started('c'), answered('c'), ...done];
    const { frames } = told([...turn, { type: 'history-reset', reason: 'new' }, ...turn]);
    expect(contentsOf(frames, 'toolCalled').map(({ id }) => id)).toEqual(['c', 'c']);
  });
});

describe('a question about no call is a call of its own', () => {
  const asked = ['S (Generating)', `A prepare a ${whole}`, 'A run a ?', 'S (Waiting for tool call approval)'];
  test.each<[string, Event[], string[]]>([
    ['allowed', [decided('a', 'allowed')], ['A called a', 'S (Generating)']],
    ['denied', [decided('a', 'denied')], ['A rejected a', 'S (Generating)']],
    ['withdrawn', [decided('a', 'cancelled')], ['A failed a', 'S (Generating)']],
    ['too late', [decided('a', 'expired')], ['A failed a', 'S (Generating)']],
    ['stopped', [stopped], ['A rejected a', ...cut]],
    ['lost', [crashed], ['A failed a', ...failed]],
  ])('%s', (_, events, expected) => {
    expect(afterPrompt([asks('a'), ...events])).toEqual([...asked, ...expected]);
  });

  test('while a tool runs it goes on as that', () => {
    const events = [started('c'), asks('a'), decided('a', 'allowed')];
    expect(afterPrompt(events).slice(-2)).toEqual(['A called a', 'S (Calling tool)']);
  });
});

describe('sub-agents', () => {
  const parent = 'c';
  const work: Event[] = [
    started('c', { name: 'delegate', input: { task: 'count' } }),
    user('count', { parent, origin: 'agent' }),
    message('s', { parent, model: 'small' }),
    opened(0, { kind: 'text' }, parent),
    piece(0, 'forty', parent),
    closed(0, { parent }),
    ...calling(1, 'd', parent),
    ended({ parent, usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } }),
    started('d', { parent }),
    answered('d', { parent }),
    answered('c', { name: 'delegate' }),
  ];
  const around = ['S (Generating)', 'A prepare c "{\\"task\\":\\"count\\"}"', 'A run c', ...running];

  test('clients of which nothing is known hear of the call alone', () => {
    expect(afterPrompt(work)).toEqual([...around, ...called]);
    expect(told([...run, ...work]).losses).toEqual([
      'message of a sub-agent',
      'message of a sub-agent',
      'tool of a sub-agent',
    ]);
  });

  test('new clients hear them in a chat of their own', () => {
    expect(afterPrompt(work, modern)).toEqual([
      ...around,
      '> S (Generating)',
      '> U "count\\n"',
      'A running c',
      '> A "forty"',
      '> A prepare d ""',
      '> A prepare d "{\\"path\\":"',
      '> A prepare d "\\"notes\\"}"',
      '> A run d',
      '> A running d',
      '> A called d',
      '> S finished',
      ...called,
    ]);
    const { frames, losses } = told([...run, ...work, ...done], modern);
    const chats = frames.flatMap(({ params }) => (params.parentChatId === undefined ? [] : [params]));
    expect(new Set(chats.map(({ chatId }) => chatId))).toEqual(new Set(['subagent-7-session-c']));
    expect(contentsOf(frames, 'toolCalled').at(-1)).toMatchObject({
      details: {
        type: 'subagent',
        subagentChatId: 'subagent-7-session-c',
        model: 'small',
        agentName: 'delegate',
        step: 1,
      },
    });
    expect(losses).toEqual([]);
    expect(againstOrder(frames, modern)).toEqual([]);
  });

  test('what they want to do is asked of everybody', () => {
    const events = [
      started('c'),
      asks('a', { call: 'd', parent }),
      decided('a', 'allowed'),
      started('d', { parent }),
      answered('d', { parent }),
    ];
    const asked = ['S (Generating)', `A prepare d ${whole}`, 'A run d ?', 'S (Waiting for tool call approval)'];
    expect(afterPrompt(events).slice(5)).toEqual([
      ...asked,
      'A running d',
      'S (Calling tool)',
      'A called d',
      'S (Generating)',
    ]);
    const own = afterPrompt(events, modern);
    expect(own).toContain('> A run d ?');
    expect(own).toContain('S (Waiting for tool call approval)');
  });
});
