// Each verb of the demo agent as a row: the outline of its run (driver.ts explains the signs), and what it says.
import { describe, expect, test } from 'vitest';
import { verbs } from '../../../src/adapters/demo/script-verbs.ts';
import { unicodePieces } from '../../../src/adapters/demo/steps/text.ts';
import { withContexts } from '../../../src/core/log/context-text.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { type Answering, only, outline, play, promptOf, startDemo, textOf } from './driver.ts';

const opening = 'run-start turn-start user:prompt ';
const text = 'text * /';
const call = 'tool-call * /';
const next = 'turn-end turn-start ';
const closing = '>end turn-end completed';
const closingTurn = `${next}< ${text} ${closing}`;

const table: readonly [prompt: string, outline: string, text: string | RegExp][] = [
  ['hi there', `< ${text} ${closing}`, 'Hello! You said: hi there'],
  ['', `< ${text} ${closing}`, 'Hello! You said: '],
  ['think', `< thinking * / ${text} ${closing}`, 'That is all.'],
  [
    'tool',
    `< ${text} ${call} >tool-use tool-start tool-update tool-update tool-end result ${closingTurn}`,
    /found 3 entries/u,
  ],
  [
    'think tool',
    `< thinking * / ${text} ${call} >tool-use tool-start tool-update tool-update tool-end result ${closingTurn}`,
    /found 3 entries/u,
  ],
  [
    'tools 2',
    `< ${text} ${call} ${call} >tool-use tool-start tool-start tool-end result tool-end result ${closingTurn}`,
    /All 2 lookups/u,
  ],
  [
    'toolfail',
    `< ${text} ${call} >tool-use tool-start tool-update tool-update tool-end! result ${closingTurn}`,
    /lookup failed/u,
  ],
  [
    'edit',
    `< ${text} ${call} >tool-use tool-start tool-end result ${closingTurn}`,
    /I change a line of a file.*I changed the file/u,
  ],
  [
    'ask',
    `< ${text} ${call} >tool-use approval-request approval-end:allowed tool-start tool-end result ${closingTurn}`,
    /I wrote the note/u,
  ],
  ['select', `dialog-request dialog-end:answered < ${text} ${closing}`, 'Your answer to "Which colour?": red.'],
  ['confirm', `dialog-request dialog-end:answered < ${text} ${closing}`, 'Your answer to "Go on?": yes.'],
  ['input', `dialog-request dialog-end:answered < ${text} ${closing}`, 'Your answer to "Your name?": my words.'],
  ['editor', `dialog-request dialog-end:answered < ${text} ${closing}`, 'Your answer to "Your text?": my words.'],
  ['fail', '< text * cut >error turn-end failed', 'I was about to'],
  ['think fail', '< thinking * / text * cut >error turn-end failed', 'I was about to'],
  ['retry 3', `${'retry-start '.repeat(3)}retry-end:true < ${text} ${closing}`, 'The model answered after 3 retries.'],
  ['compact', `compaction-start compaction-end:completed < ${text} ${closing}`, 'The conversation is shorter now.'],
  [
    'text 5 compact',
    `< ${text} >end ${next}compaction-start compaction-end:completed < ${text} ${closing}`,
    /^w0 w1The/u,
  ],
  ['slow 40', `< ${text} ${closing}`, /each 40 ms/u],
  ['hang', '< text *', 'I was about to'],
  ['die', '< text *', 'I was about to'],
  ['long 3', `< ${text} ${closing}`, '1 2 3 '],
  ['text 11', `< ${text} ${closing}`, 'w0 w1 w2 w3'],
  ['unicode', `< ${text} ${closing}`, unicodePieces.join('')],
  ['image', `< ${text} ${closing}`, 'Your prompt carried 0 images.'],
  ['contexts', `< ${text} ${closing}`, 'Your prompt carried 0 contexts.'],
  ['notice', `notice notice notice < ${text} ${closing}`, 'I sent three notices.'],
  ['status', `display display display activity < ${text} display activity ${closing}`, /status line/u],
  ['queue', `queue-changed queue-changed < ${text} ${closing}`, /emptied/u],
  ['usage', `usage-changed < ${text} ${closing}`, /used 0 tokens/u],
  [
    'subagent',
    `< ${text} ${call} >tool-use tool-start task-changed (user:agent) (<) (text) * (/) (tool-call) * (/) (>tool-use) ` +
      '(tool-start) (tool-update) (tool-end) (result) (<) (text) * (/) (>end) ' +
      `tool-update task-changed tool-end result ${closingTurn}`,
    /sub-agent found/u,
  ],
  ['unknown', `unknown < ${text} ${closing}`, /nobody knows/u],
  ['badorder', `< ${text} * / / >end >end ${closingTurn}`, /on purpose/u],
  ['help', `< ${text} ${closing}`, /^I do what .*- badorder: .*- help: this list$/su],
];

test.each(table)('%j', (prompt, expected, said) => {
  const events = play(prompt);
  expect(outline(events)).toBe(opening + expected);
  expect(textOf(events)).toEqual(typeof said === 'string' ? said : expect.stringMatching(said));
});

test('every verb has a row', () => {
  const words = new Set(table.flatMap(([prompt]) => prompt.split(' ')));
  expect(verbs.filter(({ name }) => !words.has(name))).toEqual([]);
});

/** What one prompt says, and the text that is sent for it. */
function playWith(prompt: string, answering: Answering): Event[] {
  return play(prompt, { answering });
}

describe('tools', () => {
  test('arguments stream in pieces and come whole at the end', () => {
    const events = play('tool');
    const from = events.findIndex((event) => event.type === 'block-start' && event.block.kind === 'tool-call');
    const to = events.findIndex((event, at) => event.type === 'block-end' && at > from);
    const pieces = only(events.slice(from, to), 'block-delta').map(({ delta }) => delta);
    expect(pieces.length).toBeGreaterThan(2);
    expect(JSON.parse(pieces.join(''))).toEqual({ query: 'patch bays', limit: 3 });
    expect(events[to]).toMatchObject({ input: { query: 'patch bays', limit: 3 } });
  });

  test('parallel calls end last first, and each result names its call', () => {
    const events = play('tools 4');
    const started = only(events, 'tool-start').map(({ call: id }) => id);
    const ended = only(events, 'tool-end').map(({ call: id }) => id);
    const results = only(events, 'message-added').flatMap((event) => (event.role === 'tool' ? [event.call] : []));
    expect(new Set(started).size).toBe(4);
    expect(ended).toEqual([...started].reverse());
    expect(results).toEqual(ended);
  });

  test('a duration is the time between start and end', () => {
    expect(only(play('tool', { paceMs: 10 }), 'tool-end')[0]?.durationMs).toBe(30);
  });
});

describe('ask', () => {
  const decide =
    (more: {
      decision: 'allow' | 'deny';
      input?: Record<string, unknown>;
      reason?: string;
      interrupt?: boolean;
    }): Answering =>
    ({ id }) => ({ type: 'answer-approval', id, ...more });
  const asked = `${opening}< ${text} ${call} >tool-use approval-request `;

  test('the question names the call and its arguments', () => {
    const events = play('ask');
    const [question] = only(events, 'approval-request');
    const [tool] = only(events, 'tool-start');
    expect(question).toMatchObject({ call: tool?.call, name: 'write_note', input: tool?.input });
  });

  test('allowed with other arguments, it runs with those', () => {
    const events = playWith('ask', decide({ decision: 'allow', input: { path: 'other.txt' } }));
    expect(only(events, 'tool-start')[0]?.input).toEqual({ path: 'other.txt' });
    expect(only(events, 'tool-end')[0]?.content).toEqual([{ type: 'text', text: 'wrote {"path":"other.txt"}' }]);
  });

  test('denied, it never runs, and the answer says why', () => {
    const events = playWith('ask', decide({ decision: 'deny', reason: 'not today' }));
    expect(outline(events)).toBe(`${asked}approval-end:denied tool-end!:denied result ${closingTurn}`);
    expect(only(events, 'approval-end')[0]?.reason).toBe('not today');
    expect(textOf(events)).toContain('(not today)');
  });

  test('denied with interrupt, the run is aborted', () => {
    const events = playWith('ask', decide({ decision: 'deny', interrupt: true }));
    expect(outline(events)).toBe(`${asked}approval-end:denied tool-end!:denied result turn-end aborted`);
  });

  test('in mode bypassPermissions nobody is asked', () => {
    const driver = startDemo();
    driver.send({ type: 'set-mode', mode: 'bypassPermissions' });
    driver.send(promptOf('ask'));
    driver.settleDown();
    expect(outline(driver.events)).toContain('>tool-use tool-start tool-end result');
  });
});

describe('dialogs', () => {
  test.each([
    ['select', { kind: 'select', title: 'Which colour?', options: ['red', 'green', 'blue'] }],
    ['confirm', { kind: 'confirm', title: 'Go on?', message: 'Nothing depends on it.' }],
    ['input', { kind: 'input', title: 'Your name?', placeholder: 'a name' }],
    ['editor', { kind: 'editor', title: 'Your text?', prefill: 'first line\nsecond line' }],
  ])('%s asks', (prompt, question) => {
    expect(only(play(prompt), 'dialog-request')).toEqual([{ type: 'dialog-request', id: 'dialog-1', ...question }]);
  });

  test.each(['select', 'confirm', 'input', 'editor'])('%s says when it was cancelled', (prompt) => {
    const events = playWith(prompt, ({ id }) => ({ type: 'answer-dialog', id, answer: { kind: 'cancelled' } }));
    expect(outline(events)).toContain('dialog-end:cancelled');
    expect(textOf(events)).toContain('none, it was cancelled');
  });
});

describe('facts', () => {
  test('think: the signature is told by the length of the thought', () => {
    const events = play('think');
    const thought = only(events, 'block-delta').filter(({ index }) => index === 0);
    const { length } = thought.map(({ delta }) => delta).join('');
    expect(only(events, 'block-end')[0]?.signature).toBe(`demo-${length}`);
  });

  test('fail: message and run carry the failure', () => {
    const events = play('fail');
    const failure = { kind: 'provider', message: 'the model is overloaded', status: 529 };
    expect(only(events, 'message-end')[0]).toMatchObject({ stop: { reason: 'error' }, failure });
    expect(only(events, 'run-end')[0]?.failure).toEqual(failure);
  });

  test('die: the channel is closed, and the agent takes no more commands', () => {
    const driver = startDemo();
    driver.send(promptOf('die'));
    expect(driver.closed).toBe('error');
    expect(driver.send(promptOf('hi'))).toMatchObject({ ok: false, error: { code: 'agent-down' } });
    expect(driver.settleDown()).toBe(0);
  });

  test('slow: one delta each so many ms', () => {
    const driver = startDemo();
    driver.send(promptOf('slow 70 long 1000'));
    const started = driver.now;
    driver.settleDown(10);
    expect(driver.now - started).toBe(700);
    expect(only(driver.events, 'block-delta')).toHaveLength(11);
  });

  test('unicode: an emoji falls apart between two deltas', () => {
    const deltas = only(play('unicode'), 'block-delta').map(({ delta }) => delta);
    expect(deltas).toEqual(unicodePieces);
    expect(deltas.some((delta) => /\ud83d$/u.test(delta))).toBe(true);
    expect(deltas.join('')).toMatch(/\u2028.*\u2029.*e\u0301.*\u{1f600}/su);
  });

  test('image: number, type and size', () => {
    const driver = startDemo();
    const images = [
      { type: 'image' as const, data: 'iVBORw0KGgo=', mediaType: 'image/png' },
      { type: 'image' as const, url: 'https://example.org/a.jpg', mediaType: 'image/jpeg' },
    ];
    driver.send(promptOf('image', ...images));
    driver.settleDown();
    expect(textOf(driver.events)).toBe(
      'Your prompt carried 2 images.\n- image/png, 8 bytes\n- image/jpeg at https://example.org/a.jpg',
    );
  });

  test('contexts: their first tags; their words are no verbs and are not repeated', () => {
    const driver = startDemo();
    const file = '<file path="src/a.ts" lines="1-2">\nfail die\n</file>';
    const readings = [file, '<web url="https://example.org/"/>'].map((said) => ({
      context: { type: 'repo-map' as const },
      text: said,
    }));
    driver.send({ type: 'prompt', content: withContexts([{ type: 'text', text: 'contexts please' }], readings) });
    driver.settleDown();
    expect(textOf(driver.events)).toBe(
      'Your prompt carried 2 contexts.\n- <file path="src/a.ts" lines="1-2">\n- <web url="https://example.org/"/>' +
        'Hello! You said: contexts please',
    );
  });

  test('edit: how the file changes is told with the start and the end of the call', () => {
    const change = {
      path: 'colours.txt',
      diff: '@@ -1,3 +1,4 @@\n red\n-green\n+yellow\n blue\n+black',
      linesAdded: 2,
      linesRemoved: 1,
    };
    const events = play('edit');
    expect(only(events, 'tool-start')[0]).toMatchObject({ name: 'edit_file', change });
    expect(only(events, 'tool-end')[0]).toMatchObject({ name: 'edit_file', isError: false, change });
  });

  test('ask: what would be written is told with the question', () => {
    const change = { path: 'note.txt', linesAdded: 1, linesRemoved: 0 };
    const events = play('ask');
    expect(only(events, 'approval-request')[0]).toMatchObject({ change });
    expect(only(events, 'tool-start')[0]).toMatchObject({ change });
  });

  test('ask: of other arguments that name no text nothing is told', () => {
    const events = playWith('ask', ({ id }) => ({
      type: 'answer-approval',
      id,
      decision: 'allow',
      input: { path: 'other.txt' },
    }));
    expect(only(events, 'tool-start')[0]).not.toHaveProperty('change');
    expect(only(events, 'tool-end')[0]).not.toHaveProperty('change');
  });

  test('subagent: everything inside the call names it', () => {
    const events = play('subagent');
    const [delegate] = only(events, 'tool-start');
    const inner = events.flatMap((event) => ('parent' in event && event.parent !== undefined ? [event.parent] : []));
    expect(inner.length).toBeGreaterThan(20);
    expect(new Set(inner)).toEqual(new Set([delegate?.call]));
  });

  test.each([1, 100, 12_345])('text %i has exactly that length', (length) => {
    expect(textOf(play(`text ${length}`))).toHaveLength(length);
  });
});
