// Every kind of event with few lanes, indexes and ids, so that events collide. Knows no order.
import type { BlockHead, Event, EventType } from '../../../src/core/model/event.ts';

const lanes = [undefined, 'a', 'a 0'];
const indexes = [0, 1, 2];
const calls = ['a', 'b', '__proto__'];
const ids = ['x', 'y'];
const failure = { kind: 'provider' as const, message: 'the model is away' };
const text = (said: string) => [{ type: 'text' as const, text: said }];

const heads: readonly BlockHead[] = [
  { kind: 'text' },
  { kind: 'thinking' },
  ...calls.map((id) => ({ kind: 'tool-call' as const, id, name: `tool-${id}` })),
  { kind: 'whole', content: { type: 'link', url: 'https://example.org' } },
];

const runs: Event[] = [
  { type: 'run-start' },
  { type: 'run-end', outcome: 'completed' },
  { type: 'run-end', outcome: 'failed', failure },
  { type: 'run-end', outcome: 'aborted' },
  { type: 'turn-start' },
  { type: 'turn-end' },
];

const messages: Event[] = lanes.flatMap((parent): Event[] => [
  { type: 'message-start', parent, id: 'm1', model: 'large' },
  { type: 'message-start', parent, id: 'm2', usage: { input: 3, output: 0, cacheRead: 1, cacheWrite: 0 } },
  { type: 'message-end', parent, stop: { reason: 'end' } },
  {
    type: 'message-end',
    parent,
    stop: { reason: 'tool-use', raw: 'tool_use' },
    usage: { input: 5, output: 7, cacheRead: 0, cacheWrite: 2 },
    cost: { total: 0.25 },
  },
  { type: 'message-end', parent, stop: { reason: 'error' }, failure },
]);

/** Block endings with this text stand for: all that was streamed, and a little more. */
export const wholeText = '(all of it)';

const blocks: Event[] = lanes.flatMap((parent) =>
  indexes.flatMap((index): Event[] => [
    ...heads.map((block) => ({ type: 'block-start' as const, parent, index, block })),
    { type: 'block-delta', parent, index, delta: 'delta' },
    { type: 'block-end', parent, index },
    { type: 'block-end', parent, index, text: wholeText, signature: 'sealed' },
    { type: 'block-end', parent, index, input: { path: 'notes' } },
  ]),
);

const tools: Event[] = calls.flatMap((call) =>
  [undefined, 'a'].flatMap((parent): Event[] => [
    { type: 'tool-start', parent, call, name: `tool-${call}`, input: { path: 'notes' } },
    { type: 'tool-update', parent, call, mode: 'append', content: text('more ') },
    { type: 'tool-update', parent, call, mode: 'replace', content: text('so far') },
    { type: 'tool-end', parent, call, name: `tool-${call}`, content: text('done'), isError: false },
  ]),
);

const questions: Event[] = ids.flatMap((id): Event[] => [
  { type: 'approval-request', id, name: 'tool-a', call: 'a', input: {} },
  { type: 'approval-request', id, name: 'tool-b', parent: 'a', input: { path: 'notes' } },
  { type: 'approval-end', id, outcome: 'allowed' },
  { type: 'dialog-request', id, kind: 'input', title: 'Your name?' },
  { type: 'dialog-end', id, outcome: 'answered' },
]);

const brackets: Event[] = [
  { type: 'compaction-start', trigger: 'manual' },
  { type: 'compaction-start', trigger: 'threshold' },
  { type: 'compaction-end', outcome: 'completed', summary: 'short' },
  { type: 'retry-start', attempt: 1, maxAttempts: 3, delayMs: 10, failure },
  { type: 'retry-start', attempt: 2, maxAttempts: 3, delayMs: 20, failure },
  { type: 'retry-end', attempt: 2, success: true },
];

const anywhere: Event[] = [
  { type: 'message-added', role: 'user', origin: 'prompt', content: text('hello') },
  { type: 'message-added', role: 'tool', call: 'a', parent: 'a', content: text('done') },
  { type: 'notice', level: 'info', text: 'by the way' },
  { type: 'display', place: 'status', key: 'k', lines: ['one'] },
  { type: 'display', place: 'status', key: 'k', lines: null },
  { type: 'display', place: 'title', lines: ['two'] },
  { type: 'queue-changed', steering: ['left'], followUp: [] },
  { type: 'queue-changed', steering: [], followUp: [] },
  { type: 'usage-changed', sessionTokens: 9 },
  { type: 'session-changed', changes: { name: 'first', cwd: '/' } },
  { type: 'session-changed', changes: { name: 'second' } },
  { type: 'tool-server-changed', name: 's', kind: 'mcp', status: 'running' },
  { type: 'task-changed', id: 't', status: 'running' },
  { type: 'plan-changed', entries: [{ text: 'one', status: 'in-progress' }] },
  { type: 'plan-changed', entries: [{ text: 'one', priority: 'high', status: 'completed' }], call: 'a' },
  { type: 'plan-changed', entries: [] },
  { type: 'activity', text: 'busy' },
  { type: 'bash-output', delta: 'out' },
  { type: 'error', message: 'oh' },
  { type: 'agent-changed', state: 'down' },
  { type: 'agent-changed', state: 'up' },
  { type: 'unknown', protocol: 'p', payload: {} },
];

const resets: Event[] = [
  { type: 'history-reset', reason: 'new' },
  { type: 'history-reset', reason: 'cleared' },
];

/** All of them. */
export const vocabulary: readonly Event[] = [
  ...runs,
  ...messages,
  ...blocks,
  ...tools,
  ...questions,
  ...brackets,
  ...anywhere,
  ...resets,
];

/** The same by type. */
export const byType: ReadonlyMap<EventType, readonly Event[]> = new Map(
  vocabulary.map(({ type }) => [type, vocabulary.filter((event) => event.type === type)]),
);
