// Approvals of a pi that runs our extension: which question is one, what an answer becomes, and what ends one unanswered.
import { describe, expect, test } from 'vitest';
import { verify } from '../../../src/core/log/grammar.ts';
import type { CommandOf } from '../../../src/core/model/command.ts';
import approvals from '../../../src/extensions/pi-approvals.ts';
import { bench, shortRun, wire } from './harness.ts';

const ok = { ok: true };
const refused = (code: string) => ({ ok: false, error: { code } });

const facts = { approval: 1, call: 'c1', name: 'bash', input: { command: 'ls' } };
const options = ['Allow', 'Deny', 'Deny and say why'];
const titleOf = (said: object, name = 'bash') => `Allow ${name}?\n${JSON.stringify(said)}`;
const asks = (id: string, rest: object = {}) => ({
  type: 'extension_ui_request',
  id,
  method: 'select',
  title: titleOf(facts),
  options,
  ...rest,
});
const request = { type: 'approval-request', id: 'a1', call: 'c1', name: 'bash', input: { command: 'ls' } };
const toolEnd = (call: string, isError: boolean) => ({
  type: 'tool_execution_end',
  toolCallId: call,
  toolName: 'bash',
  result: { content: [] },
  isError,
});
const allow: CommandOf<'answer-approval'> = { type: 'answer-approval', id: 'a1', decision: 'allow' };
const deny: CommandOf<'answer-approval'> = { ...allow, decision: 'deny' };
const cancelled = { type: 'extension_ui_response', id: 'a1', cancelled: true };

/** A pi in a run that has asked these questions. */
function asking(...lines: object[]) {
  const pi = bench();
  pi.feed(wire.agentStart, wire.turnStart, ...lines);
  pi.events();
  return pi;
}

/** The same after the question of `asks('a1')`. */
const asked = () => asking(asks('a1'));

test('what our extension asks is an approval, whatever the input says', async () => {
  const input = JSON.parse('{"text":"a\\nAllow rm?\u2028\\"}","nested":{"deep":[null,1]},"__proto__":{"x":1}}');
  let title = '';
  approvals({
    on: (_, handler) => {
      const ui = {
        select: async (said: string) => {
          title = said;
          return undefined;
        },
        input: async () => undefined,
      };
      void handler({ toolName: 'bash', toolCallId: 'c1', input }, { hasUI: true, mode: 'rpc', ui });
    },
  });
  const pi = bench();
  pi.feed(wire.agentStart, asks('a1', { title }));
  const [, event] = pi.events();
  expect(event).toEqual({ ...request, input });
  expect(JSON.stringify(event)).toContain('"__proto__":{"x":1}');
});

describe('no approval, but a dialog as any other', () => {
  test.each<[why: string, rest: object]>([
    ['other words before the facts', { title: titleOf(facts, 'Bash') }],
    ['no facts', { title: 'Allow bash?' }],
    ['facts that are no JSON', { title: 'Allow bash?\n{"approval":1' }],
    ['facts that are no object', { title: 'Allow bash?\n[1]' }],
    ['facts of another version', { title: titleOf({ ...facts, approval: 2 }) }],
    ['no call', { title: titleOf({ ...facts, call: undefined }) }],
    ['an input that is no object', { title: titleOf({ ...facts, input: 'ls' }) }],
    ['a third line', { title: `${titleOf(facts)}\nand more` }],
    ['other choices', { options: ['Allow', 'Deny'] }],
    ['choices in another order', { options: [...options].reverse() }],
    ['a timeout', { timeout: 100 }],
  ])('%s', (_why, rest) => {
    const pi = bench();
    pi.feed(wire.agentStart, asks('a1', rest));
    expect(pi.events().map(({ type }) => type)).toEqual(['run-start', 'dialog-request']);
    expect(pi.notes()).toEqual([]);
  });

  test('outside a run, where no tool asks', () => {
    const pi = bench();
    pi.feed(asks('a1'));
    expect(pi.events().map(({ type }) => type)).toEqual(['dialog-request']);
    pi.command(allow, 'k');
    expect(pi.settled()).toMatchObject({ k: refused('stale') });
  });

  test('a confirm or an editor with the same words', () => {
    const pi = bench();
    pi.feed(wire.agentStart, asks('a1', { method: 'confirm' }), asks('a2', { method: 'editor' }));
    expect(pi.events().map(({ type }) => type)).toEqual(['run-start', 'dialog-request', 'dialog-request']);
  });
});

describe('an answer', () => {
  test.each<[name: string, answer: Partial<CommandOf<'answer-approval'>>, value: string]>([
    ['yes', {}, 'Allow'],
    ['yes, with other arguments', { input: { command: 'pwd' } }, '{"decision":"allow","input":{"command":"pwd"}}'],
    ['no', { decision: 'deny' }, 'Deny'],
    ['no, and why', { decision: 'deny', reason: 'not now' }, '{"decision":"deny","reason":"not now"}'],
    ['no, whatever the arguments', { decision: 'deny', input: {} }, 'Deny'],
  ])('%s', (_name, answer, value) => {
    const pi = asked();
    pi.command({ ...allow, ...answer }, 'k1');
    expect(pi.sent()).toEqual([{ type: 'extension_ui_response', id: 'a1', value }]);
    expect(pi.settled()).toEqual({ k1: ok });
    // The session ends the question once this is settled.
    expect([pi.events(), pi.notes()]).toEqual([[], []]);
    pi.command(allow, 'k2');
    expect([pi.sent(), pi.settled()]).toMatchObject([[], { k2: refused('stale') }]);
  });

  test('with standing permissions is a yes for once', () => {
    const pi = asked();
    pi.command({ ...allow, remember: [{ rule: 'all' }] }, 'k');
    expect(pi.sent()).toMatchObject([{ value: 'Allow' }]);
    expect(pi.notes()).toEqual(['loss: answer-approval: pi has no standing permissions']);
  });

  test('to a question that was never asked, or to a dialog, is stale', () => {
    const pi = asking(asks('d1', { options: ['a'] }));
    pi.command(allow, 'k1');
    pi.command({ ...allow, id: 'd1' }, 'k2');
    expect(pi.settled()).toMatchObject({ k1: refused('stale'), k2: refused('stale') });
    expect(pi.sent()).toEqual([]);
  });
});

test('several are independent; one whose id is taken is ignored', () => {
  const second = { ...facts, call: 'c2', input: { command: 'rm' } };
  const pi = bench();
  pi.feed(wire.agentStart, asks('a1'), asks('a2', { title: titleOf(second) }), asks('a2'));
  expect(pi.events().slice(1)).toEqual([request, { ...request, id: 'a2', call: 'c2', input: { command: 'rm' } }]);
  expect(pi.notes()).toEqual(['violation: extension_ui_request: ignored an approval whose id is taken']);
  pi.command({ ...deny, id: 'a2' }, 'k2');
  pi.command(allow, 'k1');
  expect(pi.sent()).toMatchObject([
    { id: 'a2', value: 'Deny' },
    { id: 'a1', value: 'Allow' },
  ]);
});

describe('the tool of a call', () => {
  const skippedOf = (pi: ReturnType<typeof bench>) =>
    pi.events().flatMap((event) => (event.type === 'tool-end' ? [event.skipped] : []));

  test.each<[answer: CommandOf<'answer-approval'>, isError: boolean, skipped: string | undefined]>([
    [deny, true, 'denied'],
    [allow, true, undefined],
    [allow, false, undefined],
  ])('%j: isError %s', (answer, isError, skipped) => {
    const pi = asked();
    pi.command(answer, 'k');
    pi.feed(toolEnd('c1', isError), toolEnd('c2', true));
    expect(skippedOf(pi)).toEqual([skipped, undefined]);
  });

  test('of an earlier run may have had the same name', () => {
    const pi = asked();
    pi.command(deny, 'k');
    pi.feed(toolEnd('c1', true), wire.turnEnd, wire.agentEnd, wire.agentStart, toolEnd('c1', true));
    expect(skippedOf(pi)).toEqual(['denied', undefined]);
  });

  test('that ends by itself ends its question before', () => {
    const pi = asked();
    pi.feed(toolEnd('c2', true), toolEnd('c1', true));
    expect(pi.events()).toMatchObject([
      { type: 'tool-end', call: 'c2' },
      { type: 'approval-end', id: 'a1', outcome: 'cancelled' },
      { type: 'tool-end', call: 'c1', skipped: 'aborted' },
    ]);
    expect(pi.sent()).toEqual([cancelled]);
  });
});

describe('an abort', () => {
  test('cancels what is open before pi is told, for pi does not stop past it', () => {
    const pi = asked();
    pi.command({ type: 'abort', target: 'run' }, 'k');
    expect(pi.sent()).toMatchObject([cancelled, { type: 'abort' }]);
    expect(pi.events()).toEqual([{ type: 'approval-end', id: 'a1', outcome: 'cancelled' }]);
  });

  test('cancels what pi still asks before it stops, and nothing of the next run', () => {
    const pi = asked();
    pi.command({ type: 'abort', target: 'run' }, 'k');
    pi.events();
    pi.sent();
    pi.feed(toolEnd('c1', true), asks('a2'));
    expect(pi.events()).toMatchObject([
      { type: 'tool-end', skipped: 'aborted' },
      { type: 'approval-request', id: 'a2' },
      { type: 'approval-end', id: 'a2', outcome: 'cancelled' },
    ]);
    expect(pi.sent()).toEqual([{ ...cancelled, id: 'a2' }]);
    pi.feed(wire.turnEnd, wire.agentEnd, wire.agentStart, asks('a3'));
    expect(pi.events().at(-1)).toMatchObject({ type: 'approval-request', id: 'a3' });
    expect(pi.sent()).toEqual([]);
  });

  test('of an idle pi cancels nothing of the next run', () => {
    const pi = bench();
    pi.command({ type: 'abort', target: 'run' }, 'k');
    pi.feed(wire.agentStart, asks('a1'));
    expect(pi.events().at(-1)).toMatchObject({ type: 'approval-request' });
    expect(pi.sent()).toMatchObject([{ type: 'abort' }]);
  });

  test('of something else leaves the question open', () => {
    const pi = asked();
    pi.command({ type: 'abort', target: 'retry' }, 'k');
    expect(pi.sent()).toMatchObject([{ type: 'abort_retry' }]);
    pi.command(allow, 'k2');
    expect(pi.settled()).toMatchObject({ k2: ok });
  });
});

test('a run that ends takes its question along, for pi as well', () => {
  const pi = asked();
  pi.feed(wire.turnEnd, wire.agentEnd);
  pi.advance(50);
  expect(pi.sent()).toEqual([cancelled]);
  pi.command(allow, 'k');
  expect(pi.settled()).toMatchObject({ k: refused('stale') });
});

test.each(['before', 'after'])(
  'the clock of a prompt that came %s a question stands still while it is open',
  (when) => {
    const prompt = () =>
      pi.command({ type: 'prompt', content: [{ type: 'text', text: 'go' }], whenBusy: 'steer' }, 'p');
    const pi = bench({ requestTimeoutMs: 1_000 });
    pi.feed(wire.agentStart);
    if (when === 'before') prompt();
    pi.feed(asks('a1'));
    if (when === 'after') prompt();
    pi.advance(60_000);
    expect(pi.settled()).toEqual({});
    pi.command(allow, 'k');
    pi.advance(1_000);
    expect(pi.settled()).toMatchObject({ k: ok, p: refused('timeout') });
  },
);

test('asked before its message and its tool have been told (0.54), the order is legal', () => {
  const call = { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } };
  const pi = bench();
  pi.feed(wire.agentStart, wire.turnStart, wire.assistantStart(), asks('a1'));
  pi.command(deny, 'k');
  const end = wire.assistantEnd([call], { stopReason: 'toolUse' });
  const start = { type: 'tool_execution_start', toolCallId: 'c1', toolName: 'bash', args: { command: 'ls' } };
  pi.feed(end, start, toolEnd('c1', true), wire.turnEnd, ...shortRun().slice(1));
  pi.advance(50);
  const events = pi.events();
  // The session says the end of an answered question.
  const at = events.findIndex(({ type }) => type === 'approval-request') + 1;
  const whole = events.toSpliced(at, 0, { type: 'approval-end', id: 'a1', outcome: 'denied' });
  expect(verify(whole).faults).toEqual([]);
});
