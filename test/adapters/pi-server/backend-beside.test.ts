// What must not wait behind a prompt: aborts, steering, answers. Real servers let all of it wait (docs/protocols/pi-server.md 7.7).
import { describe, expect, test } from 'vitest';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import { typesOf } from '../pi/harness.ts';
import { inOrder } from '../pi/order.ts';
import { type AgentBench, agent, name, once, prompt, speaking, wire } from './agent.ts';

const abort: CommandOf<'abort'> = { type: 'abort', target: 'run' };
const done = (n: number) => wire.answer(n, 'prompt', undefined, 1);
const settledWell = { ok: true };
const unable = (type: string) => ({
  ok: false,
  error: { code: 'unsupported', message: `this pi-server does nothing about ${type} before what it is at is over` },
});

/** In the middle of a run; its prompt is command 3 on the wire. */
function running(options = {}): AgentBench {
  const server = agent(options);
  server.command(prompt('hi'), 'c1');
  server.feed(wire.started(3, 'prompt'), ...speaking());
  server.sent();
  server.settled();
  server.events();
  return server;
}

describe('an abort', () => {
  test('that is heard ends the run as the server tells', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    expect(server.sent()).toEqual([{ id: 's:4', type: 'abort', sessionId: name }]);
    server.feed(wire.started(4, 'abort'));
    server.advance(10_000);
    expect([server.events(), server.settled()]).toEqual([[], {}]);
    server.feed(...once('aborted', 'Request was aborted.').slice(3), wire.answer(4, 'abort', undefined, 1));
    expect(server.settled()).toEqual({ a1: settledWell });
    server.feed(done(3));
    expect(server.events().at(-1)).toMatchObject({ type: 'run-end', outcome: 'aborted' });
  });

  test('that waits behind its prompt ends the run here, and what the server still says of it counts no more', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    server.feed(wire.accepted(4, 'abort'));
    server.advance(99);
    expect(server.settled()).toEqual({});
    server.advance(1);
    expect(server.settled()).toEqual({ a1: settledWell });
    expect(server.events()).toEqual([
      { type: 'run-end', outcome: 'aborted', failure: { kind: 'aborted', message: 'the run was aborted' } },
    ]);
    server.feed(...once().slice(3), ...speaking('more'), ...once().slice(3));
    server.feed(wire.started(4, 'abort'), done(3), wire.answer(4, 'abort', undefined, 2));
    expect([server.events(), server.settled()]).toEqual([[], {}]);
  });

  test('the run that is ended here is closed as it must be', () => {
    const server = agent({ abortGraceMs: 100 });
    server.command(prompt('hi'), 'c1');
    server.feed(...speaking());
    server.command(abort, 'a1');
    server.advance(100);
    const { events } = inOrder(server.events());
    expect(typesOf(events)).toEqual([
      'run-start',
      'turn-start',
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'turn-end',
      'run-end',
    ]);
  });

  test('later prompts go on, behind the one that was ended here', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    server.advance(100);
    server.events();
    server.command(prompt('next'), 'c2');
    expect(server.sent().at(-1)).toEqual({ id: 's:5', type: 'prompt', sessionId: name, message: 'next' });
    server.feed(
      ...once().slice(3),
      wire.started(4, 'abort'),
      done(3),
      wire.answer(4, 'abort'),
      wire.started(5, 'prompt'),
    );
    expect(server.events()).toEqual([]);
    server.feed(...once(), done(5));
    expect(typesOf(server.events()).filter((type) => type.startsWith('run'))).toEqual(['run-start', 'run-end']);
    expect(server.settled()).toMatchObject({ c2: settledWell });
  });

  test('of a prompt that waits there is answered after the grace, and its run never told', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    server.advance(100);
    server.command(prompt('next'), 'c2');
    server.command(abort, 'a2');
    server.advance(100);
    expect(server.settled()).toEqual({
      a1: settledWell,
      a2: settledWell,
      c2: { ok: false, error: { code: 'aborted', message: 'aborted before it began' } },
    });
    server.events();
    server.sent();
    server.feed(...once().slice(3), done(3), wire.started(5, 'prompt'), ...once(), done(5));
    expect(server.events()).toEqual([]);
    // Where aborts are heard, it is of some use still.
    expect(server.sent()).toMatchObject([{ type: 'abort' }]);
  });

  test('before the run has begun is said when it has, for pi loses it before', () => {
    const server = agent({ abortGraceMs: 100 });
    server.command(prompt('hi'), 'c1');
    server.command(abort, 'a1');
    expect(server.sent().map(({ type }) => type)).toEqual(['prompt']);
    server.feed(...once().slice(0, 1));
    expect(server.sent().map(({ type }) => type)).toEqual(['abort']);
  });

  test('of a prompt that runs nothing has nothing to do', () => {
    const server = agent({ abortGraceMs: 100 });
    server.command(prompt('/help'), 'c1');
    server.command(abort, 'a1');
    server.feed(done(3));
    expect(server.settled()).toEqual({ c1: settledWell, a1: settledWell });
    server.advance(1_000);
    expect(server.sent().map(({ type }) => type)).toEqual(['prompt']);
  });

  test('does not hit the next run when its own was over in time', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    server.feed(...once().slice(3), done(3), wire.answer(4, 'abort'));
    server.command(prompt('next'), 'c2');
    server.feed(...speaking());
    server.events();
    server.advance(1_000);
    expect(server.events()).toEqual([]);
  });

  test('is still waited for when a prompt of somebody else is over that joined its run', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    server.feed(wire.started('joins', 'prompt'), wire.finished('joins', 'prompt', { success: true }));
    server.advance(100);
    expect(typesOf(server.events())).toEqual(['run-end']);
  });

  test('twice is said once and answered twice', () => {
    const server = running();
    server.command(abort, 'a1');
    server.command(abort, 'a2');
    expect(server.sent()).toHaveLength(1);
    server.feed(wire.answer(4, 'abort'));
    expect(server.settled()).toEqual({ a1: settledWell, a2: settledWell });
  });

  test('answers open questions first, for pi does not abort past one', () => {
    const server = running();
    const ask = { type: 'extension_ui_request', requestId: 'q', method: 'input', title: 'Which?' };
    server.feed(wire.event(ask));
    server.events();
    server.command(abort, 'a1');
    expect(server.sent()).toMatchObject([
      { type: 'extension_ui_response', requestId: 'q', response: { method: 'cancelled' } },
      { type: 'abort' },
    ]);
    expect(server.events()).toEqual([{ type: 'dialog-end', id: 'q', outcome: 'cancelled' }]);
  });

  test('of a compaction between two runs has its own command', () => {
    const server = agent();
    server.feed(wire.event({ type: 'auto_compaction_start', reason: 'threshold' }));
    server.command(abort, 'a1');
    expect(server.sent()).toMatchObject([{ type: 'abort_compaction' }]);
  });

  test('of nothing is said and answered', () => {
    const server = agent();
    server.command(abort, 'a1');
    server.feed(wire.answer(3, 'abort', undefined, 1));
    expect(server.settled()).toEqual({ a1: settledWell });
  });

  test.each([
    ['retry', 'abort_retry'],
    ['bash', 'abort_bash'],
    ['compaction', 'abort_compaction'],
  ] as const)('of a %s is %s, and refused where it would wait', (target, type) => {
    const server = running({ abortGraceMs: 100 });
    server.command({ type: 'abort', target }, 'a1');
    expect(server.sent()).toEqual([{ id: 's:4', type, sessionId: name }]);
    server.advance(100);
    expect(server.settled()).toEqual({ a1: unable(type) });
  });

  test('of a shell may be heard', () => {
    const server = agent();
    server.command({ type: 'bash', command: 'sleep 9' }, 'c1');
    server.command({ type: 'abort', target: 'bash' }, 'a1');
    server.feed(wire.answer(4, 'abort_bash'), wire.answer(3, 'bash', { output: '', exitCode: 0, cancelled: true }));
    expect(server.settled()).toMatchObject({ a1: settledWell, c1: { ok: true, data: { cancelled: true } } });
  });
});

describe('words for the run that is open', () => {
  const words = [{ type: 'text' as const, text: 'left' }];
  const sayings: readonly [what: string, command: Command, line: object][] = [
    ['steer', { type: 'steer', content: words }, { type: 'steer', message: 'left' }],
    ['follow-up', { type: 'follow-up', content: words }, { type: 'follow_up', message: 'left' }],
    [
      'a prompt that steers',
      prompt('left', { whenBusy: 'steer' }),
      { type: 'prompt', message: 'left', streamingBehavior: 'steer' },
    ],
    [
      'a prompt that follows',
      prompt('left', { whenBusy: 'follow-up' }),
      { type: 'prompt', message: 'left', streamingBehavior: 'followUp' },
    ],
  ];

  test.each(sayings)('%s: for the session as it is now', (_, command, line) => {
    const server = running();
    server.command(command, 'c2');
    expect(server.sent()).toEqual([{ id: 's:4', sessionId: name, ifSessionVersion: 0, ...line }]);
    server.feed(wire.answer(4, String(Object(line).type), undefined, 1));
    expect(server.settled()).toEqual({ c2: settledWell });
  });

  test.each(sayings)('%s, where it waits: cannot be done, and is not done later', (_, command, line) => {
    const server = running({ abortGraceMs: 100 });
    server.command(command, 'c2');
    server.advance(100);
    const { type } = Object(line);
    expect(server.settled()).toEqual({ c2: unable(type) });
    server.feed(...once().slice(3), done(3), wire.started(4, type));
    server.feed(wire.refusal(4, type, 'Session version mismatch: expected 0, got 1'));
    expect([server.settled(), server.closed()]).toEqual([{}, null]);
  });

  test('a server that let one wait is not tried again', () => {
    const server = running({ abortGraceMs: 100 });
    server.command({ type: 'steer', content: words }, 'c2');
    server.advance(100);
    server.settled();
    server.sent();
    server.command({ type: 'steer', content: words }, 'c3');
    expect([server.sent(), server.settled()]).toEqual([[], { c3: unable('steer') }]);
  });

  test('nor one that let an abort wait', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    server.advance(100);
    server.command(prompt('next'), 'c2');
    server.feed(done(3), wire.started(5, 'prompt'), ...speaking());
    server.sent();
    server.settled();
    server.command({ type: 'follow-up', content: words }, 'c3');
    expect([server.sent(), server.settled()]).toEqual([[], { c3: unable('follow_up') }]);
  });

  test('one that was quick once may be slow later', () => {
    const server = running({ abortGraceMs: 100 });
    server.command({ type: 'steer', content: words }, 'c2');
    server.feed(wire.started(4, 'steer'), wire.answer(4, 'steer', undefined, 1));
    server.command({ type: 'steer', content: words }, 'c3');
    server.advance(10_000);
    expect(server.settled()).toEqual({ c2: settledWell });
    expect(server.sent().at(-1)).toMatchObject({ ifSessionVersion: 1 });
  });

  test('said again when the session has moved on meanwhile', () => {
    const server = running();
    server.command({ type: 'steer', content: words }, 'c2');
    server.feed(wire.finished('theirs', 'steer', { success: true, sessionVersion: 5 }));
    server.feed(wire.refusal(4, 'steer', 'Session version mismatch: expected 0, got 5'));
    expect(server.sent().map(({ ifSessionVersion }) => ifSessionVersion)).toEqual([0, 5]);
    server.feed(wire.answer(5, 'steer', undefined, 6));
    expect(server.settled()).toEqual({ c2: settledWell });
  });

  test('but not for ever', () => {
    const server = running();
    server.command({ type: 'steer', content: words }, 'c2');
    for (const n of [4, 5, 6]) server.feed(wire.refusal(n, 'steer', 'Session version mismatch: expected 0, got 1'));
    expect([server.sent().length, server.settled()]).toEqual([3, { c2: unable('steer') }]);
  });

  test('without a run they are said as they are', () => {
    const server = agent();
    server.command({ type: 'steer', content: words }, 'c2');
    expect(server.sent()).toEqual([{ id: 's:3', type: 'steer', sessionId: name, message: 'left' }]);
  });

  test('a prompt that must not wait is refused', () => {
    const server = running();
    server.command(prompt('no', { whenBusy: 'refuse' }), 'c2');
    expect(server.settled()).toMatchObject({ c2: { ok: false, error: { code: 'busy' } } });
  });
});

describe('questions of extensions', () => {
  const ask = (fields: object) => wire.event({ type: 'extension_ui_request', requestId: 'q', title: 'T', ...fields });

  test.each([
    ['select', { options: ['a', 'b'] }, { kind: 'value', value: 'a' }, { value: 'a' }],
    ['confirm', { message: 'm' }, { kind: 'confirmed', confirmed: true }, { confirmed: true }],
    ['input', { placeholder: 'p' }, { kind: 'value', value: 'x' }, { value: 'x' }],
    ['editor', { prefill: 'f' }, { kind: 'value', value: 'x' }, { value: 'x' }],
    ['interview', { questions: [{ id: 1 }] }, { kind: 'responses', responses: { a: 1 } }, { responses: { a: 1 } }],
  ] as const)('%s', (method, fields, answer, told) => {
    const server = agent();
    server.feed(ask({ method, ...fields, timeout: 5_000 }));
    expect(server.events()).toEqual([
      { type: 'dialog-request', id: 'q', kind: method, title: 'T', timeoutMs: 5_000, ...fields },
    ]);
    server.command({ type: 'answer-dialog', id: 'q', answer }, 'c1');
    expect(server.sent()).toEqual([
      { id: 's:3', type: 'extension_ui_response', sessionId: name, requestId: 'q', response: { method, ...told } },
    ]);
    expect(server.settled()).toEqual({});
    server.feed(wire.answer(3, 'extension_ui_response'));
    expect([server.settled(), server.timers()]).toEqual([{ c1: settledWell }, {}]);
  });

  test.each(['select', 'confirm', 'input', 'editor', 'interview'])('%s: the user does not want to', (method) => {
    const server = agent();
    server.feed(ask({ method, options: [] }));
    server.command({ type: 'answer-dialog', id: 'q', answer: { kind: 'cancelled' } }, 'c1');
    expect(server.sent()).toMatchObject([{ response: { method: 'cancelled' } }]);
  });

  test('an answer of another kind is none', () => {
    const server = agent();
    server.feed(ask({ method: 'confirm' }));
    server.command({ type: 'answer-dialog', id: 'q', answer: { kind: 'value', value: 'yes' } }, 'c1');
    expect([server.sent(), server.settled()]).toMatchObject([[], { c1: { error: { code: 'invalid' } } }]);
  });

  test('nor is one to a question that nobody asks', () => {
    const server = agent();
    server.command({ type: 'answer-dialog', id: 'x', answer: { kind: 'cancelled' } }, 'c1');
    expect([server.sent(), server.settled()]).toMatchObject([[], { c1: { error: { code: 'stale' } } }]);
  });

  test.each([
    ['its own time', { timeout: 3_000 }, 3_000],
    ['the time that servers have', {}, 60_000],
    ['the time that is set', {}, 7_000],
  ])('it expires after %s, for the server tells nobody', (_, fields, ms) => {
    const server = agent(ms === 7_000 ? { questionMs: ms } : {});
    server.feed(ask({ method: 'input', ...fields }));
    server.events();
    server.advance(ms - 1);
    expect(server.events()).toEqual([]);
    server.advance(1);
    expect(server.events()).toEqual([{ type: 'dialog-end', id: 'q', outcome: 'expired' }]);
  });

  test('an answer to one that the server has given up says that it is over', () => {
    const server = agent();
    server.feed(ask({ method: 'input' }));
    server.events();
    server.command({ type: 'answer-dialog', id: 'q', answer: { kind: 'value', value: 'x' } }, 'c1');
    server.feed(wire.refusal(3, 'extension_ui_response', 'No pending UI request with id q'));
    expect(server.events()).toEqual([{ type: 'dialog-end', id: 'q', outcome: 'expired' }]);
    expect(server.settled()).toMatchObject({ c1: { error: { code: 'stale' } } });
  });

  test('an answer that waits behind the prompt that asks has been given', () => {
    const server = running({ abortGraceMs: 100 });
    server.feed(ask({ method: 'input' }));
    server.command({ type: 'answer-dialog', id: 'q', answer: { kind: 'value', value: 'x' } }, 'c1');
    server.advance(100);
    expect(server.settled()).toEqual({ c1: settledWell });
    server.feed(done(3), wire.refusal(4, 'extension_ui_response', 'No pending UI request with id q'));
    expect(server.settled()).toEqual({});
  });

  test('of a run that was ended here nobody is asked, but what is shown is', () => {
    const server = running({ abortGraceMs: 100 });
    server.command(abort, 'a1');
    server.advance(100);
    server.events();
    server.feed(ask({ method: 'input' }), ask({ method: 'notify', message: 'm' }), ask({ method: 'new' }));
    expect(typesOf(server.events())).toEqual(['notice']);
  });

  test.each([
    ['notify', { message: 'm', notifyType: 'warning' }, { type: 'notice', level: 'warning', text: 'm' }],
    ['setStatus', { key: 'k', text: 'busy' }, { type: 'display', place: 'status', key: 'k', lines: ['busy'] }],
    ['setStatus', { key: 'k' }, { type: 'display', place: 'status', key: 'k', lines: null }],
    [
      'setWidget',
      { key: 'w', content: ['a', 'b'], placement: 'top' },
      { type: 'display', place: 'widget', key: 'w', lines: ['a', 'b'], position: 'top' },
    ],
    ['setTitle', { title: 't' }, { type: 'display', place: 'title', lines: ['t'] }],
    ['setWorkingMessage', { message: 'on it' }, { type: 'display', place: 'working', lines: ['on it'] }],
    ['setWorkingMessage', {}, { type: 'display', place: 'working', lines: null }],
    ['a newer one', { some: 1 }, { type: 'unknown', protocol: 'pi-server' }],
  ])('%s is only shown', (method, fields, event) => {
    const server = agent();
    server.feed(ask({ method, ...fields }));
    expect(server.events()).toMatchObject([event]);
    expect(server.timers()).toEqual({});
  });
});
