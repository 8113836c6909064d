// Commands that depend on others: what they wait for, and what they must not wait for (docs/protocols/common.md 4).
import { describe, expect, test } from 'vitest';
import { createRig } from './rig.ts';

const other = { session: 's2' };

/** The command started, and failed for that reason. */
const failed = (message: string) => ['started', `finished: ${message}`, `answer: ${message}`];

describe('one that is over', () => {
  test('well: it runs', () => {
    const { send, read } = createRig();
    send('a', {}, 'ok');
    send('b', { dependsOn: ['a'] }, 'ok');
    expect(read('b').at(-1)).toBe('answer: ok v2');
  });

  test.each([
    ['failed', ['bad'], "conflict: Dependency 'bad' failed: no"],
    ['unknown', ['never'], "not-found: Dependency 'never' is unknown"],
    ['itself', ['b'], "invalid: Command 'b' cannot depend on itself"],
    ['the first that is bad counts: unknown', ['a', 'never', 'bad', 'b'], "not-found: Dependency 'never' is unknown"],
    ['the first that is bad counts: failed', ['a', 'bad', 'never'], "conflict: Dependency 'bad' failed: no"],
    ['the first that is bad counts: itself', ['a', 'b', 'never'], "invalid: Command 'b' cannot depend on itself"],
  ])('%s', (_, dependsOn, message) => {
    const { send, read, runs } = createRig();
    send('a', {}, 'ok');
    send('bad', {}, 'fail');
    send('b', { dependsOn }, 'ok');
    expect(read('b')).toEqual(['accepted', ...failed(message)]);
    expect(runs).toEqual(['a', 'bad']);
  });

  test('timed out', () => {
    const { send, read, clock } = createRig();
    send('slow', { timeoutMs: 10, type: 'prompt' });
    clock.advance(10);
    send('b', { dependsOn: ['slow'] });
    expect(read('b').at(-1)).toBe("answer: conflict: Dependency 'slow' failed: Command 'prompt' timed out after 10ms");
  });

  test('is unknown when it is forgotten', () => {
    const { send, read } = createRig({ limits: { maxOutcomes: 1 } });
    for (const id of ['a', 'b']) send(id, {}, 'ok');
    send('c', { dependsOn: ['a'] });
    expect(read('c').at(-1)).toBe("answer: not-found: Dependency 'a' is unknown");
  });

  test('is asked about when the command starts, not when it comes', () => {
    const { send, read, succeed } = createRig();
    send('first');
    send('b', { dependsOn: ['a'] }, 'ok');
    send('a', other, 'ok');
    succeed('first');
    expect(read('b').at(-1)).toBe('answer: ok v2');
  });

  test('a key is not an id, and an id of a replay is unknown', () => {
    const { send, read } = createRig();
    send('a', { key: 'k' }, 'ok');
    send('a2', { key: 'k' }, 'ok');
    send('b', { dependsOn: ['a2'] });
    expect(read('b').at(-1)).toBe("answer: not-found: Dependency 'a2' is unknown");
  });

  test('the sentence of a long chain of failures stays short', () => {
    const { send, read } = createRig();
    send('n0', {}, 'fail');
    for (let count = 1; count < 500; count += 1) send(`n${count}`, { dependsOn: [`n${count - 1}`] });
    expect(read('n499').at(-1)?.length).toBeLessThan(1_100);
  });
});

describe('one that is under way', () => {
  test('in another lane: waits for it, then runs', () => {
    const { send, read, succeed, clock } = createRig();
    send('a', other);
    send('b', { dependsOn: ['a'] });
    expect(read('b')).toEqual(['accepted', 'started']);
    succeed('a');
    expect(read('b')).toEqual(['runs']);
    expect(clock.pending).toBe(0);
    succeed('b');
    expect(read('b')).toEqual(['finished: ok v1', 'answer: ok v1']);
  });

  test('and fails', () => {
    const { send, read, fail } = createRig();
    send('a', other);
    send('b', { dependsOn: ['a'] }, 'ok');
    read();
    fail('a');
    expect(read('b')).toEqual(failed("conflict: Dependency 'a' failed: no").slice(1));
  });

  test('is forgotten at its end: those that waited have heard of it', () => {
    const { send, read, succeed } = createRig({ limits: { maxOutcomes: 0 } });
    send('a', other);
    send('b', { dependsOn: ['a'] }, 'ok');
    succeed('a');
    expect(read('b').at(-1)).toBe('answer: ok v1');
  });

  test('in the queue of another lane', () => {
    const { send, runs, succeed } = createRig();
    send('first', other);
    send('a', other);
    send('b', { dependsOn: ['a'] });
    succeed('first');
    succeed('a');
    expect(runs).toEqual(['first', 'a', 'b']);
  });

  test('before it in the same lane: has finished by then', () => {
    const { send, runs, succeed, read } = createRig();
    send('a');
    send('b', { dependsOn: ['a'] }, 'ok');
    expect(read('b')).toEqual(['accepted']);
    succeed('a');
    expect(runs).toEqual(['a', 'b']);
  });

  test('many, one after the other', () => {
    const { send, runs, succeed } = createRig({ sessions: ['s1', 's2', 's3'] });
    send('a', { session: 's3' });
    send('b', other);
    send('c', { dependsOn: ['a', 'b'] });
    send('d', { session: 's4', dependsOn: ['b', 'a'] });
    succeed('b');
    expect(runs).toEqual(['a', 'b']);
    succeed('a');
    expect(runs).toEqual(['a', 'b', 'c', 'd']);
  });

  test('for as long as the limit says, all dependencies together', () => {
    const { send, read, succeed, clock, runs } = createRig({ limits: { dependencyWaitMs: 100 } });
    send('a', other);
    send('b', { session: 's3' });
    send('c', { dependsOn: ['a', 'b'] });
    clock.advance(60);
    succeed('a');
    clock.advance(39);
    expect(read('c')).toEqual(['accepted', 'started']);
    clock.advance(1);
    const message = "timeout: Command 'dependsOn:b' timed out after 100ms";
    expect(read('c')).toEqual([`finished: ${message}`, `answer: ${message}`]);
    succeed('b');
    expect(runs).toEqual(['a', 'b']);
    expect(clock.pending).toBe(0);
  });

  test('the wait does not count as its own time', () => {
    const { send, read, succeed, clock } = createRig();
    send('a', other);
    send('b', { dependsOn: ['a'], timeoutMs: 10 });
    clock.advance(1_000);
    succeed('a');
    clock.advance(9);
    expect(read('b')).toEqual(['accepted', 'started', 'runs']);
    clock.advance(1);
    expect(read('b')).toContain("answer: timeout: Command 'set' timed out after 10ms timed out");
  });
});

describe('one that waits for this command', () => {
  const queued = (id: string) =>
    `Dependency '${id}' is queued in the same lane and cannot be awaited from this command`;
  const circle = (id: string) => `Dependency '${id}' waits for this command and cannot be awaited from it`;

  test('behind it in its lane: fails at once, and the other runs', () => {
    const { send, read, runs, succeed } = createRig();
    send('first');
    send('b', { dependsOn: ['a'] });
    send('between');
    send('a');
    read();
    succeed('first');
    expect(read('b')).toEqual(failed(`conflict: ${queued('a')}`));
    succeed('between');
    expect(runs).toEqual(['first', 'between', 'a']);
  });

  test('beside its lane: no reason to fail', () => {
    const { send, runs, succeed } = createRig();
    send('run');
    send('a');
    send('steer', { place: 'beside', dependsOn: ['a'] });
    send('steer the run', { place: 'beside', dependsOn: ['run'] });
    expect(runs).toEqual(['run']);
    succeed('run');
    expect(runs).toEqual(['run', 'steer the run', 'a']);
    succeed('a');
    expect(runs).toEqual(['run', 'steer the run', 'a', 'steer']);
  });

  test('a lane that depends on what is beside it does not stand still', () => {
    const { send, runs, succeed } = createRig();
    send('run');
    send('far', other);
    send('steer', { place: 'beside', dependsOn: ['far'] });
    send('next', { dependsOn: ['steer'] });
    succeed('run');
    succeed('far');
    expect(runs).toEqual(['run', 'far', 'steer']);
    succeed('steer');
    expect(runs).toEqual(['run', 'far', 'steer', 'next']);
  });

  test('one that is beside and waits for this one', () => {
    const { send, read, succeed } = createRig();
    send('first');
    send('a', { dependsOn: ['steer'] });
    send('steer', { place: 'beside', dependsOn: ['a'] });
    expect(read('steer')).toEqual(['accepted', ...failed(`conflict: ${circle('a')}`)]);
    succeed('first');
    expect(read('a')).toEqual(failed(`conflict: Dependency 'steer' failed: ${circle('a')}`));
  });

  test('through two lanes', () => {
    const { send, read, succeed } = createRig();
    send('first');
    send('second', other);
    send('a', { dependsOn: ['b'] });
    send('b', { ...other, dependsOn: ['a'] });
    read();
    succeed('first');
    // Although b has not begun: it could never succeed.
    expect(read('a')).toEqual(failed(`conflict: ${circle('b')}`));
    succeed('second');
    expect(read('b')).toEqual(failed(`conflict: Dependency 'a' failed: ${circle('b')}`));
  });

  test('through three lanes, by what is before them there', () => {
    const { send, read, succeed, runs } = createRig({ sessions: ['s1', 's2', 's3'] });
    for (const session of ['s1', 's2', 's3']) send(`hold ${session}`, { session });
    send('a', { dependsOn: ['b'] });
    send('x', { session: 's2', dependsOn: ['y'] });
    send('b', { session: 's2' });
    send('z', { session: 's3', dependsOn: ['a'] });
    send('y', { session: 's3' });
    succeed('hold s1');
    expect(read('a')).toContain('started');
    succeed('hold s2');
    expect(read('x')).toEqual(['started']);
    // a waits for b, which is behind x, which waits for y, which is behind this one.
    succeed('hold s3');
    expect(read('z')).toEqual(failed(`conflict: ${circle('a')}`));
    succeed('y');
    succeed('x');
    succeed('b');
    succeed('a');
    expect(runs.slice(3)).toEqual(['y', 'x', 'b', 'a']);
  });

  test('a circle that it is not in does not concern it', () => {
    const { send, read, succeed } = createRig({ sessions: ['s1', 's2', 's3'] });
    send('hold s2', { session: 's2' });
    send('hold s3', { session: 's3' });
    send('b', { session: 's2', dependsOn: ['c'] });
    send('c', { session: 's3', dependsOn: ['b'] });
    send('a', { dependsOn: ['b'] });
    expect(read('a')).toEqual(['accepted', 'started']);
    succeed('hold s2');
    expect(read('a')).toEqual([
      `finished: conflict: Dependency 'b' failed: ${circle('c')}`,
      `answer: conflict: Dependency 'b' failed: ${circle('c')}`,
    ]);
  });

  test('one whose id was forgotten and given again is another', () => {
    const { send, read, succeed } = createRig({ limits: { maxOutcomes: 1 } });
    send('x', {}, 'ok');
    send('b', { ...other, dependsOn: ['x'] });
    send('y', {}, 'ok');
    send('x again', { id: 'x', payload: 2, dependsOn: ['b'] }, 'ok');
    expect(read('x again')).toEqual(['accepted', 'started']);
    succeed('b');
    expect(read('x again').at(-1)).toBe('answer: ok v3');
  });
});
