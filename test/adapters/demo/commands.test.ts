// The commands of the demo agent: what each settles with, and what it tells.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import type { Message } from '../../../src/core/model/content.ts';
import { OutcomeData, QueryData } from '../../../src/core/model/outcome-data.ts';
import { only, outline, promptOf, startDemo, textOf } from './driver.ts';

const content = (text: string) => [{ type: 'text' as const, text }];
const code = (name: string) => ({ ok: false, error: { code: name } });

/** A driver that has taken a prompt and so many steps. */
function during(prompt: string, steps = 0) {
  const driver = startDemo({ answering: () => null });
  driver.send(promptOf(prompt));
  driver.settleDown(steps);
  return driver;
}

test('at its start it introduces itself', () => {
  const [hello] = only(startDemo().events, 'session-changed');
  expect(hello?.changes).toMatchObject({
    agentSessionId: 'session-1',
    model: { id: 'demo-small' },
    mode: 'default',
    welcome: expect.stringContaining('help'),
  });
  expect(hello?.changes.models?.map(({ id }) => id)).toEqual(['demo-small', 'demo-medium', 'demo-large']);
  expect(hello?.changes.tools?.map(({ name }) => name)).toEqual(['lookup', 'edit_file', 'write_note', 'delegate']);
  expect(hello?.changes.commands?.map(({ name }) => name)).toContain('subagent');
  expect(hello?.changes).not.toHaveProperty('cwd');
});

describe('settings', () => {
  const table: readonly [command: Command, outcome: object, changes: object | null][] = [
    [{ type: 'set-model', model: 'demo-large' }, { ok: true }, { model: { id: 'demo-large' } }],
    [{ type: 'set-model', model: 'demo-large', provider: 'demo' }, { ok: true }, { model: { id: 'demo-large' } }],
    [{ type: 'set-model' }, { ok: true }, { model: { id: 'demo-small' } }],
    [{ type: 'set-model', model: 'demo-large', provider: 'other' }, code('invalid'), null],
    [{ type: 'set-model', model: 'constructor' }, code('invalid'), null],
    [{ type: 'cycle-model' }, { ok: true, data: { model: { id: 'demo-medium' } } }, { model: { id: 'demo-medium' } }],
    [{ type: 'cycle-model', direction: 'backward' }, { ok: true }, { model: { id: 'demo-large' } }],
    [{ type: 'set-thinking', level: 'high' }, { ok: true }, { thinkingLevel: 'high' }],
    [{ type: 'set-thinking', budgetTokens: 8_000 }, { ok: true }, { thinkingLevel: 'medium' }],
    [{ type: 'set-thinking', budgetTokens: null }, { ok: true }, { thinkingLevel: 'off' }],
    [{ type: 'set-thinking', level: 'enormous' }, code('invalid'), null],
    [{ type: 'cycle-thinking' }, { ok: true, data: {} }, null],
    [{ type: 'set-queue-mode', queue: 'steering', mode: 'all' }, { ok: true }, { steeringMode: 'all' }],
    [{ type: 'set-queue-mode', queue: 'follow-up', mode: 'all' }, { ok: true }, { followUpMode: 'all' }],
    [{ type: 'set-auto', what: 'compaction', enabled: false }, { ok: true }, { autoCompaction: false }],
    [{ type: 'set-auto', what: 'retry', enabled: false }, { ok: true }, { autoRetry: false }],
    [{ type: 'set-mode', mode: 'plan' }, { ok: true }, { mode: 'plan' }],
    [{ type: 'set-mode', mode: 'anarchy' }, code('invalid'), null],
    [{ type: 'set-name', name: 'A name' }, { ok: true }, { name: 'A name' }],
  ];

  test.each(table)('%j', (command, outcome, changes) => {
    const driver = startDemo();
    expect(driver.send(command)).toMatchObject(outcome);
    const [, ...told] = driver.events;
    expect(told).toMatchObject(changes === null ? [] : [{ type: 'session-changed', changes }]);
    const state = QueryData.state.parse(dataOf(driver.send({ type: 'query', subject: 'state' })));
    expect(state.changes).toMatchObject(changes ?? {});
  });

  test('cycling comes round', () => {
    const driver = startDemo();
    for (let at = 0; at < 3; at += 1) driver.send({ type: 'cycle-model' });
    expect(only(driver.events, 'session-changed').at(-1)?.changes.model?.id).toBe('demo-small');
  });

  test('cycling through the thinking levels comes round, with a model that thinks', () => {
    const driver = startDemo();
    driver.send({ type: 'set-model', model: 'demo-medium' });
    const levels = Array.from({ length: 6 }, () => dataOf(driver.send({ type: 'cycle-thinking' })));
    expect(levels).toEqual(['minimal', 'low', 'medium', 'high', 'xhigh', 'off'].map((level) => ({ level })));
    const told = only(driver.events, 'session-changed').map(({ changes }) => changes.thinkingLevel);
    expect(told.slice(-2)).toEqual(['xhigh', 'off']);
  });

  test('without auto-retry the first refusal is final', () => {
    const driver = startDemo();
    driver.send({ type: 'set-auto', what: 'retry', enabled: false });
    driver.send(promptOf('retry 3'));
    driver.settleDown();
    expect(outline(driver.events.slice(2))).toBe('run-start turn-start user:prompt turn-end failed');
  });

  test('without auto-compaction the verb compact does not compact', () => {
    const driver = startDemo();
    driver.send({ type: 'set-auto', what: 'compaction', enabled: false });
    driver.send(promptOf('compact'));
    driver.settleDown();
    expect(only(driver.events, 'compaction-start')).toEqual([]);
    expect(textOf(driver.events)).toBe('I would compact now, but that is switched off.');
  });

  test('a model counts from the next message on, also when a prompt names it', () => {
    const driver = startDemo();
    driver.send({ ...promptOf('hi'), model: 'demo-large' });
    expect(only(driver.events, 'message-start')[0]).toMatchObject({ model: 'demo-large', provider: 'demo' });
    expect(startDemo().send({ ...promptOf('hi'), model: 'gpt' })).toMatchObject(code('invalid'));
  });
});

function dataOf(outcome: ReturnType<ReturnType<typeof startDemo>['send']>): unknown {
  return outcome?.ok === true ? outcome.data : undefined;
}

describe('queries', () => {
  const table = [
    ['models', QueryData.models],
    ['commands', QueryData.commands],
    ['tools', QueryData.tools],
    ['thinking-levels', QueryData['thinking-levels']],
    ['context-usage', QueryData['context-usage']],
    ['state', QueryData.state],
  ] as const;

  test.each(table)('%s answers in the shape that core names', (subject, schema) => {
    expect(schema.strict().parse(dataOf(startDemo().send({ type: 'query', subject })))).toBeDefined();
  });

  test('the state knows whether a run is going on', () => {
    const ask = (driver: ReturnType<typeof startDemo>) => driver.send({ type: 'query', subject: 'state' });
    expect(ask(startDemo())).toMatchObject({ data: { running: false, compacting: false } });
    expect(ask(during('hang'))).toMatchObject({ data: { running: true, compacting: false } });
    const compacting = startDemo();
    compacting.send({ type: 'compact' });
    expect(ask(compacting)).toMatchObject({ data: { running: false, compacting: true } });
  });
});

describe('while a run goes on', () => {
  test('a prompt is refused as busy', () => {
    expect(during('hang').send(promptOf('hi'))).toMatchObject(code('busy'));
    expect(during('hang').send({ type: 'compact' })).toMatchObject(code('busy'));
    expect(during('hang').send({ type: 'new-session' })).toMatchObject(code('busy'));
  });

  test('steering joins after the batch of deltas; the rest of the text follows', () => {
    const driver = during('long 6', 2);
    expect(driver.send({ type: 'steer', content: content('to the left') })).toEqual({ ok: true });
    driver.settleDown();
    expect(outline(driver.events.slice(1))).toBe(
      'run-start turn-start user:prompt < text * queue-changed / >end turn-end turn-start queue-changed user:steer ' +
        '< text * / text * / >end turn-end completed',
    );
    expect(textOf(driver.events)).toBe('1 2 3 You steered me: to the left4 5 6 ');
    expect(only(driver.events, 'queue-changed')).toMatchObject([{ steering: ['to the left'] }, { steering: [] }]);
  });

  test('what waits can be taken back', () => {
    const driver = during('long 6', 2);
    driver.send({ type: 'steer', content: content('to the left') });
    driver.send({ type: 'follow-up', content: content('later') });
    expect(driver.send({ type: 'clear-queue' })).toEqual({ ok: true });
    expect(driver.send({ type: 'clear-queue' })).toEqual({ ok: true });
    driver.settleDown();
    expect(textOf(driver.events)).toBe('1 2 3 4 5 6 ');
    expect(only(driver.events, 'queue-changed').map(({ steering, followUp }) => [...steering, ...followUp])).toEqual([
      ['to the left'],
      ['to the left', 'later'],
      [],
    ]);
  });

  test('steering joins after the tool that runs', () => {
    const driver = startDemo();
    driver.send(promptOf('tool'));
    while (only(driver.events, 'tool-start').length === 0) driver.step();
    driver.send({ type: 'steer', content: content('hurry') });
    driver.settleDown();
    expect(outline(driver.events)).toContain(
      'tool-end result turn-end turn-start queue-changed user:steer < text * / text * / >end',
    );
  });

  test.each([
    ['one-at-a-time', ['left', 'right'], 'user:steer < text * / >end turn-end turn-start queue-changed user:steer'],
    ['all', ['left / right'], 'queue-changed user:steer user:steer < text * /'],
  ] as const)('steering messages that wait join %s', (mode, answers, expected) => {
    const driver = during('long 6', 2);
    driver.send({ type: 'set-queue-mode', queue: 'steering', mode });
    for (const text of ['left', 'right']) driver.send({ type: 'steer', content: content(text) });
    driver.settleDown();
    expect(outline(driver.events)).toContain(expected);
    expect(textOf(driver.events)).toContain(answers.map((text) => `You steered me: ${text}`).join(''));
  });

  test.each([
    ['one-at-a-time', 'user:follow-up < text * / >end turn-end turn-start queue-changed user:follow-up'],
    ['all', 'queue-changed user:follow-up user:follow-up < text * / text * / >end turn-end completed'],
  ] as const)('follow-ups that wait are taken %s', (mode, expected) => {
    const driver = during('long 6', 2);
    driver.send({ type: 'set-queue-mode', queue: 'follow-up', mode });
    for (const text of ['long 2', 'long 3']) driver.send({ type: 'follow-up', content: content(text) });
    driver.settleDown();
    expect(outline(driver.events)).toContain(expected);
    expect(textOf(driver.events)).toMatch(/1 2 1 2 3 $/u);
  });

  test('a follow-up is a script in a new turn of the same run, at the usual pace', () => {
    const driver = during('slow 50', 1);
    expect(driver.send({ type: 'follow-up', content: content('long 2') })).toEqual({ ok: true });
    const joined = () => only(driver.events, 'message-added').length === 2;
    while (!joined()) driver.step();
    const before = driver.now;
    driver.settleDown();
    expect(driver.now - before).toBe(30);
    expect(outline(driver.events)).toMatch(/>end turn-end turn-start queue-changed user:follow-up < text \* \/ >end/u);
    expect(only(driver.events, 'run-end')).toEqual([{ type: 'run-end', outcome: 'completed' }]);
  });

  test.each(['steer', 'follow-up'] as const)('a prompt with whenBusy %s joins', (whenBusy) => {
    const driver = during('long 6', 2);
    expect(driver.send({ ...promptOf('think'), whenBusy })).toEqual({ ok: true });
    driver.settleDown();
    expect(outline(driver.events)).toContain(`user:${whenBusy}`);
    expect(only(driver.events, 'run-start')).toHaveLength(1);
  });

  test.each(['steer', 'follow-up'] as const)('%s starts a run when none goes on', (type) => {
    const driver = startDemo();
    expect(driver.send({ type, content: content('hi') })).toEqual({ ok: true });
    driver.settleDown();
    expect(outline(driver.events.slice(1))).toBe(
      `run-start turn-start user:${type} < text * / >end turn-end completed`,
    );
  });
});

describe('abort', () => {
  const opening = 'run-start turn-start user:prompt < text *';
  const cases: readonly [prompt: string, until: string, ending: string][] = [
    ['hang', 'block-delta', '* cut >aborted turn-end aborted'],
    ['tool', 'tool-update', 'tool-update tool-end! result turn-end aborted'],
    ['subagent', 'tool-update', '(tool-update) (tool-end!) (result) task-changed tool-end! result turn-end aborted'],
    ['ask', 'approval-request', 'approval-request approval-end:cancelled tool-end!:aborted result turn-end aborted'],
    ['select', 'dialog-request', 'dialog-request dialog-end:cancelled turn-end aborted'],
    ['retry', 'retry-start', 'retry-start retry-end:false turn-end aborted'],
    ['compact', 'compaction-start', 'compaction-start compaction-end:aborted turn-end aborted'],
  ];

  test.each(cases)('%s after %s', (prompt, until, ending) => {
    const driver = during(prompt);
    while (driver.events.at(-1)?.type !== until && driver.step());
    expect(driver.send({ type: 'abort', target: 'run' })).toEqual({ ok: true });
    expect(outline(driver.events)).toMatch(new RegExp(`${ending.replace(/[()*]/gu, '\\$&')}$`, 'u'));
    expect(driver.settleDown()).toBe(0);
    expect(driver.events.some(({ synthetic }) => synthetic === true)).toBe(false);
  });

  test('half-built arguments are marked, and their call is answered', () => {
    const driver = during('tool');
    while (!(only(driver.events, 'block-start').at(-1)?.index === 1 && driver.events.at(-1)?.type === 'block-delta')) {
      driver.step();
    }
    driver.send({ type: 'abort', target: 'run' });
    expect(outline(driver.events.slice(1))).toBe(
      `${opening} / tool-call * cut >aborted tool-end!:aborted result turn-end aborted`,
    );
  });

  test('the queues are emptied', () => {
    const driver = during('hang');
    driver.send({ type: 'steer', content: content('left') });
    driver.send({ type: 'follow-up', content: content('then right') });
    driver.send({ type: 'abort', target: 'run' });
    expect(only(driver.events, 'queue-changed').at(-1)).toEqual({ type: 'queue-changed', steering: [], followUp: [] });
    driver.send(promptOf('hi'));
    driver.settleDown();
    expect(textOf(driver.events)).not.toContain('left');
  });

  test('with nothing to abort it succeeds and says nothing', () => {
    const driver = startDemo();
    for (const target of ['run', 'retry', 'compaction', 'bash'] as const) {
      expect(driver.send({ type: 'abort', target })).toEqual({ ok: true });
    }
    expect(driver.events).toHaveLength(1);
  });

  test('of retry: the last refusal is final', () => {
    const driver = during('retry 5', 1);
    driver.send({ type: 'abort', target: 'retry' });
    expect(outline(driver.events)).toMatch(/retry-start retry-end:false turn-end failed$/u);
    expect(driver.settleDown()).toBe(0);
  });

  test('of compaction inside a run: the run goes on', () => {
    const driver = during('compact');
    driver.send({ type: 'abort', target: 'compaction' });
    driver.settleDown();
    expect(outline(driver.events)).toMatch(/compaction-end:aborted < text \* \/ >end turn-end completed$/u);
    expect(textOf(driver.events)).toBe('The compaction was aborted.');
  });

  test('of another target does nothing', () => {
    const driver = during('retry 5');
    driver.send({ type: 'abort', target: 'compaction' });
    driver.send({ type: 'abort', target: 'bash' });
    driver.settleDown();
    expect(outline(driver.events)).toMatch(/retry-end:true < text \* \/ >end turn-end completed$/u);
  });
});

describe('answers', () => {
  test('to nothing are refused', () => {
    const allow = { type: 'answer-approval', id: 'approval-1', decision: 'allow' } as const;
    expect(startDemo().send(allow)).toMatchObject(code('not-found'));
    expect(during('hang').send(allow)).toMatchObject(code('not-found'));
    expect(during('select').send({ ...allow, id: 'dialog-1' })).toMatchObject(code('not-found'));
    const asking = during('ask', 100);
    expect(asking.events.at(-1)).toMatchObject({ type: 'approval-request', id: 'approval-1' });
    expect(asking.send({ ...allow, id: 'approval-2' })).toMatchObject(code('not-found'));
    expect(asking.send(allow)).toEqual({ ok: true });
  });

  test('of the wrong kind leave the dialog open', () => {
    const driver = during('confirm');
    const answer = { type: 'answer-dialog', id: 'dialog-1' } as const;
    expect(driver.send({ ...answer, answer: { kind: 'value', value: 'y' } })).toMatchObject(code('invalid'));
    expect(driver.send({ ...answer, answer: { kind: 'confirmed', confirmed: false } })).toEqual({ ok: true });
    driver.settleDown();
    expect(textOf(driver.events)).toBe('Your answer to "Go on?": no.');
    expect(driver.send({ ...answer, answer: { kind: 'cancelled' } })).toMatchObject(code('not-found'));
  });
});

describe('compact', () => {
  test('settles with its summary when it is over', () => {
    const driver = startDemo();
    driver.send(promptOf('text 4000'));
    driver.settleDown();
    const before = driver.events.length;
    expect(driver.send({ type: 'compact', instructions: 'be brief' })).toBeUndefined();
    driver.settleDown();
    const data = OutcomeData.compact.strict().parse(dataOf(driver.outcomes.get('command-2')));
    expect(data.summary).toContain('be brief');
    const { summary, tokensBefore } = data;
    expect(driver.events.slice(before)).toEqual([
      { type: 'compaction-start', trigger: 'manual' },
      expect.objectContaining({ type: 'compaction-end', outcome: 'completed', summary, tokensBefore }),
    ]);
  });

  test.each(['run', 'compaction'] as const)('is aborted by an abort of %s', (target) => {
    const driver = startDemo();
    driver.send({ type: 'compact' });
    expect(driver.send(promptOf('hi'))).toMatchObject(code('busy'));
    expect(driver.send({ type: 'steer', content: content('hi') })).toMatchObject(code('busy'));
    driver.send({ type: 'abort', target });
    expect(driver.outcomes.get('command-1')).toMatchObject(code('aborted'));
    expect(outline(driver.events.slice(1))).toBe('compaction-start compaction-end:aborted');
    expect(driver.send(promptOf('hi'))).toEqual({ ok: true });
  });
});

test('bash runs nothing and repeats the command', () => {
  const driver = startDemo();
  const data = OutcomeData.bash.strict().parse(dataOf(driver.send({ type: 'bash', command: 'rm -rf /' })));
  expect(data).toEqual({
    output: expect.stringContaining('rm -rf /'),
    exitCode: 0,
    cancelled: false,
    truncated: false,
  });
  expect(driver.events.at(-1)).toEqual({ type: 'bash-output', command: 'rm -rf /', delta: data.output });
});

test('bash that hangs is cancelled by an abort of bash and nothing else', () => {
  const driver = startDemo();
  expect(driver.send({ type: 'bash', command: 'hang around' })).toBeUndefined();
  for (const target of ['run', 'retry', 'compaction'] as const) driver.send({ type: 'abort', target });
  expect(driver.outcomes.get('command-1')).toBeUndefined();
  // It is no run: prompts go on beside it.
  expect(driver.send(promptOf('hi'))).toEqual({ ok: true });
  expect(driver.send({ type: 'abort', target: 'bash' })).toEqual({ ok: true });
  const data = OutcomeData.bash.strict().parse(dataOf(driver.outcomes.get('command-1')));
  expect(data).toEqual({ output: expect.stringContaining('hang around'), cancelled: true, truncated: false });
});

describe('what was said before it was started', () => {
  const told = (text: string, id: string): Message => ({ id, role: 'user', content: [{ type: 'text', text }] });

  test('counts as read, and can be forked at', () => {
    const driver = startDemo();
    driver.backend.restoreHistory?.([told('four', 'a'), told('more than four', 'b')]);
    expect(driver.send({ type: 'query', subject: 'context-usage' })).toMatchObject({ data: { tokens: 5 } });
    expect(driver.send({ type: 'fork', entry: 'b' })).toMatchObject({ ok: true, data: { text: 'more than four' } });
    expect(driver.send({ type: 'query', subject: 'context-usage' })).toMatchObject({ data: { tokens: 1 } });
  });

  test('takes the place of what it knew', () => {
    const driver = startDemo();
    driver.send(promptOf('one'));
    driver.settleDown();
    driver.backend.restoreHistory?.([]);
    expect(driver.send({ type: 'query', subject: 'context-usage' })).toMatchObject({ data: { tokens: 0 } });
  });

  test('had another name', () => {
    const driver = startDemo();
    driver.send({ type: 'set-name', name: 'of this one' });
    driver.backend.restoreHistory?.([]);
    expect(dataOf(driver.send({ type: 'query', subject: 'state' }))).not.toHaveProperty('changes.name');
  });
});

describe('fork', () => {
  function talk() {
    const driver = startDemo();
    for (const text of ['tool', 'two', 'three']) {
      driver.send(promptOf(text));
      driver.settleDown();
    }
    const entries = only(driver.events, 'message-added').flatMap(({ role, id }) => (role === 'user' ? [id ?? ''] : []));
    return { driver, entries };
  }

  test('goes back to the moment before that message, and tells what was said until then', () => {
    const { driver, entries } = talk();
    const before = driver.events.length;
    const [, two = ''] = entries;
    expect(driver.send({ type: 'fork', entry: two })).toEqual({ ok: true, data: { text: 'two', cancelled: false } });
    const told = driver.events.slice(before);
    expect(told[0]).toEqual({ type: 'history-reset', reason: 'forked' });
    expect(only(told, 'message-added').map(({ role, origin }) => [role, origin])).toEqual(
      ['user', 'assistant', 'tool', 'assistant'].map((role) => [role, 'replay']),
    );
    expect(told.at(-1)).toMatchObject({ type: 'session-changed', changes: { agentSessionId: 'session-2' } });
  });

  test('what was cut off is forgotten', () => {
    const { driver, entries } = talk();
    const [one = '', two = ''] = entries;
    driver.send({ type: 'fork', entry: two });
    expect(driver.send({ type: 'fork', entry: two })).toMatchObject(code('not-found'));
    expect(driver.send({ type: 'fork', entry: one })).toMatchObject({ ok: true, data: { text: 'tool' } });
    expect(driver.send({ type: 'query', subject: 'context-usage' })).toMatchObject({ data: { tokens: 0 } });
  });

  test('is refused while a run goes on', () => {
    expect(during('hang').send({ type: 'fork', entry: 'message-1' })).toMatchObject(code('busy'));
  });
});

test('a new session forgets figures and name, and keeps the other settings', () => {
  const driver = startDemo();
  driver.send({ type: 'set-name', name: 'Old' });
  driver.send({ type: 'set-model', model: 'demo-large' });
  driver.send(promptOf('hi'));
  driver.settleDown();
  expect(driver.send({ type: 'new-session' })).toEqual({ ok: true, data: { cancelled: false } });
  expect(driver.events.slice(-2)).toEqual([
    { type: 'history-reset', reason: 'new' },
    { type: 'session-changed', changes: { agentSessionId: 'session-2', name: '' } },
  ]);
  expect(driver.send({ type: 'fork', entry: 'message-1' })).toMatchObject(code('not-found'));
  expect(driver.send({ type: 'query', subject: 'context-usage' })).toMatchObject({ data: { tokens: 0 } });
  const state = QueryData.state.parse(dataOf(driver.send({ type: 'query', subject: 'state' })));
  expect(state.changes).toMatchObject({ model: { id: 'demo-large' } });
  expect(state.changes).not.toHaveProperty('name');
});

test.each<Command>([
  { type: 'switch-session', path: 'x' },
  { type: 'export', format: 'html' },
  { type: 'list-sessions' },
  { type: 'query', subject: 'history' },
  { type: 'unknown', protocol: 'pi', payload: {} },
])('$type is unsupported', (command) => {
  expect(startDemo().send(command)).toMatchObject(code('unsupported'));
});
