// Phases and lanes: when commands begin, and the order of their broadcasts (docs/protocols/common.md 3).
import { describe, expect, test } from 'vitest';
import { createRig } from './rig.ts';

describe('phases', () => {
  test.each([
    ['ok', 'ok v1'],
    ['fail', 'agent-refused: no'],
    ['throw', 'internal: thrown'],
  ] as const)('of a command that ends at once: %s', (how, end) => {
    const { send, read } = createRig();
    send('a', {}, how);
    expect(read('a')).toEqual(['accepted', 'started', 'runs', `finished: ${end}`, `answer: ${end}`]);
  });

  test('of a command that takes its time', () => {
    const { send, read, succeed } = createRig();
    send('a');
    expect(read('a')).toEqual(['accepted', 'started', 'runs']);
    succeed('a');
    expect(read('a')).toEqual(['finished: ok v1', 'answer: ok v1']);
  });

  test('a second end is none, nor is one behind a throw', () => {
    const { send, read, succeed, fail, versionOf } = createRig();
    send('a', {}, 'ok');
    send('b', {}, 'throw');
    read();
    fail('a');
    succeed('a');
    succeed('b');
    expect(read()).toEqual([]);
    expect(versionOf('s1')).toBe(1);
  });

  test('a command that answers and throws has answered', () => {
    const { read, ledger } = createRig();
    const told: unknown[] = [];
    ledger.submit({
      ticket: {
        type: 't',
        payload: {},
        dependsOn: [],
        lane: 'server',
        place: 'in-turn',
        effect: 'none',
        timeoutMs: null,
      },
      run(settle) {
        settle({ ok: true });
        throw new Error('late');
      },
      settle: (outcome) => void told.push(outcome),
    });
    expect(told).toEqual([{ ok: true }]);
    expect(read()).toHaveLength(3);
    expect(ledger.figures()).toMatchObject({ inFlight: 0, lanes: 0 });
  });
});

describe('a lane', () => {
  test('has one command at a time, in the order in which they came; the next starts behind the answer', () => {
    const { send, read, succeed, fail } = createRig();
    for (const label of ['a', 'b', 'c']) send(label);
    expect(read()).toEqual(['a accepted', 'a started', 'a runs', 'b accepted', 'c accepted']);
    succeed('a');
    expect(read()).toEqual(['a finished: ok v1', 'a answer: ok v1', 'b started', 'b runs']);
    fail('b');
    expect(read()).toEqual(['b finished: agent-refused: no', 'b answer: agent-refused: no', 'c started', 'c runs']);
  });

  test('does not wait for another: sessions and the server have one each', () => {
    const { send, runs } = createRig();
    send('a');
    send('b', { session: 's2' });
    send('c', { lane: 'server', effect: 'none' });
    send('d', { lane: 'server', session: undefined, effect: 'none' });
    expect(runs).toEqual(['a', 'b', 'c']);
  });

  test('of a session called like the server is not that of the server', () => {
    const { send, runs } = createRig({ sessions: ['server', ''] });
    send('a', { session: 'server' });
    send('b', { lane: 'server', session: 'server' });
    send('c', { session: '' });
    expect(runs).toEqual(['a', 'b', 'c']);
  });

  test('ten thousand commands that end at once do not buffer up on the stack', () => {
    const { send, succeed, runs, ledger, versionOf } = createRig();
    send('first');
    for (let count = 0; count < 10_000; count += 1) send(`n${count}`, {}, 'ok');
    succeed('first');
    expect(runs).toHaveLength(10_001);
    expect(versionOf('s1')).toBe(10_001);
    expect(ledger.figures()).toMatchObject({ inFlight: 0, lanes: 0 });
  });

  test('nor do as many that each come with the answer to the one before', () => {
    const { send, runs } = createRig();
    const again = (left: number): void => {
      if (left > 0) send(`n${left}`, {}, 'ok', () => again(left - 1));
    };
    again(10_000);
    expect(runs).toHaveLength(10_000);
  });

  test('what comes in the middle of the news is told behind them', () => {
    const { send, read } = createRig();
    send('a', {}, 'ok', () => send('b', {}, 'ok'));
    expect(read().slice(3)).toEqual([
      'a finished: ok v1',
      'a answer: ok v1',
      'b accepted',
      'b started',
      'b runs',
      'b finished: ok v2',
      'b answer: ok v2',
    ]);
  });

  test('a caller that throws on being told hurts nobody', () => {
    const { send, read } = createRig();
    send('a', {}, 'ok', () => {
      throw new Error('gone');
    });
    send('b', {}, 'ok');
    expect(read('b').at(-1)).toBe('answer: ok v2');
  });
});

describe('beside', () => {
  test('begins at once, and holds nobody up', () => {
    const { send, runs, succeed } = createRig();
    send('run', { runs: true });
    send('next');
    send('abort', { place: 'beside' });
    expect(runs).toEqual(['run', 'abort']);
    succeed('run');
    expect(runs).toEqual(['run', 'abort', 'next']);
  });

  test('its end does not let the next one in', () => {
    const { send, runs, succeed } = createRig();
    send('run');
    send('next');
    send('abort', { place: 'beside' });
    succeed('abort');
    expect(runs).toEqual(['run', 'abort']);
  });
});

describe('joins', () => {
  const joins = { place: 'joins' } as const;

  test.each([
    ['beside one that runs', { runs: true }, ['first', 'joiner']],
    ['in turn behind one that does not', {}, ['first']],
  ])('%s', (_, fields, expected) => {
    const { send, runs } = createRig();
    send('first', fields);
    send('joiner', joins);
    expect(runs).toEqual(expected);
  });

  test('at once where nothing goes on', () => {
    const { send, runs } = createRig();
    send('joiner', joins);
    expect(runs).toEqual(['joiner']);
  });

  test('in turn behind one that is over, or of another lane', () => {
    const { send, runs, succeed } = createRig();
    send('run', { runs: true });
    succeed('run');
    send('other', { runs: true, session: 's2' });
    send('first');
    send('joiner', joins);
    expect(runs).toEqual(['run', 'other', 'first']);
  });

  test('in turn while the one behind the run is carried out', () => {
    const { send, runs, succeed } = createRig();
    send('run', { runs: true });
    send('first');
    succeed('run');
    send('joiner', joins);
    expect(runs).toEqual(['run', 'first']);
  });

  test('one that waited for the lane joins the run that was before it', () => {
    const { send, runs, succeed } = createRig();
    send('first');
    send('run', { runs: true });
    send('joiner', joins);
    send('second', joins);
    send('next');
    send('late', joins);
    expect(runs).toEqual(['first']);
    succeed('first');
    expect(runs).toEqual(['first', 'run', 'joiner', 'second']);
    succeed('run');
    expect(runs).toEqual(['first', 'run', 'joiner', 'second', 'next']);
  });

  test('not before one that came earlier and waits behind another', () => {
    const { send, runs, succeed } = createRig();
    send('other', { session: 's2' });
    send('run', { runs: true, dependsOn: ['other'] });
    send('next');
    send('early', { ...joins, runs: true });
    succeed('other');
    send('late', joins);
    expect(runs).toEqual(['other', 'run']);
    succeed('run');
    succeed('next');
    expect(runs).toEqual(['other', 'run', 'next', 'early', 'late']);
    send('later', joins);
    expect(runs.at(-1)).toBe('later');
  });

  test('a run that still waits for its dependencies is none yet', () => {
    const { send, runs, succeed } = createRig();
    send('other', { session: 's2' });
    send('run', { runs: true, dependsOn: ['other'] });
    send('joiner', joins);
    expect(runs).toEqual(['other']);
    succeed('other');
    expect(runs).toEqual(['other', 'run', 'joiner']);
  });

  test('a run that is over at once lets its joiners in all the same', () => {
    const { send, runs, succeed, ledger } = createRig();
    send('first');
    send('run', { runs: true }, 'ok');
    send('joiner', joins, 'ok');
    succeed('first');
    expect(runs).toEqual(['first', 'run', 'joiner']);
    expect(ledger.figures()).toMatchObject({ inFlight: 0, lanes: 0 });
  });
});
