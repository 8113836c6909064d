// What a transcript answers by itself, and what it leaves to the agent.
import { describe, expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { type QuerySubject, QuerySubject as Subject } from '../../../src/core/model/command.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { QueryData } from '../../../src/core/model/outcome-data.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { contextAfter, unknownContext } from '../../../src/core/session/transcript/context-usage.ts';
import {
  answerFrom,
  completeState,
  type SessionFacts,
} from '../../../src/core/session/transcript/transcript-answers.ts';

const idle: SessionFacts = { running: false, waiting: 0, context: unknownContext, timeOrigin: 0 };
const model = { id: 'large', provider: 'p', contextWindow: 1000 };
const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };

function told(...events: Event[]): Transcript {
  const transcript = emptyTranscript();
  for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at: at + 1, event });
  return transcript;
}

/** A message of the model that says these texts. */
function says(texts: readonly string[], end: Partial<EventOf<'message-end'>> = {}, parent?: string): Event[] {
  return [
    { type: 'message-start', parent, id: 'm', model: 'large', provider: 'p' },
    ...texts.flatMap((delta, index): Event[] => [
      { type: 'block-start', parent, index, block: { kind: 'text' } },
      { type: 'block-delta', parent, index, delta },
      { type: 'block-end', parent, index },
    ]),
    { type: 'message-end', parent, stop: { reason: 'end' }, ...end },
  ];
}

function data(subject: QuerySubject, transcript: Transcript, facts: SessionFacts = idle): unknown {
  const outcome = answerFrom(transcript, { type: 'query', subject }, facts);
  if (outcome === null) return null;
  return outcome.ok ? outcome.data : outcome;
}

const hello: Event = { type: 'message-added', role: 'user', content: [{ type: 'text', text: 'hello' }] };

describe('an empty transcript', () => {
  test.each<[QuerySubject, unknown]>([
    ['messages', { messages: [] }],
    ['history', { messages: [] }],
    ['last-text', { text: null }],
    ['state', { changes: {}, running: false, compacting: false, pendingMessages: 0, messageCount: 0 }],
    ['commands', { commands: [] }],
    ['tool-servers', { servers: [] }],
    ['fork-points', { points: [] }],
    ['models', null],
    ['tools', { tools: [] }],
    ['context-usage', null],
    ['thinking-levels', null],
    ['skills', { skills: [] }],
    ['session-files', null],
    ['contexts', null],
    ['metrics', null],
    ['health', null],
  ])('%s', (subject, expected) => {
    expect(data(subject, emptyTranscript())).toEqual(expected);
  });
});

test('every answer has the shape that its subject has', () => {
  const transcript = told(
    { type: 'session-changed', changes: { model, models: [model], commands: [{ name: 'c' }], tools: [{ name: 't' }] } },
    { type: 'tool-server-changed', name: 's', kind: 'mcp', status: 'running', extra: { p: 1 } },
    hello,
    ...says(['answer'], { usage }),
  );
  const answered = Subject.options.filter((subject) => {
    const answer = data(subject, transcript);
    if (answer === null) return false;
    expect(QueryData[subject].strict().parse(answer), subject).toEqual(answer);
    return true;
  });
  expect(answered).toEqual([
    'state',
    'messages',
    'statistics',
    'last-text',
    'fork-points',
    'models',
    'commands',
    'skills',
    'tools',
    'tool-servers',
    'context-usage',
    'history',
  ]);
  expect(data('tool-servers', transcript)).toEqual({ servers: [{ name: 's', kind: 'mcp', status: 'running' }] });
  expect(data('statistics', transcript)).toMatchObject({
    userMessages: 1,
    assistantMessages: 1,
    totalMessages: 2,
    usage,
    contextTokens: null,
    contextWindow: 1000,
  });
});

test('skills are the commands of that kind', () => {
  const commands = [{ name: 'tidy', kind: 'skill' }, { name: 'init', kind: 'prompt' }, { name: 'clear' }];
  expect(data('skills', told({ type: 'session-changed', changes: { commands } }))).toEqual({
    skills: [{ name: 'tidy', kind: 'skill' }],
  });
});

describe('the tools', () => {
  const called: Event[] = [
    ...says([]).slice(0, 1),
    { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 'a', name: 'look' } },
    { type: 'block-end', index: 0, input: {} },
    { type: 'message-end', stop: { reason: 'tool-use' } },
    { type: 'tool-start', call: 'b', name: 'find', input: {} },
    { type: 'tool-end', call: 'b', name: 'find', content: [], isError: false },
  ];
  const server: Event = {
    type: 'tool-server-changed',
    name: 's',
    kind: 'mcp',
    status: 'running',
    tools: [{ name: 'find', description: 'finds' }, { name: 'fetch' }],
  };

  test.each<[string, Event[], object[]]>([
    [
      'are those that were told',
      [...called, { type: 'session-changed', changes: { tools: [{ name: 't' }] } }],
      [{ name: 't' }],
    ],
    ['or those that were called', called, [{ name: 'look' }, { name: 'find' }]],
    [
      'and those of servers',
      [...called, server],
      [{ name: 'look' }, { name: 'find', description: 'finds' }, { name: 'fetch' }],
    ],
  ])('%s', (_name, events, tools) => {
    expect(data('tools', told(...events))).toEqual({ tools });
  });
});

describe('the last text', () => {
  const call: Event[] = [
    { type: 'message-start', id: 'm' },
    { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 'a', name: 'look' } },
    { type: 'block-end', index: 0, input: {} },
    { type: 'message-end', stop: { reason: 'tool-use' } },
  ];
  const aborted = { stop: { reason: 'aborted' as const } };

  test.each<[string, Event[], string | null]>([
    ['is all texts of the last message', [...says(['one']), ...says(['two ', 'three']), hello], 'two three'],
    ['passes over a message that was cut before its first word', [...says(['one']), ...says([], aborted)], 'one'],
    ['is what was said of one that was cut later', [...says(['one']), ...says(['tw'], aborted)], 'tw'],
    ['is none when the last message only calls', [...says(['one']), ...call], null],
    ['is none of a sub-agent’s', [...says(['one']), ...says(['sub'], {}, 'a')], 'one'],
    ['is none of a message that is still open', [...says(['one']), ...says(['two']).slice(0, -1)], 'one'],
    [
      'may come from history',
      [{ type: 'message-added', role: 'assistant', origin: 'replay', content: [{ type: 'text', text: 'old' }] }],
      'old',
    ],
  ])('%s', (_name, events, expected) => {
    expect(data('last-text', told(...events))).toEqual({ text: expected });
  });
});

describe('models', () => {
  test.each<[string, Event[], unknown]>([
    ['are those that the agent told', [{ type: 'session-changed', changes: { model, models: [] } }], null],
    ['are at least the one in use', [{ type: 'session-changed', changes: { model } }], { models: [model] }],
    ['are at least the one that spoke last', says([]), { models: [{ id: 'large', provider: 'p' }] }],
  ])('%s', (_name, events, expected) => {
    expect(data('models', told(...events))).toEqual(expected);
  });
});

describe('the state', () => {
  const transcript = told(
    { type: 'session-changed', changes: { name: 'n', cwd: '/' } },
    hello,
    { type: 'queue-changed', steering: ['a'], followUp: ['b', 'c'] },
    { type: 'compaction-start', trigger: 'manual' },
  );
  const facts: SessionFacts = { ...idle, running: true, waiting: 2 };

  test('counts both queues, and what is over', () => {
    expect(data('state', transcript, facts)).toEqual({
      changes: { name: 'n', cwd: '/' },
      running: true,
      compacting: true,
      pendingMessages: 5,
      messageCount: 1,
    });
  });

  test.each<[string, unknown, unknown]>([
    [
      'gets what an agent leaves out',
      { changes: { cwd: '/there' }, running: false },
      { changes: { name: 'n', cwd: '/there' }, running: false, compacting: true, pendingMessages: 5, messageCount: 1 },
    ],
    [
      'keeps what an agent tells, and adds the prompts that it does not know of',
      { changes: {}, running: true, compacting: false, pendingMessages: 3, messageCount: 9, extra: { p: 1 } },
      {
        changes: { name: 'n', cwd: '/' },
        running: true,
        compacting: false,
        pendingMessages: 5,
        messageCount: 9,
        extra: { p: 1 },
      },
    ],
    ['leaves alone what it cannot read', { running: 'yes' }, { running: 'yes' }],
  ])('%s', (_name, answer, expected) => {
    expect(completeState(transcript, answer, facts)).toEqual(expected);
  });
});

describe('the context', () => {
  const after = (...events: Event[]) => events.reduce(contextAfter, unknownContext);

  test.each<[string, Event[], unknown]>([
    ['is what the last call read and wrote', says([], { usage }), { tokens: 10, window: null }],
    ['is not that of a sub-agent', says([], { usage }, 'a'), unknownContext],
    [
      'is not that of a call that failed',
      says([], { usage, failure: { kind: 'provider', message: 'x' } }),
      unknownContext,
    ],
    [
      'is what the agent says',
      [{ type: 'usage-changed', contextTokens: 7, contextWindow: 9 }],
      { tokens: 7, window: 9 },
    ],
    [
      'is that of history told again',
      [{ type: 'message-added', role: 'assistant', content: [], usage }],
      { tokens: 10, window: null },
    ],
    [
      'is unknown after a compaction',
      [...says([], { usage }), { type: 'compaction-end', outcome: 'completed' }],
      unknownContext,
    ],
    [
      'is known after a compaction that tells it',
      [{ type: 'compaction-end', outcome: 'completed', tokensAfter: 3 }],
      { tokens: 3, window: null },
    ],
    [
      'is the same after one that failed',
      [...says([], { usage }), { type: 'compaction-end', outcome: 'failed' }],
      { tokens: 10, window: null },
    ],
    [
      'is unknown in a new conversation',
      [...says([], { usage }), { type: 'history-reset', reason: 'new' }],
      unknownContext,
    ],
  ])('%s', (_name, events, expected) => {
    expect(after(...events)).toEqual(expected);
  });

  test('has the window of the model where nobody tells another', () => {
    const transcript = told({ type: 'session-changed', changes: { model } });
    expect(data('context-usage', transcript)).toEqual({ tokens: null, window: 1000 });
    const context = { tokens: 5, window: 200 };
    expect(data('context-usage', transcript, { ...idle, context })).toEqual(context);
  });
});
