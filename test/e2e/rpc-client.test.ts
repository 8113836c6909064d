// pi's own RpcClient drives patchbay-pi through each method that it has: in front of the demo agent, and in front of the
// real pi 0.54.2, where everything must be as if that pi had been started directly.
import { beforeAll, describe, expect, test } from 'vitest';
import { demoRig, piRig, type RpcRig } from '../support/rpc-rig.ts';
import { rpcMethods, steps, walk } from '../support/rpc-tour.ts';
import { comparable, outlineOf } from '../support/rpc-values.ts';

type Values = ReadonlyMap<string, unknown>;

/** All values of a tour, in their comparable form. */
async function valuesOf(rig: RpcRig): Promise<Values> {
  try {
    const values = await walk(rig.tour);
    return new Map([...values].map(([name, value]) => [name, comparable(value)]));
  } finally {
    await rig.close();
  }
}

let direct: Values;
let behind: Values;
let demo: Values;
beforeAll(async () => {
  direct = await valuesOf(await piRig('direct'));
  behind = await valuesOf(await piRig('behind'));
  demo = await valuesOf(demoRig());
});

test('the steps are about every method of the class, and about nothing else', () => {
  expect(rpcMethods.length).toBeGreaterThan(30);
  expect([...new Set(steps.flatMap(({ methods }) => methods))].sort()).toEqual([...rpcMethods].sort());
});

const aString = expect.any(String);
const aNumber = expect.any(Number);
const aBoolean = expect.any(Boolean);
const volatile = expect.stringMatching(/^<\w+: string>$/u);

/** All fields of pi's `Model`, typed. */
const model = (id: string, provider: string) => ({
  id,
  provider,
  name: aString,
  api: aString,
  baseUrl: volatile,
  reasoning: aBoolean,
  input: ['text', 'image'],
  cost: { input: aNumber, output: aNumber, cacheRead: aNumber, cacheWrite: aNumber },
  contextWindow: aNumber,
  maxTokens: aNumber,
});
const usage = expect.objectContaining({
  input: aNumber,
  output: aNumber,
  totalTokens: aNumber,
  cost: expect.objectContaining({ total: aNumber }),
});
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: '<timestamp: number>' });
const assistant = (stopReason: string, ...content: unknown[]) =>
  expect.objectContaining({ role: 'assistant', content, stopReason, usage, model: aString, provider: aString });
const text = (words: string) => ({ type: 'text', text: words });
const call = (name: string) => ({ type: 'toolCall', id: aString, name, arguments: expect.any(Object) });
const result = (toolName: string) =>
  expect.objectContaining({
    role: 'toolResult',
    toolCallId: aString,
    toolName,
    content: [text(aString)],
    isError: false,
  });

const whole = (kind: string) => [`${kind}_start`, `${kind}_delta`, `${kind}_end`];
const message = (...blocks: string[]) => ['message_start', ...blocks.flatMap(whole), 'message_end'];
const added = ['message_start', 'message_end'];
const execution = ['tool_execution_start', 'tool_execution_end'];
const run = (...turns: string[][]) => [
  'agent_start',
  ...turns.flatMap((turn) => ['turn_start', ...turn, 'turn_end']),
  'agent_end',
];
const spoken = run([...added, ...message('text')]);

/** Stands for events: their types in order must be these. */
interface Outline {
  readonly outline: readonly string[];
  /** What else the step found. */
  readonly rest?: object;
}
const events = (outline: readonly string[], rest?: object): Outline => ({
  outline,
  ...(rest === undefined ? {} : { rest }),
});

const state = (id: string, provider: string, more: object) => ({
  model: model(id, provider),
  thinkingLevel: aString,
  isStreaming: false,
  isCompacting: false,
  steeringMode: 'one-at-a-time',
  followUpMode: 'one-at-a-time',
  sessionId: volatile,
  autoCompactionEnabled: true,
  messageCount: 0,
  pendingMessageCount: 0,
  ...more,
});
const statistics = (more: object) =>
  expect.objectContaining({
    sessionId: volatile,
    userMessages: 2,
    assistantMessages: 3,
    tokens: { input: aNumber, output: aNumber, cacheRead: aNumber, cacheWrite: aNumber, total: aNumber },
    cost: aNumber,
    ...more,
  });
const atWork = { isStreaming: true, pendingMessageCount: 2 };
const entry = (words: string) => ({ entryId: volatile, text: words });
const prompts = (...words: string[]) => words.map(entry);
const cancelled = { cancelled: false };

/** What each step finds with the real pi, and with the demo agent. */
const expectations: Record<string, readonly [pi: unknown, demo: unknown]> = {
  start: ['string', 'string'],
  'state of a fresh session': [
    state('fake-1', 'fake', { sessionFile: volatile, thinkingLevel: 'medium' }),
    state('demo-small', 'demo', { thinkingLevel: 'off' }),
  ],
  'no messages yet': [[], []],
  'no last text yet': [null, null],
  'nothing to fork yet': [[], []],
  models: [
    [model('fake-1', 'fake'), model('fake-2', 'fake')],
    [model('demo-small', 'demo'), model('demo-medium', 'demo'), model('demo-large', 'demo')],
  ],
  commands: [
    [{ name: 'review', description: 'Reviews things (user)', source: 'prompt', location: 'user', path: volatile }],
    expect.arrayContaining([
      {
        name: 'think',
        description: expect.stringMatching(/^think: /u),
        source: 'prompt',
        sourceInfo: { path: '<path: string>', source: 'builtin', scope: 'temporary', origin: 'top-level' },
      },
    ]),
  ],
  name: ['A talk', 'A talk'],
  'a prompt and its events': [events(spoken), events(spoken)],
  'last text': ['Hello, world. This is plain text.', 'Hello! You said: hello'],
  tools: [
    events(
      run(
        [...added, ...message('text', 'toolcall', 'toolcall'), ...execution, ...added, ...execution, ...added],
        message('text'),
      ),
    ),
    events(run([...added, ...message('text', 'toolcall'), ...execution, ...added], message('text'))),
  ],
  messages: [
    [
      user('[[text]] one'),
      assistant('stop', text('Hello, world. This is plain text.')),
      user('[[tools]] two'),
      assistant('toolUse', text('I run two tools.'), call('bash'), call('read')),
      result('bash'),
      result('read'),
      assistant('stop', text('Both tools are done.')),
    ],
    [
      user('hello'),
      assistant('stop', text('Hello! You said: hello')),
      user('tool'),
      assistant('toolUse', text('Let me look that up.'), call('lookup')),
      result('lookup'),
      assistant('stop', text('The lookup found 3 entries.')),
    ],
  ],
  statistics: [
    statistics({ sessionFile: volatile, toolCalls: 2, toolResults: 2, totalMessages: 7 }),
    statistics({ toolCalls: 1, toolResults: 1, totalMessages: 6 }),
  ],
  'steering and a follow-up': [
    events(
      run(
        [...added, ...message('text', 'toolcall'), ...execution, ...added],
        [...added, ...message('text')],
        [...added, ...message('thinking', 'text')],
      ),
      { state: atWork },
    ),
    // A dialog holds its run open. It reports its queue, as newer versions of pi do, and steering cuts its text short.
    events(
      run(
        [
          ...added,
          'extension_ui_request',
          'queue_update',
          'queue_update',
          'message_start',
          'text_start',
          'text_delta',
          'text_end',
          'message_end',
        ],
        ['queue_update', ...added, ...message('text', 'text')],
        ['queue_update', ...added, ...message('thinking', 'text')],
      ),
      { state: atWork },
    ),
  ],
  abort: [
    events(run([...added, 'message_start', 'text_start', 'message_end']), { isStreaming: false }),
    events(run([...added, 'message_start', 'text_start', 'message_end']), { isStreaming: false }),
  ],
  'what an abort leaves': [
    [user('[[hold]] four'), assistant('aborted', text('This never ends.'))],
    [user('hang'), assistant('aborted', text('I was about to'))],
  ],
  'abort of a retry': [
    {
      start: expect.objectContaining({
        attempt: 1,
        maxAttempts: 3,
        delayMs: 60_000,
        errorMessage: expect.stringMatching(/529/u),
      }),
      end: { type: 'auto_retry_end', success: false, attempt: 1, finalError: 'Retry cancelled' },
      isStreaming: false,
    },
    {
      start: expect.objectContaining({
        attempt: 1,
        maxAttempts: 10,
        delayMs: 100,
        errorMessage: 'the model is overloaded',
      }),
      end: { type: 'auto_retry_end', success: false, attempt: 1, finalError: 'the model is overloaded' },
      isStreaming: false,
    },
  ],
  model: [
    { set: model('fake-2', 'fake'), state: model('fake-2', 'fake') },
    { set: model('demo-medium', 'demo'), state: model('demo-medium', 'demo') },
  ],
  'a model that is not there': [{ error: 'Model not found: nobody/nothing' }, { error: 'there is no model nothing' }],
  'thinking level': ['high', 'high'],
  'next thinking level': [
    { next: { level: 'off' }, state: 'off' },
    { next: { level: 'xhigh' }, state: 'xhigh' },
  ],
  'next model': [
    {
      next: { model: model('fake-1', 'fake'), thinkingLevel: 'off', isScoped: false },
      state: model('fake-1', 'fake'),
    },
    {
      next: { model: model('demo-large', 'demo'), thinkingLevel: 'xhigh', isScoped: false },
      state: model('demo-large', 'demo'),
    },
  ],
  'queue modes': [
    { steeringMode: 'all', followUpMode: 'all' },
    { steeringMode: 'all', followUpMode: 'all' },
  ],
  automatics: [false, false],
  'shell command': [
    { output: 'out\nerr\n', exitCode: 3, cancelled: false, truncated: false },
    expect.objectContaining({
      output: 'the demo agent does not run: ls\n',
      exitCode: 0,
      ...cancelled,
      truncated: false,
    }),
  ],
  'shell command, aborted': [
    { output: '', cancelled: true, truncated: false },
    expect.objectContaining({ output: aString, cancelled: true, truncated: false }),
  ],
  compaction: [
    expect.objectContaining({
      summary: expect.stringMatching(/A summary of the talk/u),
      firstKeptEntryId: volatile,
      tokensBefore: aNumber,
    }),
    expect.objectContaining({ summary: expect.stringMatching(/Be brief/u), tokensBefore: aNumber }),
  ],
  'messages after it': [
    [
      expect.objectContaining({ role: 'compactionSummary', summary: expect.stringMatching(/A summary of the talk/u) }),
      expect.objectContaining({ role: 'bashExecution', output: 'out\nerr\n', exitCode: 3 }),
      expect.objectContaining({ role: 'bashExecution', cancelled: true }),
    ],
    expect.arrayContaining([user('hello'), assistant('stop', text('The lookup found 3 entries.'))]),
  ],
  export: [
    { isThere: true, isHtml: true },
    { isThere: true, isHtml: true },
  ],
  'fork list': [
    prompts(
      '[[text]] one',
      '[[tools]] two',
      '[[waiting]] three',
      '[[text]] to the left',
      '[[think]] and then',
      '[[hold]] four',
      '[[overloaded]] five',
    ),
    prompts('hello', 'tool', 'select', 'to the left', 'think', 'hang', 'retry 10'),
  ],
  fork: [
    {
      forked: { text: '[[tools]] two', ...cancelled },
      messages: [user('[[text]] one'), assistant('stop', text('Hello, world. This is plain text.'))],
    },
    {
      forked: { text: 'tool', ...cancelled },
      messages: [user('hello'), assistant('stop', text('Hello! You said: hello'))],
    },
  ],
  'new session': [
    { result: cancelled, isAnother: true, messageCount: 0, messages: [] },
    { result: cancelled, isAnother: true, messageCount: 0, messages: [] },
  ],
  'a prompt in the new session': [events(spoken), events(spoken)],
  'back to the old session': [
    { result: cancelled, messages: expect.arrayContaining([expect.objectContaining({ role: 'compactionSummary' })]) },
    // Its sessions are kept for clients that ask for that, and pi's do not: there is no file to go back to.
    { error: 'sessionPath must be an absolute path' },
  ],
  'a listener that has left': [0, 0],
  stop: ['Client not started', 'Client not started'],
};

function check(value: unknown, expected: unknown): void {
  if (typeof expected !== 'object' || expected === null || !('outline' in expected)) {
    expect(value).toEqual(expected);
    return;
  }
  if (!('rest' in expected)) {
    expect(outlineOf(value)).toEqual(expected.outline);
    return;
  }
  const { events: heard, ...rest } = { events: null, ...Object(value) };
  expect(outlineOf(heard)).toEqual(expected.outline);
  expect(rest).toEqual(expected.rest);
}

test('each step has an expectation', () => {
  expect(Object.keys(expectations)).toEqual(steps.map(({ name }) => name));
});

const names = steps.map(({ name }) => name);

describe('in front of the real pi', () => {
  test.each(names)('%s', (name) => {
    check(direct.get(name), expectations[name]?.[0]);
    expect(behind.get(name)).toEqual(direct.get(name));
  });
});

describe('in front of the demo agent', () => {
  test.each(names)('%s', (name) => {
    check(demo.get(name), expectations[name]?.[1]);
  });
});
