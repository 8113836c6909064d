// Aborts: never before agent_start, never behind a dialog, and what 0.13.2 never says.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Bench, bench, shortRun, wire } from './harness.ts';

const prompt: Command = { type: 'prompt', content: [] };
const abort: Command = { type: 'abort', target: 'run' };
const ok = { ok: true };
const asks = (id: string, rest: object = {}) => ({
  type: 'extension_ui_request',
  id,
  method: 'select',
  title: 'Which?',
  options: ['a', 'b'],
  ...rest,
});

describe('abort', () => {
  test('in a run is sent at once and settled when the run ends', () => {
    const pi = bench();
    pi.feed(wire.agentStart);
    pi.command(abort, 'c1');
    expect(pi.sent()).toEqual([{ type: 'abort', id: 'c1' }]);
    pi.feed(...shortRun('aborted').slice(1));
    expect(pi.settled()).toEqual({});
    pi.feed(wire.response('c1', 'abort'));
    expect(pi.settled()).toEqual({ c1: ok });
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'aborted' });
  });

  test('right after a prompt waits for agent_start: pi would lose it', () => {
    const pi = bench();
    pi.command(prompt, 'c1');
    pi.command(abort, 'c2');
    pi.feed(wire.response('c1', 'prompt'));
    expect(pi.sent()).toMatchObject([{ type: 'prompt' }]);
    pi.feed(wire.agentStart);
    expect(pi.sent()).toEqual([{ type: 'abort', id: 'c2' }]);
  });

  test.each([
    ['is refused', (pi: Bench) => pi.feed(wire.refusal('c1', 'prompt', 'no'))],
    ['is handled without a run', (pi: Bench) => pi.feed(wire.response('c1', 'prompt', { disposition: 'handled' }))],
    ['is never answered', (pi: Bench) => pi.advance(30_000)],
  ])('of a prompt that %s has nothing to do', (_, outcome) => {
    const pi = bench();
    pi.command(prompt, 'c1');
    pi.command(abort, 'c2');
    pi.sent();
    outcome(pi);
    expect(pi.sent()).toEqual([]);
    expect(pi.settled()).toMatchObject({ c2: ok });
  });

  test('answers every open dialog first', () => {
    const pi = bench();
    pi.feed(wire.agentStart, asks('d1'), asks('d2'));
    pi.events();
    pi.command(abort, 'c1');
    expect(pi.sent()).toEqual([
      { type: 'extension_ui_response', id: 'd1', cancelled: true },
      { type: 'extension_ui_response', id: 'd2', cancelled: true },
      { type: 'abort', id: 'c1' },
    ]);
    expect(pi.events()).toEqual([
      { type: 'dialog-end', id: 'd1', outcome: 'cancelled' },
      { type: 'dialog-end', id: 'd2', outcome: 'cancelled' },
    ]);
  });

  const cancelled = (id: string) => ({ type: 'extension_ui_response', id, cancelled: true });
  const state = (id: unknown) => wire.response(String(id), 'get_state', { isStreaming: false, isCompacting: false });

  test('of a slash command that asks cancels whatever it asks next, until the command is over', () => {
    const pi = bench();
    pi.command({ ...prompt, content: [{ type: 'text', text: '/ui' }] }, 'c1');
    pi.feed(wire.response('c1', 'prompt'), asks('d1'));
    pi.sent();
    pi.command(abort, 'c2');
    expect(pi.sent()).toEqual([cancelled('d1')]);
    pi.events();
    pi.feed(asks('d2', { timeout: 60_000 }));
    expect(pi.sent()).toEqual([cancelled('d2')]);
    expect(pi.events()).toMatchObject([
      { type: 'dialog-request', id: 'd2' },
      { type: 'dialog-end', id: 'd2', outcome: 'cancelled' },
    ]);
    pi.advance(50);
    pi.feed(state(pi.sent()[0]?.id));
    expect(pi.settled()).toEqual({ c1: ok, c2: ok });
    expect(pi.timers()).toEqual({});
    pi.command({ ...prompt, content: [{ type: 'text', text: '/ui' }] }, 'c3');
    pi.sent();
    pi.feed(asks('d3'));
    expect(pi.sent()).toEqual([]);
  });

  test.each<[string, (pi: Bench) => void, object[], boolean]>([
    ['in a run cancels what is asked in it', (pi) => pi.feed(wire.agentStart), [], true],
    ['before a run as well', (pi) => pi.command(prompt, 'c0'), [], true],
    ['before a run also when it has begun', (pi) => pi.command(prompt, 'c0'), [wire.agentStart], true],
    ['in a compaction that pi told of as well', (pi) => pi.feed({ type: 'compaction_start' }), [], true],
    ['in a compaction that was asked for as well', (pi) => pi.command({ type: 'compact' }, 'c0'), [], true],
    ['of idle pi cancels nothing', () => {}, [], false],
  ])('%s', (_, before, after, isCancelled) => {
    const pi = bench();
    before(pi);
    pi.command(abort, 'c1');
    pi.feed(...after);
    pi.sent();
    pi.feed(asks('d'));
    expect(pi.sent()).toEqual(isCancelled ? [cancelled('d')] : []);
  });

  test.each([
    ['a run', [wire.agentStart], shortRun('aborted').slice(1), [wire.agentStart]],
    ['a compaction', [{ type: 'compaction_start' }], [{ type: 'compaction_end' }], [wire.agentStart]],
  ])('of %s is not one of the next run', (_, before, after, next) => {
    const pi = bench();
    pi.feed(...before);
    pi.command(abort, 'c1');
    pi.feed(...after, wire.response('c1', 'abort'), ...next);
    pi.sent();
    pi.feed(asks('d'));
    expect(pi.sent()).toEqual([]);
  });

  test('of idle pi: 0.13.2 says nothing, so nothing is waited for', () => {
    const legacy = bench();
    legacy.command(abort, 'c1');
    expect(legacy.settled()).toEqual({ c1: ok });
    const modern = bench();
    modern.feed(wire.response('x', 'get_state'));
    modern.command(abort, 'c1');
    expect(modern.settled()).toEqual({});
  });
});
