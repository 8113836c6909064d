// What stands beside the messages of the model: system frames, questions, words of others, frames of newer versions.
import { describe, expect, test } from 'vitest';
import { claudeCodeVersion } from '../../../src/adapters/claude/frontend/system-frames.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { tellLate } from '../../support/telling.ts';
import { type Sent, sideOf, told } from './harness.ts';
import { closed, done, ended, inOrder, message, only, opened, outline, run } from './words.ts';

describe('system frames', () => {
  const notice: Event = { type: 'notice', level: 'info', text: 'Tea is ready.' };
  const retry: Event = {
    type: 'retry-start',
    attempt: 2,
    maxAttempts: 3,
    delayMs: 50,
    failure: { kind: 'provider', message: 'busy', status: 529 },
  };

  test('do not interrupt a message', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'text' }),
      notice,
      retry,
      closed(0),
      ended(),
      { type: 'retry-end', attempt: 2, success: true },
      ...done,
    ]);
    expect(outline(frames).slice(-4)).toEqual(['message_stop', 'system notice', 'system api_retry', 'result success']);
    expect(inOrder(frames)).toEqual([]);
  });

  test('between two turns they wait for the next', () => {
    const { frames } = told([notice, ...run, ...done, notice, notice]);
    expect(outline(frames)).toEqual(['system init', 'system notice', 'result success']);
    expect(outline(told([...run, ...done, notice, ...run, ...done]).frames).slice(2)).toEqual([
      'system init',
      'system notice',
      'result success',
    ]);
  });

  test('of those that wait too long only the last 64 are kept, and the others are lost', () => {
    const many = Array.from({ length: 70 }, (_, at): Event => ({ ...notice, text: `${at}` }));
    const { frames, losses } = told([...many, ...run, ...done]);
    expect(only(frames, 'system notice').map((frame) => frame.text)).toEqual(
      many.slice(-64).map((event) => event.type === 'notice' && event.text),
    );
    expect(losses).toEqual(Array.from({ length: 6 }, () => '1 frames that found no place'));
  });

  test.each<[number | undefined, unknown, string]>([
    [429, 429, 'rate_limit'],
    [529, 529, 'overloaded'],
    [401, 401, 'authentication_failed'],
    [403, 403, 'authentication_failed'],
    [500, 500, 'server_error'],
    [400, 400, 'unknown'],
    [undefined, null, 'unknown'],
  ])('api_retry of a %s', (status, error_status, error) => {
    const event: Event = { ...retry, failure: { kind: 'provider', message: 'no', status } };
    const { frames } = told([...run, event, { type: 'retry-end', attempt: 2, success: true }, ...done]);
    expect(only(frames, 'system api_retry')).toMatchObject([
      { attempt: 2, max_retries: 3, retry_delay_ms: 50, error_status, error },
    ]);
  });

  test('init tells what is known of the session', () => {
    const { frames } = told([
      {
        type: 'session-changed',
        changes: {
          cwd: '/rack',
          mode: 'plan',
          model: { id: 'large' },
          tools: [{ name: 'read' }, { name: 'gone', disabled: true }],
          commands: [{ name: 'count' }, { name: 'cabling', kind: 'skill' }],
        },
      },
      { type: 'tool-server-changed', name: 'files', kind: 'mcp', status: 'needs-auth' },
      { type: 'tool-server-changed', name: 'own', kind: 'native', status: 'running' },
      ...run,
      ...done,
    ]);
    expect(frames[0]).toMatchObject({
      cwd: '/rack',
      permissionMode: 'plan',
      model: 'large',
      tools: ['read'],
      slash_commands: ['count', 'cabling', 'compact'],
      skills: ['cabling'],
      mcp_servers: [{ name: 'files', status: 'needs-auth' }],
    });
  });

  test.each<[string, Event[], string]>([
    ['that nobody has told: where the gateway has started its agent', [], '/home/user/project'],
    ['that is empty: the same', [{ type: 'session-changed', changes: { cwd: '' } }], '/home/user/project'],
    ['of the agent', [{ type: 'session-changed', changes: { cwd: '/rack' } }], '/rack'],
  ])('init names a folder %s', (_, events, cwd) => {
    expect(told([...events, ...run, ...done]).frames[0]).toMatchObject({ cwd, claude_code_version: claudeCodeVersion });
  });

  test.each([
    ['running', 'connected'],
    ['starting', 'pending'],
    ['failed', 'failed'],
    ['stopped', 'disabled'],
    ['disabled', 'disabled'],
    ['removed', 'disabled'],
  ] as const)('a tool server that is %s is %s', (status, wire) => {
    const { frames } = told([{ type: 'tool-server-changed', name: 'f', kind: 'mcp', status }, ...run]);
    expect(frames[0]?.mcp_servers).toEqual([{ name: 'f', status: wire }]);
  });
});

describe('questions', () => {
  const dialog = (more: Partial<EventOf<'dialog-request'>>): Event => ({
    type: 'dialog-request',
    id: 'd',
    kind: 'input',
    title: 'Q?',
    ...more,
  });

  test.each<[string, Event, unknown]>([
    [
      'a choice',
      dialog({ kind: 'select', options: ['a', 'b'] }),
      {
        question: 'Q?',
        header: 'select',
        options: [
          { label: 'a', description: '' },
          { label: 'b', description: '' },
        ],
        multiSelect: false,
      },
    ],
    [
      'yes or no',
      dialog({ kind: 'confirm', message: 'Sure?' }),
      {
        question: 'Q?\nSure?',
        header: 'confirm',
        options: [
          { label: 'Yes', description: '' },
          { label: 'No', description: '' },
        ],
        multiSelect: false,
      },
    ],
    [
      'a line',
      dialog({ placeholder: 'name' }),
      { question: 'Q?', header: 'input', options: [{ label: 'name', description: '' }], multiSelect: false },
    ],
    [
      'a text',
      dialog({ kind: 'editor', prefill: 'draft' }),
      { question: 'Q?', header: 'editor', options: [{ label: 'draft', description: '' }], multiSelect: false },
    ],
    ['nothing offered', dialog({}), { question: 'Q?', header: 'input', options: [], multiSelect: false }],
  ])('%s rides on AskUserQuestion', (_, event, question) => {
    const { frames } = told([event]);
    expect(frames).toMatchObject([
      {
        request_id: 'dialog:d',
        request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions: [question] } },
      },
    ]);
  });

  // Whoever answered does not hear it: answers.test.ts.
  test.each(['answered', 'cancelled', 'expired'] as const)('a dialog that is %s is over for all', (outcome) => {
    const { frames } = told([dialog({}), { type: 'dialog-end', id: 'd', outcome }]);
    expect(frames.slice(1)).toEqual([{ type: 'control_cancel_request', request_id: 'dialog:d' }]);
  });

  const approval: Event = { type: 'approval-request', id: 'a', name: 'swap', input: {} };
  test.each(['allowed', 'denied', 'cancelled', 'expired'] as const)('so is an approval that is %s', (outcome) => {
    const events: Event[] = [...run, approval, { type: 'approval-end', id: 'a', outcome }];
    const { frames, log } = told([...events, ...done]);
    expect(frames.slice(2, -1)).toEqual([{ type: 'control_cancel_request', request_id: 'a' }]);
    const late = tellLate(sideOf('claude'), log.logged).at(-1)?.texts.join('');
    expect(late).not.toContain('control_');
  });

  test.each(['allowed', 'cancelled', 'expired'] as const)(
    'of an approval that the session answers itself nothing is said: %s',
    (outcome) => {
      const events: Event[] = [
        ...run,
        { ...approval, standing: 'trusted' },
        { type: 'approval-end', id: 'a', outcome },
      ];
      expect(JSON.stringify(told([...events, ...done]).frames)).not.toContain('control_');
    },
  );

  test('they are asked in the middle of a message, at once', () => {
    const ask: Event = { type: 'approval-request', id: 'a', name: 'swap', input: {} };
    const { frames } = told([...run, message(), opened(0, { kind: 'text' }), ask]);
    expect(frames.at(-1)).toEqual({
      type: 'control_request',
      request_id: 'a',
      request: { subtype: 'can_use_tool', tool_name: 'swap', input: {} },
    });
  });
});

describe('messages of others', () => {
  const user = (more: Partial<EventOf<'message-added'>>): Event => ({
    type: 'message-added',
    role: 'user',
    content: [{ type: 'text', text: 'hello' }],
    ...more,
  });

  const ofHuman = { kind: 'human' };
  test.each<[EventOf<'message-added'>['origin'], object]>([
    [undefined, { origin: ofHuman }],
    ['prompt', { origin: ofHuman }],
    ['steer', { origin: ofHuman, priority: 'now' }],
    ['follow-up', { origin: ofHuman, priority: 'later' }],
  ])('a prompt (%s) is told as it comes, told again to late clients, and no turn of ours', (origin, mark) => {
    const { frames, log } = told([...run, user({ origin }), ...done]);
    expect(frames.map(({ type }) => type)).toEqual(['system', 'user', 'result']);
    const { session_id: _, uuid: __, ...live } = frames[1] ?? { type: '' };
    expect(live).toEqual({
      type: 'user',
      ...mark,
      message: { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      parent_tool_use_id: null,
    });
    expect(frames[2]).toMatchObject({ num_turns: 1 });
    expect(inOrder(frames)).toEqual([]);
    const late: Sent[] =
      tellLate(sideOf('claude'), log.logged)
        .at(-1)
        ?.texts.map((text) => JSON.parse(text)) ?? [];
    expect(only(late, 'user')).toMatchObject([
      { isReplay: true, message: { role: 'user', content: [{ type: 'text', text: 'hello' }] } },
    ]);
  });

  test('all are told to those who want them echoed', () => {
    const { frames, log } = told([...run, user({ origin: 'prompt' }), ...done], 'claude', {
      replayUserMessages: 'true',
    });
    expect(outline(frames)).toEqual(['system init', 'user text', 'result success']);
    expect(frames[1]).toMatchObject({ isReplay: true, parent_tool_use_id: null });
    expect(inOrder(frames)).toEqual([]);
    const late = tellLate(sideOf('claude', { replayUserMessages: true }), log.logged).at(-1)?.texts ?? [];
    expect(late.filter((text) => text.includes('isReplay'))).toHaveLength(1);
  });

  test('what the agent says in the user’s name is synthetic', () => {
    expect(only(told([...run, user({ origin: 'agent' }), ...done]).frames, 'user')).toMatchObject([
      { isSynthetic: true },
    ]);
  });

  test.each(['system', 'custom', 'bash', 'summary', 'assistant'] as const)(
    'role %s is lost, and said to be',
    (role) => {
      const { frames, losses } = told([...run, user({ role }), ...done]);
      expect(outline(frames)).toEqual(['system init', 'result success']);
      expect(losses).toEqual([`message of role ${role}`]);
    },
  );

  test('role tool repeats a result, so it is no loss', () => {
    expect(told([...run, user({ role: 'tool', call: 'c' }), ...done]).losses).toEqual([]);
  });
});

describe('frames of a newer version', () => {
  const unknown = (payload: unknown, protocol = 'claude'): Event => ({ type: 'unknown', protocol, payload });

  test('pass to clients of the same protocol, with our envelope', () => {
    const { frames } = told([
      ...run,
      unknown({ type: 'novelty', uuid: 'theirs', session_id: 'theirs', a: null }),
      ...done,
    ]);
    expect(only(frames, 'novelty')).toEqual([
      { type: 'novelty', a: null, session_id: 'session', uuid: '00000000-0000-8000-8000-000000000003' },
    ]);
  });

  test.each([
    [{ type: 'result', subtype: 'success' }],
    [{ type: 'stream_event', event: { type: 'message_stop' } }],
    [{ type: 'system', subtype: 'init' }],
    [{ type: 'control_request' }],
    [{ type: 'control_request', request_id: 'r' }],
    [{ type: 'control_request', request_id: 'r', request: { subtype: 7 } }],
    [{ type: 'control_request', request_id: 'r', request: { subtype: 'can_use_tool', tool_name: 'x', input: {} } }],
    [{ type: 'control_request', request: { subtype: 'hook_callback' } }],
    [{ type: 'control_cancel_request' }],
    [{ type: 'control_response', request_id: 'r', response: {} }],
    [{ type: 7 }],
    ['text'],
    [null],
  ])('%j is none: it could break the order', (payload) => {
    const { frames, losses } = told([...run, unknown(payload), ...done]);
    expect(outline(frames)).toEqual(['system init', 'result success']);
    expect(losses).toEqual(['event of claude']);
  });

  test('those of another protocol are lost', () => {
    expect(told([unknown({ type: 'novelty' }, 'pi')]).losses).toEqual(['event of pi']);
  });
});
