// Versions of sessions (docs/protocols/common.md 5).
import { describe, expect, test } from 'vitest';
import { createRig, ticketOf } from './rig.ts';

const opens = { effect: 'opens', lane: 'server' } as const;
const reads = { effect: 'none' } as const;
const closes = { effect: 'closes' } as const;

describe('what a success makes of them', () => {
  test.each([
    ['opens: 0', { session: 'new', ...opens }, 'ok v0', 0],
    ['changes: one more', { session: 's1' }, 'ok v1', 1],
    ['reads: as it is', { session: 's1', ...reads }, 'ok v0', 0],
    ['closes: none', { session: 's1', ...closes }, 'ok', undefined],
    ['reads without a session: none', { session: undefined, ...reads }, 'ok', undefined],
    ['changes a session that there is not: none', { session: 'ghost' }, 'ok', undefined],
  ] as const)('%s', (_, fields, answer, version) => {
    const { send, read, versionOf } = createRig();
    send('a', fields, 'ok');
    expect(read('a').at(-1)).toBe(`answer: ${answer}`);
    expect(versionOf(fields.session ?? '')).toBe(version);
  });

  test('a failure changes nothing, and carries none', () => {
    const { send, read, versionOf } = createRig();
    send('a', {}, 'fail');
    expect(read('a').at(-1)).toBe('answer: agent-refused: no');
    expect(versionOf('s1')).toBe(0);
    send('b', closes, 'fail');
    send('c', { session: 'new', ...opens }, 'fail');
    expect([versionOf('s1'), versionOf('new')]).toEqual([0, undefined]);
  });

  test('without gaps', () => {
    const { send, read } = createRig();
    for (const label of ['a', 'b', 'c']) send(label, {}, 'ok');
    send('get', reads, 'ok');
    send('d', {}, 'ok');
    expect(read().filter((line) => line.includes('answer'))).toEqual([
      'a answer: ok v1',
      'b answer: ok v2',
      'c answer: ok v3',
      'get answer: ok v3',
      'd answer: ok v4',
    ]);
  });

  test('a session whose name the client left open', () => {
    const { send, read, succeed, versionOf } = createRig();
    send('a', { session: undefined, ...opens });
    succeed('a', { session: { id: 'made' } });
    expect(read('a').at(-1)).toBe('answer: ok v0');
    expect(versionOf('made')).toBe(0);
  });

  test.each([{}, { session: null }, { session: { id: 7 } }, 'text'])('an outcome that does not tell: %j', (data) => {
    const { send, read, succeed } = createRig();
    send('a', { session: undefined, ...opens });
    succeed('a', data);
    expect(read('a').at(-1)).toBe('answer: ok');
    send('b', { session: 'named', ...opens });
    succeed('b', data);
    expect(read('b').at(-1)).toBe('answer: ok v0');
  });

  test('opened again: from 0', () => {
    const { send, read } = createRig();
    send('change', {}, 'ok');
    send('close', closes, 'ok');
    send('open', { session: 's1', ...opens }, 'ok');
    expect(read('open').at(-1)).toBe('answer: ok v0');
    send('change 2', {}, 'ok');
    expect(read('change 2').at(-1)).toBe('answer: ok v1');
  });

  test('opened and gone again before the answer: none', () => {
    const { ledger, versionOf } = createRig();
    const told: unknown[] = [];
    ledger.submit({
      ticket: ticketOf('open', { session: undefined, ...opens }),
      run: (settle) => settle({ ok: true, data: { session: { id: 'short' } } }),
      settle: (_outcome, { version }) => void told.push(version),
    });
    expect([told, versionOf('short')]).toEqual([[undefined], undefined]);
  });

  test('one that has gone without a command', () => {
    const { send, read, succeed, sessions, ledger, versionOf } = createRig();
    send('a');
    sessions.delete('s1');
    ledger.forget('s1');
    expect(versionOf('s1')).toBeUndefined();
    succeed('a');
    expect(read('a').at(-1)).toBe('answer: ok');
  });

  test('what comes late from a session of before does not count for the one of now', () => {
    const { send, read, succeed, ledger, versionOf } = createRig();
    send('steer', { place: 'beside' });
    ledger.forget('s1');
    send('open', { session: 's1', ...opens }, 'ok');
    succeed('steer');
    expect(read('steer').at(-1)).toBe('answer: ok');
    expect(versionOf('s1')).toBe(0);
  });

  test('changed by somebody else: counted as well', () => {
    const { send, read, sessions } = createRig();
    send('a', {}, 'ok');
    sessions.get('s1')?.countChange();
    send('b', {}, 'ok');
    expect(read('b').at(-1)).toBe('answer: ok v3');
  });
});

describe('a wish for one', () => {
  const stale = (expected: number, got: number) => `stale: Session version mismatch: expected ${expected}, got ${got}`;

  test.each([
    ['met', { ifVersion: 1 }, 'ok v2'],
    ['met by a read', { ifVersion: 1, ...reads }, 'ok v1'],
    ['too low', { ifVersion: 0 }, stale(0, 1)],
    ['too high', { ifVersion: 4, ...reads }, stale(4, 1)],
    ['of a close', { ifVersion: 0, ...closes }, stale(0, 1)],
    ['of a session that there is not', { ifVersion: 0, session: 'ghost' }, 'not-found: Session ghost not found'],
  ])('%s', (_, fields, answer) => {
    const { send, read, runs } = createRig();
    send('first', {}, 'ok');
    send('a', fields, 'ok');
    expect(read('a').at(-1)).toBe(`answer: ${answer}`);
    expect(runs.includes('a')).toBe(answer.startsWith('ok'));
  });

  test('is looked at when the command starts', () => {
    const { send, read, succeed } = createRig();
    send('first');
    send('a', { ifVersion: 1 }, 'ok');
    send('b', { ifVersion: 1 }, 'ok');
    succeed('first');
    expect(read('a').at(-1)).toBe('answer: ok v2');
    expect(read('b')).toEqual([]);
  });

  test('behind the dependencies', () => {
    const { send, read, succeed } = createRig();
    send('far', { session: 's2' });
    send('a', { dependsOn: ['far'], ifVersion: 1 }, 'ok');
    send('steer', { place: 'beside' }, 'ok');
    send('b', { dependsOn: ['never'], ifVersion: 7, place: 'beside' });
    expect(read('b').at(-1)).toBe("answer: not-found: Dependency 'never' is unknown");
    succeed('far');
    expect(read('a').at(-1)).toBe('answer: ok v2');
  });
});
