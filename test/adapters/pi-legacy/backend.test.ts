// The gateway as the client of a pi 0.13.2: what is said to it, what it must never be told, and how commands end that
// pi does not answer.
import { describe, expect, test } from 'vitest';
import { piLegacy } from '../../../src/adapters/pi-legacy/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { type Bench, backendOf, bench, shortRun, typesOf, wire } from '../pi/harness.ts';

const legacy = (options: Record<string, unknown> = {}): Bench => bench(options, piLegacy);
const prompt = (text = 'go', rest: Partial<CommandOf<'prompt'>> = {}): Command => ({
  type: 'prompt',
  content: [{ type: 'text', text }],
  ...rest,
});
const abort: Command = { type: 'abort', target: 'run' };
const compact: Command = { type: 'compact', instructions: 'Focus on code' };
const compaction = { type: 'compaction', summary: 'All of it.', tokensBefore: 162, firstKeptEntryIndex: 0 };
const autoCompaction = { ...compaction, auto: true };
const complains = (error: string) => ({ type: 'error', error });
const ok = { ok: true };
const refused = (code: string) => ({ ok: false, error: { code } });
const newer = wire.response('x', 'get_state', {});

describe('a prompt', () => {
  test('is one line without an id, settled by the beginning of its run', () => {
    const pi = legacy();
    pi.command(prompt(), 'c1');
    expect(pi.lines()).toEqual(['{"type":"prompt","message":"go"}']);
    expect(pi.settled()).toEqual({});
    pi.feed(wire.agentStart);
    expect(pi.settled()).toEqual({ c1: ok });
    expect(pi.timers()).toEqual({});
  });

  test('takes the fields of a client of pi with it', () => {
    const pi = legacy();
    pi.command(prompt('go', { extra: { pi: { more: 1, type: 'x' }, claude: { no: 1 } } }), 'c1');
    expect(pi.sent()).toEqual([{ more: 1, type: 'prompt', message: 'go' }]);
  });

  test('escapes the line separators, at which readline may cut', () => {
    const pi = legacy();
    pi.command(prompt('a\u2028b\u2029c'), 'c1');
    expect(pi.lines()).toEqual(['{"type":"prompt","message":"a\\u2028b\\u2029c"}']);
  });

  const busy: [string, (pi: Bench) => void][] = [
    ['while a run is open', (pi) => pi.feed(wire.agentStart)],
    ['while another waits for its run', (pi) => pi.command(prompt(), 'c0')],
    ['while pi compacts', (pi) => pi.command(compact, 'c0')],
  ];
  test.each(busy)('%s is refused, and nothing is sent', (_, before) => {
    const pi = legacy();
    before(pi);
    pi.sent();
    pi.settled();
    pi.command(prompt(), 'c1');
    pi.command(prompt('a', { whenBusy: 'steer' }), 'c2');
    pi.command(prompt('b', { whenBusy: 'follow-up' }), 'c3');
    pi.command(compact, 'c4');
    expect(pi.sent()).toEqual([]);
    expect(pi.settled()).toMatchObject({
      c1: refused('busy'),
      c2: refused('unsupported'),
      c3: refused('unsupported'),
      c4: refused('busy'),
    });
  });

  test.each([
    ['no content', []],
    ['an empty text', [{ type: 'text', text: '' }]],
    ['only what pi does not take', [{ type: 'image', url: 'https://example.org/a.png' }]],
  ] satisfies [string, Content[]][])('with %s is refused: pi would say nothing', (_, content) => {
    const pi = legacy();
    pi.command({ type: 'prompt', content }, 'c1');
    expect(pi.sent()).toEqual([]);
    expect(pi.settled()).toMatchObject({ c1: refused('invalid') });
    expect(pi.timers()).toEqual({});
  });

  test('that pi complains about is refused with its words, and told nobody else', () => {
    const pi = legacy();
    pi.command(prompt(), 'c1');
    pi.command(abort, 'c2');
    pi.feed(complains('No model configured'));
    expect(pi.settled()).toEqual({
      c1: { ok: false, error: { code: 'agent-refused', message: 'No model configured' } },
      c2: ok,
    });
    expect([pi.events(), pi.timers()]).toEqual([[], {}]);
    pi.command(prompt(), 'c3');
    expect(pi.sent()).toHaveLength(3);
  });

  test('does not take the end of an automatic compaction for its answer', () => {
    const pi = legacy();
    pi.command(prompt(), 'c1');
    pi.feed(complains('Auto-compaction failed: no key'), autoCompaction);
    expect(pi.settled()).toEqual({});
    expect(typesOf(pi.events())).toEqual(['error', 'compaction-start', 'compaction-end']);
  });

  test('that begins no run in time ends the agent', () => {
    const backend = backendOf({ startTimeoutMs: 500 }, piLegacy);
    expect(backend.encode(prompt(), 'c1')).toContainEqual({ do: 'timer', id: 'prompt', ms: 500 });
    const actions: Action<Event>[] = backend.onTimer?.('prompt') ?? [];
    expect(actions.map((action) => action.do)).toEqual(['timer', 'settle', 'close']);
    expect(actions[1]).toMatchObject({ id: 'c1', outcome: refused('timeout') });
    expect(backend.onTimer?.('prompt')).toEqual([]);
  });
});

describe('attachments', () => {
  const text: Content = { type: 'text', text: 'look' };
  const cases: [string, Content, object | null, string[]][] = [
    [
      'an image',
      { type: 'image', name: 'dot.png', data: 'aGVsbG8=', mediaType: 'image/png' },
      { id: 'attachment-1', type: 'image', fileName: 'dot.png', mimeType: 'image/png', size: 5, content: 'aGVsbG8=' },
      [],
    ],
    [
      'an image without a name or a type',
      { type: 'image', data: 'aGVsbA==' },
      { id: 'attachment-1', type: 'image', fileName: 'image.png', mimeType: 'image/png', size: 4, content: 'aGVsbA==' },
      [],
    ],
    [
      'an image by its address',
      { type: 'image', url: 'https://example.org/a.png' },
      null,
      ['an image without its bytes'],
    ],
    [
      'a document with its text alone',
      { type: 'document', name: 'ü.txt', text: 'ü€' },
      {
        id: 'attachment-1',
        type: 'document',
        fileName: 'ü.txt',
        mimeType: 'text/plain',
        size: 5,
        content: Buffer.from('ü€').toString('base64'),
        extractedText: 'ü€',
      },
      [],
    ],
    [
      'a text document that came as bytes',
      { type: 'document', data: Buffer.from('ü€').toString('base64'), mediaType: 'text/markdown' },
      {
        id: 'attachment-1',
        type: 'document',
        fileName: 'document.markdown',
        mimeType: 'text/markdown',
        size: 5,
        content: Buffer.from('ü€').toString('base64'),
        extractedText: 'ü€',
      },
      [],
    ],
    [
      'a document that nobody read',
      { type: 'document', name: 'a.pdf', data: 'JVBERg==', mediaType: 'application/pdf' },
      null,
      ['a document without its text'],
    ],
    [
      'bytes that are no text',
      { type: 'document', data: '/w==', mediaType: 'text/plain' },
      null,
      ['a document without its text'],
    ],
    [
      'a text document that nobody read, from a client of pi',
      {
        type: 'document',
        name: 'd.txt',
        data: 'aGVsbG8=',
        mediaType: 'text/plain',
        extra: { pi: { id: 'a3', size: 5 } },
      },
      { id: 'a3', type: 'document', fileName: 'd.txt', mimeType: 'text/plain', size: 5, content: 'aGVsbG8=' },
      ['a document without its text'],
    ],
    [
      'a document that nobody read, from a client of pi',
      {
        type: 'document',
        name: 'a.pdf',
        data: 'JVBERg==',
        mediaType: 'application/pdf',
        extra: { pi: { id: 'a1', size: 4, preview: 'cGlj' } },
      },
      {
        id: 'a1',
        type: 'document',
        fileName: 'a.pdf',
        mimeType: 'application/pdf',
        size: 4,
        content: 'JVBERg==',
        preview: 'cGlj',
      },
      ['a document without its text'],
    ],
  ];
  test.each(cases)('%s', (_, file, attachment, losses) => {
    const pi = legacy();
    pi.command({ type: 'prompt', content: [text, file] }, 'c1');
    const sent = { type: 'prompt', message: 'look' };
    expect(pi.sent()).toEqual([attachment === null ? sent : { ...sent, attachments: [attachment] }]);
    expect(pi.notes()).toEqual(losses.map((loss) => `loss: prompt: pi does not take ${loss}`));
  });

  test('alone go with a blank message, for an empty one is ignored', () => {
    const pi = legacy();
    pi.command({ type: 'prompt', content: [{ type: 'image', data: 'aGVsbG8=' }] }, 'c1');
    expect(pi.sent()).toMatchObject([{ message: ' ', attachments: [{ type: 'image' }] }]);
  });

  test('do not hide that the message is a prompt of ours', () => {
    const pi = legacy();
    pi.command({ type: 'prompt', content: [text, { type: 'document', text: 'words' }] }, 'c1');
    pi.feed(wire.agentStart, {
      type: 'message_end',
      message: {
        role: 'user',
        content: [text, { type: 'text', text: '\n\n[Document: document.plain]\nwords', isDocument: true }],
        attachments: [{ id: 'attachment-1' }],
      },
    });
    expect(pi.events().at(-1)).toMatchObject({
      type: 'message-added',
      origin: 'prompt',
      extra: { pi: { attachments: [{ id: 'attachment-1' }] } },
    });
  });
});

test.each([
  ['contexts', { contexts: [{ type: 'repo-map' }] }, '1 contexts'],
  ['a model', { model: 'other' }, 'the model of one prompt'],
  ['a mode', { mode: 'plan' }, 'the mode of one prompt'],
  [
    'a thought',
    {
      content: [
        { type: 'text', text: 'go' },
        { type: 'thinking', text: 'hm' },
      ],
    },
    'content of type thinking',
  ],
] satisfies [string, Partial<CommandOf<'prompt'>>, string][])('%s in a prompt is a loss', (_, rest, loss) => {
  const pi = legacy();
  pi.command(prompt('go', rest), 'c1');
  expect(pi.sent()).toEqual([{ type: 'prompt', message: 'go' }]);
  expect(pi.notes()).toEqual([`loss: prompt: pi does not take ${loss}`]);
});

describe('an abort', () => {
  test('of an idle pi is settled at once: pi would print nothing', () => {
    const pi = legacy();
    pi.command(abort, 'c1');
    expect([pi.sent(), pi.settled()]).toEqual([[], { c1: ok }]);
  });

  test('goes out before the run has begun, and is settled by its end', () => {
    const pi = legacy();
    pi.command(prompt(), 'c1');
    pi.command(abort, 'c2');
    expect(pi.sent()).toMatchObject([{ type: 'prompt' }, { type: 'abort' }]);
    pi.feed(wire.agentStart);
    expect(pi.settled()).toEqual({ c1: ok });
    pi.feed(...shortRun('aborted', 'Request was aborted.').slice(1));
    expect(pi.settled()).toEqual({ c2: ok });
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'aborted' });
  });

  test('from before the run counts as well', () => {
    const pi = legacy();
    pi.command(prompt(), 'c1');
    pi.command(abort, 'c2');
    pi.feed(wire.agentStart, wire.agentEnd);
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'aborted' });
  });

  test('makes the end of a run that says nothing of it an abort', () => {
    const pi = legacy();
    pi.feed(wire.agentStart);
    pi.command(abort, 'c1');
    pi.feed(wire.agentEnd);
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'aborted' });
  });

  test.each(['retry', 'bash', 'compaction'] as const)('of a %s is refused', (target) => {
    const pi = legacy();
    pi.feed(wire.agentStart);
    pi.command({ type: 'abort', target }, 'c1');
    expect([pi.sent(), pi.settled()]).toMatchObject([[], { c1: refused('unsupported') }]);
  });

  test('while pi compacts is refused: it would go on', () => {
    const pi = legacy();
    pi.command(compact, 'c1');
    pi.sent();
    pi.command(abort, 'c2');
    expect([pi.sent(), pi.settled()]).toMatchObject([[], { c2: refused('unsupported') }]);
  });
});

describe('a compaction', () => {
  test('is told from its command to its line, and answered by that', () => {
    const pi = legacy();
    pi.command(compact, 'c1');
    expect(pi.sent()).toEqual([{ type: 'compact', customInstructions: 'Focus on code' }]);
    expect(pi.events()).toEqual([{ type: 'compaction-start', trigger: 'manual' }]);
    pi.feed(compaction);
    expect(pi.events()).toMatchObject([{ type: 'compaction-end', outcome: 'completed', summary: 'All of it.' }]);
    expect(pi.settled()).toMatchObject({ c1: { ok: true, data: { summary: 'All of it.', tokensBefore: 162 } } });
    expect(pi.timers()).toEqual({});
  });

  test('that fails is answered by the complaint, and by nothing else', () => {
    const pi = legacy();
    pi.command(compact, 'c1');
    pi.feed(complains('Compaction failed: Already compacted'));
    expect(pi.settled()).toEqual({
      c1: { ok: false, error: { code: 'agent-refused', message: 'Already compacted' } },
    });
    expect(pi.events()).toMatchObject([
      { type: 'compaction-start' },
      { type: 'compaction-end', outcome: 'failed', failure: { message: 'Already compacted' } },
    ]);
    expect(pi.timers()).toEqual({});
  });

  test('that does not end in time fails, and its late line is told', () => {
    const pi = legacy({ compactTimeoutMs: 1_000 });
    pi.command(compact, 'c1');
    pi.advance(999);
    expect(pi.settled()).toEqual({});
    pi.advance(1);
    expect(pi.settled()).toMatchObject({ c1: refused('timeout') });
    expect(typesOf(pi.events())).toEqual(['compaction-start', 'compaction-end']);
    pi.feed(compaction);
    expect(typesOf(pi.events())).toEqual(['compaction-start', 'compaction-end']);
  });

  test('may take as long as it likes', () => {
    const pi = legacy({ compactTimeoutMs: 0 });
    pi.command(compact, 'c1');
    expect(pi.timers()).toEqual({});
  });

  test('that pi began by itself does not answer ours', () => {
    const pi = legacy();
    pi.command(compact, 'c1');
    pi.feed(autoCompaction);
    expect(pi.settled()).toEqual({});
    pi.feed(compaction);
    expect(pi.settled()).toMatchObject({ c1: ok });
    expect(typesOf(pi.events())).toEqual(['compaction-start', 'compaction-end', 'compaction-start', 'compaction-end']);
  });

  test('that pi began by itself is told behind the end of the run', () => {
    const pi = legacy();
    pi.feed(...shortRun(), autoCompaction);
    expect(typesOf(pi.events()).slice(-3)).toEqual(['run-end', 'compaction-start', 'compaction-end']);
  });
});

test('a run is over with agent_end, without waiting', () => {
  const pi = legacy();
  pi.feed(...shortRun());
  expect(typesOf(pi.events())).toContain('run-end');
  expect(pi.timers()).toEqual({});
});

test('complaints about nothing that we asked are told', () => {
  const pi = legacy();
  pi.feed(complains('Unexpected token'), complains('Compaction failed: by another client'));
  expect(pi.events()).toEqual([
    { type: 'error', message: 'Unexpected token' },
    { type: 'error', message: 'Compaction failed: by another client' },
  ]);
});

test.each([
  ['a line of a newer pi', newer, [{ type: 'unknown', protocol: 'pi', payload: newer }]],
  ['a line without a type', {}, [{ type: 'unknown', protocol: 'pi', payload: {} }]],
  [
    'a type that objects have',
    { type: 'constructor' },
    [{ type: 'unknown', protocol: 'pi', payload: { type: 'constructor' } }],
  ],
])('%s passes as unknown, with a note', (_, line, events) => {
  const pi = legacy();
  pi.feed(line);
  expect(pi.events()).toEqual(events);
  expect(pi.notes()).toEqual([expect.stringContaining('violation: ')]);
});

test.each([
  { type: 'query', subject: 'state' },
  { type: 'steer', content: [] },
  { type: 'follow-up', content: [] },
  { type: 'unknown', protocol: 'pi', payload: { type: 'get_state' } },
] satisfies Command[])('$type is refused at once: pi would ignore it', (command) => {
  const pi = legacy();
  pi.command(command, 'c1');
  expect([pi.sent(), pi.settled()]).toMatchObject([[], { c1: refused('unsupported') }]);
});

test('nothing is sent at the beginning', () => {
  const pi = legacy();
  pi.start();
  expect(pi.lines()).toEqual([]);
});
