// Contents of an ECA server as canonical events: blocks, calls and leave, figures, sub-agents, what is newer (docs/protocols/eca.md 8.3, 1.2, 4).
import { describe, expect, test } from 'vitest';
import {
  answered,
  called,
  chatId,
  type Era,
  echo,
  finished,
  type Json,
  prepare,
  rejected,
  run,
  runningCall,
  say,
  type Talk,
  talk,
  tell,
  text,
} from './backend-words.ts';

/** In the middle of a run. */
function begun(era: Era = 'modern'): Talk {
  const it = talk(era);
  it.prompt('hi');
  it.hear(echo('hi'), answered(2));
  it.events.length = it.types().indexOf('message-added') + 1;
  return it;
}

/** The events behind the user's words, without those around a message. */
const behind = (it: Talk) => it.events.slice(it.types().indexOf('message-added') + 1);
const model = (content: Json, more: Json = {}) => say('assistant', content, more);
const noDisorder = (it: Talk) => expect([it.disorder(), it.notes]).toEqual([[], []]);

describe('blocks', () => {
  test('a thought, a text, a thought under the same id', () => {
    const it = begun('first');
    it.hear(
      model({ type: 'reasonStarted', id: 'r' }),
      model({ type: 'reasonText', id: 'r', text: 'hm' }),
      model({ type: 'reasonFinished', id: 'r' }),
      text('a'),
      model({ type: 'reasonStarted', id: 'r' }),
      model({ type: 'reasonText', id: 'r', text: 'so' }),
      model({ type: 'reasonFinished', id: 'r', totalTimeMs: 7 }),
      text('b'),
      finished(),
    );
    expect(it.of('block-start').map(({ index, block }) => [index, block.kind])).toEqual([
      [0, 'thinking'],
      [1, 'text'],
      [2, 'thinking'],
      [3, 'text'],
    ]);
    expect(it.of('block-end').map(({ index, extra }) => [index, extra])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, { eca: { totalTimeMs: 7 } }],
      [3, undefined],
    ]);
    noDisorder(it);
  });

  test('a thought that nobody began, and an end of none', () => {
    const it = begun();
    it.hear(model({ type: 'reasonFinished', id: 'q' }), model({ type: 'reasonText', id: 'r', text: 'hm' }), finished());
    expect(it.of('block-start').map(({ block }) => block.kind)).toEqual(['thinking']);
    noDisorder(it);
  });

  test('links and images come whole', () => {
    const it = begun();
    it.hear(
      model({ type: 'url', title: 'there', url: 'https://example.test/' }),
      model({ type: 'image', mediaType: 'image/gif', base64: 'AAAA' }),
      finished(),
    );
    expect(it.of('block-start').map(({ block }) => block)).toEqual([
      { kind: 'whole', content: { type: 'link', url: 'https://example.test/', title: 'there' } },
      { kind: 'whole', content: { type: 'image', data: 'AAAA', mediaType: 'image/gif' } },
    ]);
    noDisorder(it);
  });

  test('a text of nothing says nothing', () => {
    const it = begun();
    it.hear(text(''), model({ type: 'text', text: null }), finished());
    expect(it.of('block-delta')).toEqual([]);
    noDisorder(it);
  });
});

describe('argument texts', () => {
  const streams: readonly [string, Era, readonly string[], readonly string[]][] = [
    [
      'the first era: all so far, each time',
      'first',
      ['', '{"where"', '{"where":"drawer"}'],
      ['{"where"', ':"drawer"}'],
    ],
    ['the first era: said again', 'first', ['', '{"where":"drawer"}', '{"where":"drawer"}'], ['{"where":"drawer"}']],
    ['0.29 to 0.41: pieces', 'first', ['', '{"where"', ':"drawer"}'], ['{"where"', ':"drawer"}']],
    ['today: pieces', 'modern', ['', '{"a":', '{"a":', '1}}'], ['{"a":', '{"a":', '1}}']],
  ];
  test.each(streams)('%s', (_, era, texts, deltas) => {
    const it = begun(era);
    it.hear(...texts.map((one) => prepare('t1', one)), run('t1', false), called('t1'), finished());
    expect(it.of('block-delta').map(({ delta }) => delta)).toEqual(deltas);
    expect(it.of('block-end')).toEqual([{ type: 'block-end', index: 0, input: { where: 'drawer' } }]);
    noDisorder(it);
  });

  test('what runs counts, not what streamed', () => {
    const it = begun();
    it.hear(prepare('t1', '{"where":"she'), run('t1', false), called('t1'), finished());
    expect(it.of('block-end')).toMatchObject([{ input: { where: 'drawer' } }]);
    expect(it.of('tool-start')).toMatchObject([{ input: { where: 'drawer' } }]);
  });

  test('of the second call, what streamed, until it runs', () => {
    const it = begun();
    it.hear(prepare('t1', '{"a":1}'), prepare('t2', '{"b":'), prepare('t2', '2}'), run('t1', true));
    expect(it.of('block-end').map(({ index, input }) => [index, input])).toEqual([
      [0, { a: 1 }],
      [1, { b: 2 }],
    ]);
  });

  test('that were cut', () => {
    const it = begun();
    it.hear(prepare('t1', '{"wh'), finished());
    expect(it.of('block-end')).toEqual([{ type: 'block-end', index: 0, incomplete: true }]);
    expect(it.of('tool-end')).toMatchObject([{ skipped: 'aborted', synthetic: true }]);
    noDisorder(it);
  });
});

describe('calls', () => {
  test('one that needs no leave', () => {
    const it = begun();
    it.hear(text('See.'), prepare('t1', '{"where":"drawer"}'), run('t1', false, { server: 'eca' }), runningCall('t1'));
    it.hear(called('t1', { totalTimeMs: 12, summary: 'Looked' }), text('Cables.'), finished());
    expect(behind(it).map(({ type }) => type)).toEqual([
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'tool-start',
      'tool-end',
      'turn-end',
      'turn-start',
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'turn-end',
      'run-end',
    ]);
    expect(it.of('message-end').map(({ stop }) => stop.reason)).toEqual(['tool-use', 'end']);
    const shown = { call: 't1', name: 'look', origin: 'native' };
    expect(it.of('tool-start')).toEqual([
      { type: 'tool-start', ...shown, title: 'Looking', server: 'eca', input: { where: 'drawer' } },
    ]);
    expect(it.of('tool-end')).toEqual([
      {
        type: 'tool-end',
        ...shown,
        title: 'Looked',
        content: [{ type: 'text', text: 'cables' }],
        isError: false,
        durationMs: 12,
      },
    ]);
    noDisorder(it);
  });

  test('one that nobody prepared', () => {
    const it = begun();
    it.hear(run('t1', false), called('t1'), called('t2'), finished());
    expect(it.of('block-start').map(({ block }) => block)).toEqual([
      { kind: 'tool-call', id: 't1', name: 'look' },
      { kind: 'tool-call', id: 't2', name: 'look' },
    ]);
    expect(it.of('tool-end').map(({ call }) => call)).toEqual(['t1', 't2']);
    noDisorder(it);
  });

  const outputs: readonly [string, unknown, readonly object[]][] = [
    ['text, as servers say', [{ type: 'text', text: 'a' }], [{ type: 'text', text: 'a' }]],
    ['content, as the document says', [{ type: 'text', content: 'a' }], [{ type: 'text', text: 'a' }]],
    ['a string', 'a', [{ type: 'text', text: 'a' }]],
    ['none', null, []],
    [
      'something newer',
      [{ type: 'map', at: 1 }],
      [{ type: 'opaque', name: 'map', protocol: 'eca', payload: { type: 'map', at: 1 } }],
    ],
  ];
  test.each(outputs)('results: %s', (_, wire, content) => {
    const it = begun();
    it.hear(run('t1', false), called('t1', { outputs: wire, error: true }), finished());
    expect(it.of('tool-end')).toMatchObject([{ content, isError: true }]);
  });

  const change = { path: '/w/a.txt', diff: '@@ -1 +1 @@\n-a\n+b', linesAdded: 1, linesRemoved: 1 };
  test('a change of a file', () => {
    const it = begun();
    it.hear(run('t1', true, { details: { type: 'fileChange', ...change } }));
    const [asked] = it.of('approval-request');
    expect([asked?.change, asked?.extra]).toEqual([change, undefined]);
  });

  test('other details ride along', () => {
    const it = begun();
    const details = { type: 'shellCommand', commands: [] };
    it.hear(prepare('t1', '{}', { details }), run('t1', true, { details }), called('t1', { details }));
    for (const type of ['block-start', 'approval-request', 'approval-end', 'tool-start', 'tool-end'] as const) {
      expect(it.of(type)[0]?.extra?.eca, type).toMatchObject({ details });
    }
  });
});

describe('leave', () => {
  test('is asked for', () => {
    const it = begun();
    it.hear(prepare('t1', '{"where":"drawer"}'), run('t1', true));
    expect(it.of('approval-request')).toEqual([
      {
        type: 'approval-request',
        id: 't1',
        call: 't1',
        name: 'look',
        title: 'Looking',
        origin: 'native',
        input: { where: 'drawer' },
        suggestions: [{ protocol: 'eca', save: 'session' }],
      },
    ]);
    expect(it.of('tool-start')).toEqual([]);
  });

  test('given: newer servers say when the call runs', () => {
    const it = begun();
    it.hear(run('t1', true));
    const answer = it.ask({ type: 'answer-approval', id: 't1', decision: 'allow' });
    expect([it.outcome(answer), it.last('chat/toolCallApprove').params]).toEqual([
      { ok: true },
      { chatId, toolCallId: 't1' },
    ]);
    expect([it.of('approval-end')[0]?.outcome, it.of('tool-start').length]).toEqual(['allowed', 0]);
    it.hear(runningCall('t1'));
    expect(it.of('tool-start')).toHaveLength(1);
    it.hear(called('t1'), finished());
    noDisorder(it);
  });

  test('given: older ones do not', () => {
    const it = begun('first');
    it.hear(run('t1', true));
    expect(it.of('approval-request')[0]?.suggestions).toBeUndefined();
    it.ask({ type: 'answer-approval', id: 't1', decision: 'allow' });
    expect(it.of('tool-start')).toHaveLength(1);
    it.hear(called('t1'), finished());
    expect(it.of('tool-start')).toHaveLength(1);
    noDisorder(it);
  });

  test.each([
    ['modern', { chatId, toolCallId: 't1', save: 'session' }, []],
    ['first', { chatId, toolCallId: 't1' }, ['loss']],
  ] as const)('given for good, to a server that is %s', (era, params, notes) => {
    const it = begun(era);
    it.hear(run('t1', true));
    it.ask({ type: 'answer-approval', id: 't1', decision: 'allow', remember: [{ protocol: 'eca', save: 'session' }] });
    expect(it.last('chat/toolCallApprove').params).toEqual(params);
    expect(it.notes.map(({ level }) => level)).toEqual(notes);
  });

  test('with other arguments cannot be given: the question stays open', () => {
    const it = begun();
    it.hear(run('t1', true));
    const answer = it.ask({ type: 'answer-approval', id: 't1', decision: 'allow', input: { where: 'shelf' } });
    expect(it.outcome(answer)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
    expect(it.of('approval-end')).toEqual([]);
    const again = it.ask({ type: 'answer-approval', id: 't1', decision: 'allow' });
    expect(it.outcome(again)).toEqual({ ok: true });
  });

  test('refused, with a reason that is lost', () => {
    const it = begun();
    it.hear(run('t1', true));
    it.ask({ type: 'answer-approval', id: 't1', decision: 'deny', reason: 'not today' });
    expect(it.last('chat/toolCallReject').params).toEqual({ chatId, toolCallId: 't1' });
    expect(it.of('approval-end')).toMatchObject([{ outcome: 'denied', reason: 'not today' }]);
    expect(it.notes).toEqual([{ level: 'loss', text: expect.stringMatching(/not told why/u) }]);
    it.hear(rejected('t1'), finished());
    expect(it.of('tool-end')).toMatchObject([{ skipped: 'denied', isError: true }]);
    expect([it.of('approval-end').length, it.disorder()]).toEqual([1, []]);
  });

  const others: readonly [string, readonly Json[], string, object][] = [
    ['given by somebody else', [runningCall('t1'), called('t1')], 'allowed', { isError: false }],
    ['refused by somebody else', [rejected('t1', 'hookRejected')], 'denied', { skipped: 'denied' }],
    ['not needed any more', [rejected('t1', 'userPromptStop')], 'cancelled', { skipped: 'aborted' }],
  ];
  test.each(others)('%s', (_, messages, outcome, end) => {
    const it = begun();
    it.hear(run('t1', true), ...messages);
    expect(it.of('approval-end')).toMatchObject([{ id: 't1', outcome }]);
    expect(it.of('tool-end')).toMatchObject([end]);
    expect(it.disorder()).toEqual([]);
  });

  test('is given once', () => {
    const it = begun();
    it.hear(run('t1', true));
    it.ask({ type: 'answer-approval', id: 't1', decision: 'allow' });
    for (const id of ['t1', 'no such call']) {
      const late = it.ask({ type: 'answer-approval', id, decision: 'allow' });
      expect(it.outcome(late)).toMatchObject({ ok: false, error: { code: 'stale' } });
    }
    expect(it.sent.filter(({ method }) => method === 'chat/toolCallApprove')).toHaveLength(1);
  });
});

describe('figures', () => {
  const first = {
    messageInputTokens: 10,
    messageOutputTokens: 20,
    sessionTokens: 30,
    messageCost: '0.01',
    sessionCost: '0.02',
  };
  const modern = {
    sessionTokens: 30,
    lastMessageCost: '0.01',
    sessionCost: '0.02',
    limit: { context: 200, output: 10 },
  };
  const usage = { input: 10, output: 20, cacheRead: 0, cacheWrite: 0 };
  const costs = { cost: { total: 0.01 }, sessionCost: { total: 0.02 } };
  const figures: readonly [string, Json, object][] = [
    ['of the first era', first, { usage, ...costs, sessionTokens: 30 }],
    [
      'of today',
      modern,
      { ...costs, sessionTokens: 30, contextTokens: 30, contextWindow: 200, extra: { eca: { limit: modern.limit } } },
    ],
    [
      'that only ECA has',
      { sessionTokens: 1, autoCompactPercentage: 75 },
      { sessionTokens: 1, contextTokens: 1, extra: { eca: { autoCompactPercentage: 75 } } },
    ],
    ['that are none', { sessionTokens: null, sessionCost: 'free' }, {}],
  ];
  test.each(figures)('%s', (_, content, told) => {
    const it = begun();
    it.hear(text('a'), say('system', { type: 'usage', ...content }));
    expect(it.of('usage-changed')).toEqual([{ type: 'usage-changed', ...told }]);
  });

  test('are those of the message, too, where they are told of it', () => {
    const it = begun('first');
    it.hear(text('a'), say('system', { type: 'usage', ...first }), finished());
    expect(it.of('message-end')).toEqual([
      { type: 'message-end', stop: { reason: 'end' }, usage, extra: { eca: { usage: 'told' } } },
    ]);
  });
});

describe('sub-agents', () => {
  const sub = { chatId: 'subagent-1', parentChatId: chatId };
  const spawned = (it: Talk) => {
    const details = { type: 'subagent', subagentChatId: 'subagent-1', agentName: 'explorer', model: 'm1', step: 1 };
    it.hear(prepare('spawn', '{}'), run('spawn', false, { details }));
  };

  test('speak for the call that names their chat', () => {
    const it = begun();
    spawned(it);
    const inSub = (message: Json): Json => ({ ...message, params: { ...(message.params as Json), ...sub } });
    it.hear(inSub(echo('explore')), inSub(text('I look')), inSub(prepare('inner', '{}')), inSub(run('inner', true)));
    it.ask({ type: 'answer-approval', id: 'inner', decision: 'allow' });
    expect(it.last('chat/toolCallApprove').params).toEqual({ chatId: 'subagent-1', toolCallId: 'inner' });
    it.hear(inSub(runningCall('inner')), inSub(called('inner')), inSub(text('Done')), inSub(finished()));
    it.hear(called('spawn'), text('So it is.'), finished());
    expect(it.of('message-added').map(({ parent, origin }) => [parent, origin])).toEqual([
      [undefined, 'prompt'],
      ['spawn', 'agent'],
    ]);
    expect(it.of('message-start').map(({ parent }) => parent)).toEqual([undefined, 'spawn', 'spawn', undefined]);
    expect(it.of('tool-end').map(({ call, parent }) => [call, parent])).toEqual([
      ['inner', 'spawn'],
      ['spawn', undefined],
    ]);
    expect(it.of('run-end')).toHaveLength(1);
    noDisorder(it);
  });

  test('of which nobody knows the call are passed on', () => {
    const it = begun();
    it.hear(text('I see', sub), finished(sub));
    expect(behind(it).map(({ type }) => type)).toEqual(['unknown', 'unknown']);
  });
});

describe('what else is told', () => {
  const news: readonly [string, Json, object][] = [
    [
      'a title',
      say('system', { type: 'metadata', title: 'Cables' }),
      { type: 'session-changed', changes: { name: 'Cables' } },
    ],
    [
      'a chat with a title',
      tell('chat/opened', { title: 'Cables' }),
      { type: 'session-changed', changes: { name: 'Cables' } },
    ],
    [
      'a message',
      { method: '$/showMessage', params: { type: 'warning', message: 'careful' } },
      { type: 'notice', level: 'warning', text: 'careful', source: 'agent' },
    ],
    [
      'a server of tools',
      {
        method: 'tool/serverUpdated',
        params: { type: 'mcp', name: 'files', command: 'f', args: ['-x'], status: 'requires-auth', hasAuth: false },
      },
      {
        type: 'tool-server-changed',
        name: 'files',
        kind: 'mcp',
        status: 'needs-auth',
        command: ['f', '-x'],
        extra: { eca: { hasAuth: false } },
      },
    ],
    [
      'one that is gone',
      { method: 'tool/serverRemoved', params: { name: 'files' } },
      { type: 'tool-server-changed', name: 'files', kind: 'mcp', status: 'removed' },
    ],
    [
      'a hook',
      say('system', { type: 'hookActionStarted', id: 'h' }),
      {
        type: 'unknown',
        protocol: 'eca',
        payload: {
          method: 'chat/contentReceived',
          params: { chatId, role: 'system', content: { type: 'hookActionStarted', id: 'h' } },
        },
      },
    ],
    [
      'something newer',
      { method: 'jobs/updated', params: { jobs: [] } },
      { type: 'unknown', protocol: 'eca', payload: { method: 'jobs/updated', params: { jobs: [] } } },
    ],
  ];
  test.each(news)('%s', (_, message, event) => {
    const it = begun();
    it.hear(message);
    expect(behind(it)).toEqual([event]);
  });

  test('tools of the server itself', () => {
    const it = talk('modern');
    const tools = [{ name: 'look', description: 'looks', parameters: { type: 'object' }, disabled: false }];
    it.hear({ method: 'tool/serverUpdated', params: { type: 'native', name: 'ECA', status: 'running', tools } });
    expect(it.events.slice(-2)).toEqual([
      { type: 'tool-server-changed', name: 'ECA', kind: 'native', status: 'running', tools },
      { type: 'session-changed', changes: { tools } },
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('nothing, by the method or type %s', (word) => {
    const it = begun();
    it.hear({ method: word, params: {} }, model({ type: word }), say('system', { type: word }));
    expect(behind(it).map(({ type }) => type)).toEqual(['unknown', 'unknown', 'unknown']);
  });
});

describe('what is malformed', () => {
  const faults: readonly [string, Json][] = [
    ['a call without a name', model({ type: 'toolCallPrepare', id: 't1' })],
    ['a link without an address', model({ type: 'url' })],
    ['a content without a chat', { method: 'chat/contentReceived', params: { role: 'user' } }],
    ['params that are a list', { method: 'config/updated', params: { chat: [] } }],
  ];
  test.each(faults)('%s: noted, and the run goes on', (_, message) => {
    const it = begun();
    it.hear(message, text('yes'), finished());
    expect(it.notes).toMatchObject([{ level: 'violation' }]);
    expect(it.of('run-end')).toMatchObject([{ outcome: 'completed' }]);
  });

  test.each(['{', '[]', '"x"', 'null', '{"jsonrpc":"2.0"}'])('%s is no message', (raw) => {
    const it = begun();
    it.hearRaw(raw);
    expect(it.notes).toMatchObject([{ level: 'violation' }]);
  });
});
