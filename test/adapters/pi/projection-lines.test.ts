// The lines themselves: updates in each dialect, and the events that are one line each.
import { describe, expect, test } from 'vitest';
import type { Dictionary } from '../../../src/core/model/content.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createLog, tellLate } from '../../support/telling.ts';
import { called, outline, sideOf, spoken, told } from './client.ts';

const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const figures = { ...usage, totalTokens: 10, cost: noCost };
const open: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }];
const close: Event[] = [{ type: 'turn-end' }, { type: 'run-end', outcome: 'completed' }];
const start: Event = { type: 'message-start', id: 'm1', model: 'm', provider: 'p', timestamp: 7, usage };
const updates = (events: readonly Event[], dialect: 'growing' | 'delta-only') =>
  told([...open, start, ...events], dialect).lines.slice(3);

describe('an update', () => {
  const text: Event[] = [
    { type: 'block-start', index: 0, block: { kind: 'text' } },
    { type: 'block-delta', index: 0, delta: 'a"\u2028' },
    { type: 'block-delta', index: 0, delta: '' },
    { type: 'block-end', index: 0 },
  ];

  test('delta-only: figures and the event', () => {
    const line = (assistantMessageEvent: object) => ({ type: 'message_update', usage: figures, assistantMessageEvent });
    expect(updates(text, 'delta-only')).toEqual([
      line({ type: 'text_start', contentIndex: 0 }),
      line({ type: 'text_delta', contentIndex: 0, delta: 'a"\u2028' }),
      line({ type: 'text_delta', contentIndex: 0, delta: '' }),
      line({ type: 'text_end', contentIndex: 0, content: 'a"\u2028' }),
    ]);
  });

  test('growing: the message so far, twice', () => {
    const message = (said: string) => ({
      role: 'assistant',
      content: [{ type: 'text', text: said }],
      api: 'unknown',
      provider: 'p',
      model: 'm',
      usage: figures,
      stopReason: 'stop',
      timestamp: 7,
      responseId: 'm1',
    });
    const line = (event: object, said: string) => ({
      type: 'message_update',
      assistantMessageEvent: { ...event, partial: message(said) },
      message: message(said),
    });
    expect(updates(text, 'growing')).toEqual([
      line({ type: 'text_start', contentIndex: 0 }, ''),
      line({ type: 'text_delta', contentIndex: 0, delta: 'a"\u2028' }, 'a"\u2028'),
      line({ type: 'text_delta', contentIndex: 0, delta: '' }, 'a"\u2028'),
      line({ type: 'text_end', contentIndex: 0, content: 'a"\u2028' }, 'a"\u2028'),
    ]);
  });

  test('a tool call tells its name in the line (delta-only) or in the snapshot (growing)', () => {
    const { said } = called('c1');
    const [first] = updates(said, 'delta-only');
    expect(first).toMatchObject({ assistantMessageEvent: { type: 'toolcall_start', id: 'c1', toolName: 'look' } });
    const [begun, grown, ended] = updates(said, 'growing');
    expect(begun).toMatchObject({
      message: { content: [{ type: 'toolCall', id: 'c1', name: 'look', arguments: {} }] },
    });
    expect(Object.keys(Object(begun?.assistantMessageEvent))).toEqual(['type', 'contentIndex', 'partial']);
    expect(grown).toMatchObject({ message: { content: [{ arguments: { at: 1 } }] } });
    expect(ended).toMatchObject({ assistantMessageEvent: { toolCall: { id: 'c1', arguments: { at: 1 } } } });
  });

  test('a block that was cut has no end', () => {
    const cut: Event[] = [...text.slice(0, 2), { type: 'block-end', index: 0, incomplete: true }];
    expect(updates(cut, 'delta-only').map(({ assistantMessageEvent: event }) => Object(event).type)).toEqual([
      'text_start',
      'text_delta',
    ]);
  });

  test('blocks that pi has no shape for are lost, and the others counted without them', () => {
    const whole = (name: string): Event => ({
      type: 'block-start',
      index: 0,
      block: { kind: 'whole', content: { type: 'opaque', name, protocol: 'claude', payload: {} } },
    });
    const events: Event[] = [
      whole('server_tool_use'),
      { type: 'block-end', index: 0 },
      ...text.map((event): Event => ({ ...event, index: 1 }) as Event),
      { type: 'message-end', stop: { reason: 'end' } },
    ];
    const { lines, losses } = told([...open, start, ...events]);
    expect(losses).toEqual(['block server_tool_use']);
    expect(lines[3]).toMatchObject({ assistantMessageEvent: { type: 'text_start', contentIndex: 0 } });
    expect(lines.at(-1)).toMatchObject({ message: { content: [{ type: 'text' }] } });
  });

  test('figures that a pi told on the way are told from there on', () => {
    const now = { ...figures, output: 9 };
    const events: Event[] = [
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 0, delta: 'a', extra: { pi: { usage: now } } },
      { type: 'block-delta', index: 0, delta: 'b', extra: { pi: { usage: now } } },
    ];
    expect(updates(events, 'delta-only').map((line) => line.usage)).toEqual([figures, now, now]);
  });

  test('what a newer pi adds stays', () => {
    const extra = { pi: { line: { lane: 2 }, event: { tone: 'dry' } } };
    const events: Event[] = [
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 0, delta: 'a', extra },
    ];
    for (const dialect of ['growing', 'delta-only'] as const) {
      expect(updates(events, dialect)[1]).toMatchObject({
        lane: 2,
        assistantMessageEvent: { type: 'text_delta', delta: 'a', tone: 'dry' },
      });
    }
  });
});

describe('a whole message', () => {
  test.each<[reason: 'end' | 'tool-use' | 'length' | 'stop-sequence' | 'refusal' | 'pause' | 'unknown', word: string]>([
    ['end', 'stop'],
    ['tool-use', 'toolUse'],
    ['length', 'length'],
    ['stop-sequence', 'stop'],
    ['refusal', 'error'],
    ['pause', 'stop'],
    ['unknown', 'stop'],
  ])('stop reason %s is %s, whatever the agent’s own word', (reason, word) => {
    const { lines } = told([...open, ...spoken('hi', { stop: { reason, raw: 'end_turn' } })]);
    expect(lines.at(-1)).toMatchObject({ message: { stopReason: word } });
  });

  test('it begins as pending for today’s clients, and as stop for all others; pi’s own word passes', () => {
    for (const [dialect, word] of [
      ['delta-only', 'pending'],
      ['growing', 'stop'],
      ['legacy', 'stop'],
    ] as const) {
      expect(told([...open, start], dialect).lines.at(-1)).toMatchObject({ message: { stopReason: word } });
    }
    const pending: Event = { ...start, extra: { pi: { api: 'a', stopReason: 'pending' } } };
    for (const [dialect, word] of [
      ['delta-only', 'pending'],
      ['growing', 'pending'],
      ['legacy', 'stop'],
    ] as const) {
      expect(told([...open, pending], dialect).lines.at(-1)).toMatchObject({ message: { stopReason: word, api: 'a' } });
    }
  });

  test('the time of day is the session’s when the agent tells none', () => {
    const { lines } = told([...open, { type: 'message-added', role: 'user', content: [{ type: 'text', text: 'x' }] }]);
    expect(lines.at(-1)).toMatchObject({ message: { timestamp: 20 } });
  });

  test.each<[event: Partial<Extract<Event, { type: 'message-added' }>>, message: object]>([
    [
      { role: 'user', extra: { pi: { plain: true } } },
      { role: 'user', content: 'x' },
    ],
    [{ role: 'system' }, { role: 'system', content: 'x' }],
    [
      { role: 'custom', name: 'n' },
      { role: 'custom', customType: 'n', display: true },
    ],
    [
      { role: 'bash', name: 'ls' },
      { role: 'bashExecution', command: 'ls', output: 'x', exitCode: 0 },
    ],
    [{ role: 'summary' }, { role: 'compactionSummary', summary: 'x' }],
    [
      { role: 'summary', extra: { pi: { kind: 'branchSummary', fromId: 'f' } } },
      { role: 'branchSummary', fromId: 'f' },
    ],
  ])('%o', (event, message) => {
    const added = { type: 'message-added', role: 'user', content: [{ type: 'text', text: 'x' }], ...event } as Event;
    const { lines } = told([added]);
    expect(outline(lines)).toEqual([
      `message_start ${lines[0] && Object(lines[0].message).role}`,
      `message_end ${Object(lines[1]?.message).role}`,
    ]);
    expect(lines[1]).toMatchObject({ message });
  });
});

/** Events that are one line each; null where a dialect has none. */
const single: readonly [event: Event, growing: object, deltaOnly?: object][] = [
  [
    { type: 'dialog-request', id: 'd', kind: 'select', title: 't', options: ['a'], timeoutMs: 5 },
    { type: 'extension_ui_request', id: 'd', method: 'select', title: 't', options: ['a'], timeout: 5 },
  ],
  [
    { type: 'dialog-request', id: 'd', kind: 'input', title: 't', placeholder: 'p' },
    { type: 'extension_ui_request', id: 'd', method: 'input', title: 't', placeholder: 'p' },
  ],
  [
    { type: 'dialog-request', id: 'd', kind: 'editor', title: 't', prefill: 'p' },
    { type: 'extension_ui_request', id: 'd', method: 'editor', title: 't', prefill: 'p' },
  ],
  [
    { type: 'dialog-request', id: 'd', kind: 'confirm', title: 't' },
    { type: 'extension_ui_request', id: 'd', method: 'confirm', title: 't', message: '' },
  ],
  [
    { type: 'notice', level: 'warning', text: 'w' },
    { type: 'extension_ui_request', id: '000000000000-1-0', method: 'notify', message: 'w', notifyType: 'warning' },
  ],
  [
    { type: 'error', message: 'e' },
    { type: 'extension_ui_request', id: '000000000000-1-0', method: 'notify', message: 'e', notifyType: 'error' },
  ],
  [
    { type: 'display', place: 'status', key: 'k', lines: null },
    { type: 'extension_ui_request', id: '000000000000-1-0', method: 'setStatus', statusKey: 'k' },
  ],
  [
    { type: 'display', place: 'working', lines: ['busy'] },
    {
      type: 'extension_ui_request',
      id: '000000000000-1-0',
      method: 'setStatus',
      statusKey: 'working',
      statusText: 'busy',
    },
  ],
  [
    { type: 'display', place: 'widget', key: 'k', lines: ['a', 'b'], position: 'belowEditor' },
    {
      type: 'extension_ui_request',
      id: '000000000000-1-0',
      method: 'setWidget',
      widgetKey: 'k',
      widgetLines: ['a', 'b'],
      widgetPlacement: 'belowEditor',
    },
  ],
  [
    { type: 'display', place: 'title', lines: ['t'] },
    { type: 'extension_ui_request', id: '000000000000-1-0', method: 'setTitle', title: 't' },
  ],
  [
    { type: 'display', place: 'editor', lines: ['a', 'b'] },
    { type: 'extension_ui_request', id: '000000000000-1-0', method: 'set_editor_text', text: 'a\nb' },
  ],
  [
    { type: 'queue-changed', steering: ['s'], followUp: [] },
    { type: 'queue_update', steering: ['s'], followUp: [] },
  ],
  [
    { type: 'session-changed', changes: { name: '' }, extra: { pi: { type: 'session_info_changed' } } },
    { type: 'session_info_changed' },
  ],
  [
    { type: 'session-changed', changes: { thinkingLevel: 'low' }, extra: { pi: { type: 'thinking_level_changed' } } },
    { type: 'thinking_level_changed', level: 'low' },
  ],
  [
    { type: 'bash-output', command: 'c1', delta: 'o', extra: { pi: { id: 'b1' } } },
    { type: 'bash_execution_update', id: 'b1', delta: 'o' },
  ],
  [
    { type: 'compaction-start', trigger: 'overflow' },
    { type: 'auto_compaction_start', reason: 'overflow' },
    { type: 'compaction_start', reason: 'overflow' },
  ],
  [
    { type: 'compaction-start', trigger: 'manual' },
    { type: 'compaction_start', reason: 'manual' },
  ],
  [
    { type: 'unknown', protocol: 'pi', payload: { type: 'entry_appended', entry: { id: 1 } } },
    { type: 'entry_appended', entry: { id: 1 } },
  ],
];

describe('one line', () => {
  test.each(single)('%o', (event, growing, deltaOnly = growing) => {
    expect(told([event]).lines).toEqual([growing]);
    expect(told([event], 'delta-only').lines).toEqual([deltaOnly]);
  });

  test('a compaction that ends', () => {
    const events: Event[] = [
      { type: 'compaction-start', trigger: 'threshold' },
      { type: 'compaction-end', outcome: 'completed', summary: 's', tokensBefore: 5 },
    ];
    const result = { summary: 's', firstKeptEntryId: '', tokensBefore: 5 };
    expect(told(events).lines[1]).toEqual({ type: 'auto_compaction_end', result, aborted: false, willRetry: false });
    expect(told(events, 'delta-only').lines[1]).toEqual({
      type: 'compaction_end',
      reason: 'threshold',
      result,
      aborted: false,
      willRetry: false,
    });
    expect(told(events, 'legacy').lines).toEqual([{ type: 'compaction', summary: 's', tokensBefore: 5, auto: true }]);
  });

  test('an approval is a yes or no', () => {
    const events: Event[] = [
      { type: 'run-start' },
      { type: 'approval-request', id: 'a', name: 'rm', title: 'Remove x', input: { path: 'x' }, timeoutMs: 9 },
    ];
    expect(told(events).lines[1]).toEqual({
      type: 'extension_ui_request',
      id: 'approval:a',
      method: 'confirm',
      title: 'Allow rm: Remove x?',
      message: '{\n  "path": "x"\n}',
      timeout: 9,
    });
  });

  test('of an approval that the session answers itself nothing is said: pi could not take the question back', () => {
    const events: Event[] = [
      { type: 'run-start' },
      { type: 'approval-request', id: 'a', name: 'rm', input: {}, standing: 'remembered' },
      { type: 'approval-end', id: 'a', outcome: 'allowed' },
    ];
    expect(told(events)).toEqual(told(events.slice(0, 1)));
  });

  test('an approval of much input is short enough to read, and says what is left out and where', () => {
    const asked = (input: Dictionary, words = { name: 'write', title: 'Write it' }) => {
      const events: Event[] = [{ type: 'run-start' }, { type: 'approval-request', id: 'a', input, ...words }];
      return told(events).lines[1];
    };
    const text = `${'a'.repeat(1_000)}${'b'.repeat(50_000)}${'c'.repeat(1_000)}`;
    const shown = `${'a'.repeat(1_000)} [… 50000 characters are not shown …] ${'c'.repeat(1_000)}`;
    expect(asked({ path: 'x', text })).toMatchObject({ message: JSON.stringify({ path: 'x', text: shown }, null, 2) });
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`key${at}`, at]));
    const hidden = JSON.stringify(many, null, 2).length - 8_000;
    expect(asked(many)?.message).toMatch(new RegExp(`\\n\\[… ${hidden} characters are not shown …\\]$`, 'u'));
    expect(asked({}, { name: 'a\n  b', title: `${'t'.repeat(300)}` })).toMatchObject({
      title: `Allow a b: ${'t'.repeat(200)}…?`,
    });
  });

  test.each<Event>([
    { type: 'dialog-request', id: 'd', kind: 'interview', title: 't', questions: [] },
    { type: 'unknown', protocol: 'claude', payload: {} },
    { type: 'usage-changed' },
    { type: 'task-changed', id: 't', status: 'running' },
    { type: 'activity', text: 'busy' },
    { type: 'tool-server-changed', name: 's', kind: 'mcp', status: 'running' },
  ])('%o has none, and that is said', (event) => {
    const { lines, losses } = told([event]);
    expect([lines, losses.length]).toEqual([[], 1]);
  });

  test.each<Event>([
    { type: 'queue-changed', steering: [], followUp: [] },
    { type: 'dialog-request', id: 'd', kind: 'input', title: 't' },
    { type: 'display', place: 'title', lines: ['t'] },
  ])('0.13.2 has no line for %o', (event) => {
    expect(told([event], 'legacy')).toEqual({ lines: [], losses: [event.type] });
  });

  test('a setting that was not known before has not changed', () => {
    const set = (name: string, thinkingLevel: string): Event => ({
      type: 'session-changed',
      changes: { name, thinkingLevel },
    });
    expect(told([set('a', 'low'), set('a', 'high'), set('b', 'high')]).lines).toEqual([
      { type: 'thinking_level_changed', level: 'high' },
      { type: 'session_info_changed', name: 'b' },
    ]);
  });

  test('what pi printed no line of is not told', () => {
    const extra = { pi: { unsaid: true } };
    const events: Event[] = [
      { type: 'session-changed', changes: { name: 'n' }, extra },
      { type: 'message-added', role: 'user', origin: 'replay', content: [], extra },
    ];
    expect(told(events).lines).toEqual([]);
  });

  test('pi’s own word on an agent that starts again', () => {
    const line = (fields: object): Event => ({ type: 'session-changed', changes: {}, extra: { pi: { line: fields } } });
    const events = [
      ...open,
      ...spoken('a'),
      { type: 'turn-end' } as Event,
      line({ type: 'agent_end', willRetry: true }),
      line({ type: 'agent_start' }),
      { type: 'turn-start' } as Event,
      ...spoken('b'),
      ...close,
    ];
    const { lines } = told(events);
    expect(lines.filter(({ type }) => String(type).startsWith('agent'))).toMatchObject([
      { type: 'agent_start' },
      { type: 'agent_end', willRetry: true, messages: [{ content: [{ text: 'a' }] }] },
      { type: 'agent_start' },
      { type: 'agent_end', messages: [{ content: [{ text: 'b' }] }] },
      { type: 'agent_settled' },
    ]);
  });

  test('today’s clients are told when all is over', () => {
    const run = (outcome: 'completed' | 'aborted'): Event[] => [
      ...open,
      ...spoken('a', { stop: { reason: outcome === 'aborted' ? 'aborted' : 'end' } }),
      { type: 'turn-end' },
      { type: 'run-end', outcome },
    ];
    for (const dialect of ['growing', 'delta-only'] as const) {
      for (const outcome of ['completed', 'aborted'] as const) {
        expect(told(run(outcome), dialect).lines.slice(-2)).toMatchObject([
          { type: 'agent_end', willRetry: false },
          { type: 'agent_settled', aborted: outcome === 'aborted' },
        ]);
      }
    }
    const [last] = told(run('completed'), 'legacy').lines.slice(-1);
    expect(last).toMatchObject({ type: 'agent_end' });
    expect(last).not.toHaveProperty('willRetry');
  });
});

describe('output of a tool on its way', () => {
  const { said, start: begin } = called('c1');
  const update = (mode: 'append' | 'replace', words: string): Event => ({
    type: 'tool-update',
    call: 'c1',
    mode,
    content: [{ type: 'text', text: words }],
  });

  test.each([
    ['append', ['a', 'ab']],
    ['replace', ['a', 'b']],
  ] as const)('%s: always all of it', (mode, texts) => {
    const events = [...open, start, ...said, { type: 'message-end', stop: { reason: 'tool-use' } } as Event, begin];
    const { lines } = told([...events, update(mode, 'a'), update(mode, 'b')]);
    const partials = lines.filter(({ type }) => type === 'tool_execution_update');
    expect(partials).toMatchObject(
      texts.map((text) => ({
        toolCallId: 'c1',
        toolName: 'look',
        args: { at: 1 },
        partialResult: { content: [{ type: 'text', text }] },
      })),
    );
    expect(partials[0]?.partialResult).toEqual({ content: [{ type: 'text', text: 'a' }] });
  });

  test('a failure is a plain string in 0.13.2 alone', () => {
    const failed: Event = {
      type: 'tool-end',
      call: 'c1',
      name: 'look',
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    };
    const events = [...open, begin, failed];
    const result = (dialect: 'growing' | 'legacy') =>
      told(events, dialect).lines.find(({ type }) => type === 'tool_execution_end')?.result;
    expect([result('growing'), result('legacy')]).toEqual([{ content: [{ type: 'text', text: 'no' }] }, 'no']);
  });
});

describe('a late client', () => {
  const events = [...open, ...spoken('first words'), ...close, ...open, start];

  test('is told what is over without updates, and what is open as far as it got', () => {
    const log = createLog();
    for (const event of [...events, { type: 'block-start', index: 0, block: { kind: 'text' } } as Event])
      log.admit(event);
    log.admit({ type: 'block-delta', index: 0, delta: 'half' });
    log.admit({ type: 'block-delta', index: 0, delta: ' done' });
    const late = tellLate(sideOf(), log.logged).at(-2)?.texts ?? [];
    expect(outline(late.map((text) => JSON.parse(text)))).toEqual([
      'agent_start',
      'turn_start',
      'message_start assistant',
      'message_end assistant',
      'turn_end',
      'agent_end',
      'agent_settled',
      'agent_start',
      'turn_start',
      'message_start assistant',
      'message_update text_start',
      'message_update text_delta',
      'message_update text_delta',
    ]);
    expect(JSON.parse(late.at(-1) ?? '{}').message.content).toEqual([{ type: 'text', text: 'half done' }]);
  });
});

test('a first name that is all that is told was given; one among other settings was there before', () => {
  const named = (changes: object): Event => ({ type: 'session-changed', changes });
  expect(told([named({ name: 'given' })], 'growing').lines).toEqual([{ type: 'session_info_changed', name: 'given' }]);
  expect(told([named({ name: 'known', cwd: '/' })], 'growing').lines).toEqual([]);
});

test('what an agent tells again after a fork is not printed: clients of pi ask for it', () => {
  const again: Event = {
    type: 'message-added',
    role: 'user',
    origin: 'replay',
    content: [{ type: 'text', text: 'old' }],
  };
  expect(told([{ type: 'history-reset', reason: 'forked' }, again], 'growing').lines).toEqual([]);
});
