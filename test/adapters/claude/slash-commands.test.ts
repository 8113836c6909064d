// The gateway's own slash commands: who is offered them, what becomes of them, and how they are told.
import { describe, expect, test } from 'vitest';
import type { AgentKind } from '../../../src/core/contract/adapter/projection.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { CommandInfo } from '../../../src/core/model/session-info.ts';
import { faultsIn } from '../../support/judged.ts';
import { connect, told } from './harness.ts';

const able: AgentKind = { protocol: 'pi', commands: new Set(['prompt', 'compact']) };
const unable: AgentKind = { protocol: 'eca', commands: new Set(['prompt']) };
const own: AgentKind = { protocol: 'claude', commands: new Set(['prompt', 'compact']) };
const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });
const knows = (commands: CommandInfo[]): Event => ({ type: 'session-changed', changes: { commands, models: [] } });
const compact = { type: 'compact', asPrompt: true };

describe('/compact', () => {
  test.each<[string, unknown, object]>([
    ['alone', '/compact', compact],
    ['as a block', [{ type: 'text', text: '/compact' }], compact],
    ['with space around', ' /compact \n', compact],
    ['with instructions', '/compact keep the\nnames ', { ...compact, instructions: 'keep the\nnames' }],
    ['another word', '/compacted', { type: 'prompt' }],
    ['in a sentence', 'what does /compact do?', { type: 'prompt' }],
    [
      'with an image',
      [
        { type: 'text', text: '/compact' },
        { type: 'image', source: { type: 'url', url: 'https://a' } },
      ],
      { type: 'prompt' },
    ],
  ])('%s', (_, content, command) => {
    expect(connect({ agent: able }).asks(user(content))).toMatchObject(command);
  });

  test('in a query of rpc-message', () => {
    const query = { id: 'r', method: 'query', params: { message: '/compact' } };
    expect(connect({ id: 'rpc-message', agent: able }).asks(query)).toMatchObject(compact);
  });

  test.each<[string, AgentKind | undefined, Event[]]>([
    ['an agent that nobody knows', undefined, []],
    ['an agent that cannot do it', unable, []],
    ['an agent of this protocol, which knows its own', own, []],
    ['an agent with a command of that name', able, [knows([{ name: 'compact' }])]],
  ])('is a prompt for %s', (_, agent, events) => {
    expect(connect({ agent, events }).asks(user('/compact'))).toMatchObject({ type: 'prompt' });
  });

  test('that is refused is a result, or its client would wait for ever', () => {
    const client = connect({ agent: able });
    const { sent } = client.reply(client.asks(user('/compact')), refused('agent-refused', 'Nothing to compact'));
    expect(sent).toMatchObject([{ type: 'result', is_error: true, errors: ['Nothing to compact'] }]);
  });
});

describe('are listed', () => {
  const listed = (agent: AgentKind, commands: CommandInfo[]) => {
    const client = connect({ agent, events: [knows(commands)] });
    const greeting = { type: 'control_request', request_id: 'r', request: { subtype: 'initialize' } };
    const [answer] = client.reply(client.asks(greeting), refused('unsupported', 'no')).sent;
    return JSON.stringify(answer).match(/(?<="commands":\[)[^\]]*/u)?.[0];
  };

  test.each<[string, AgentKind, CommandInfo[], string[]]>([
    ['behind those of the agent', able, [{ name: 'count' }], ['count', 'compact']],
    ['once', able, [{ name: 'compact' }], ['compact']],
    ['not for an agent that cannot do it', unable, [], []],
    ['not for an agent of this protocol', own, [{ name: 'clear' }], ['clear']],
  ])('%s, in initialize and in init', (_, agent, commands, names) => {
    expect([...(listed(agent, commands)?.matchAll(/"name":"(\w+)"/gu) ?? [])].map(([, name]) => name)).toEqual(names);
    const { frames } = told([knows(commands), { type: 'run-start' }], 'claude', {}, agent);
    expect(frames).toMatchObject([{ subtype: 'init', slash_commands: names }]);
  });
});

describe('a compaction that a client typed is a turn', () => {
  const start: Event = { type: 'compaction-start', trigger: 'manual', asPrompt: true };
  const done: Event = { type: 'compaction-end', outcome: 'completed', summary: 'It was long.', tokensBefore: 9 };
  const init = { type: 'system', subtype: 'init' };
  const compacting = { type: 'system', subtype: 'status', status: 'compacting' };
  const run: Event[] = [{ type: 'run-start' }, { type: 'run-end', outcome: 'completed' }];

  test('that worked', () => {
    const { frames } = told([start, done, ...run]);
    expect(frames).toMatchObject([
      init,
      compacting,
      { subtype: 'status', status: null, compact_result: 'success' },
      { subtype: 'compact_boundary', compact_metadata: { trigger: 'manual', pre_tokens: 9 } },
      { type: 'user', message: { role: 'user', content: 'It was long.' }, isReplay: false, isSynthetic: true },
      { type: 'user', message: { content: '<local-command-stdout>Compacted </local-command-stdout>' }, isReplay: true },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        num_turns: 0,
        result: '',
        stop_reason: null,
        result_index: 0,
      },
      init,
      { type: 'result', num_turns: 1, result_index: 1 },
    ]);
    expect(faultsIn('claude', frames)).toEqual([]);
  });

  test.each<[Event, object]>([
    [{ type: 'compaction-end', outcome: 'aborted' }, { errors: ['the compaction was aborted'] }],
    [
      { type: 'compaction-end', outcome: 'failed', failure: { kind: 'agent', message: 'Too short.' } },
      { errors: ['Too short.'] },
    ],
  ])('that did not: %j', (end, result) => {
    const { frames } = told([start, end]);
    const failed = { type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, ...result };
    expect(frames).toMatchObject([init, compacting, { subtype: 'status', compact_result: 'failed' }, failed]);
    expect(faultsIn('claude', frames)).toEqual([]);
  });

  test('ends where the agent begins a run of its own', () => {
    const { frames } = told([start, ...run, done]);
    expect(faultsIn('claude', frames)).toEqual([]);
    expect(frames.filter(({ type }) => type === 'result')).toHaveLength(2);
  });

  test('any other between two runs waits for the next turn', () => {
    const { frames } = told([{ ...start, asPrompt: undefined }, done, ...run]);
    expect(frames.map(({ subtype, type }) => subtype ?? type)).toEqual([
      'init',
      'status',
      'status',
      'compact_boundary',
      'success',
    ]);
  });

  test('for clients of rpc-message it is its result alone', () => {
    const { frames } = told([start, { ...done, summary: undefined }], 'rpc-message');
    expect(frames.map(({ type }) => type)).toEqual(['user', 'result']);
  });
});
