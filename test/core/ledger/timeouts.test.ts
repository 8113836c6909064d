// Commands that time out: an outcome like any other, answered and kept once (docs/protocols/common.md 6.1).
import { expect, test } from 'vitest';
import { createRig } from './rig.ts';

const late = "timeout: Command 'prompt' timed out after 100ms timed out";
const prompt = { type: 'prompt', timeoutMs: 100 };

test('is undone, told, and gives way to the next', () => {
  const { send, read, clock } = createRig();
  send('a', prompt);
  send('next');
  clock.advance(99);
  read();
  clock.advance(1);
  expect(read()).toEqual(['a undone', `a finished: ${late}`, `a answer: ${late}`, 'next started', 'next runs']);
});

test.each(['succeed', 'fail'] as const)('what comes late changes nothing: %s', (how) => {
  const rig = createRig();
  rig.send('a', prompt);
  rig.clock.advance(100);
  rig.read();
  rig[how]('a');
  expect(rig.read()).toEqual([]);
  expect(rig.versionOf('s1')).toBe(0);
  rig.clock.advance(10_000);
  rig.send('again', { id: 'a', ...prompt });
  expect(rig.read('again').at(-1)).toBe(
    `answer: ${late.replace('timed out', 'TIMED').replace('timed out', 'replayed timed out').replace('TIMED', 'timed out')}`,
  );
});

test('is kept before anybody hears of it', () => {
  const { send, read, clock, runs } = createRig();
  send('a', prompt, 'hold', () => send('on hearing', { id: 'a', ...prompt }, 'ok'));
  send('under way', { id: 'a', ...prompt });
  clock.advance(100);
  expect(runs).toEqual(['a']);
  expect(read('on hearing').at(-1)).toMatch(/timed out after 100ms replayed timed out$/u);
});

test('and by key', () => {
  const { send, read, clock, runs } = createRig();
  send('a', { ...prompt, key: 'k' });
  clock.advance(100);
  send('b', { ...prompt, key: 'k' });
  expect(read('b').at(-1)).toMatch(/timed out after 100ms replayed timed out$/u);
  expect(runs).toEqual(['a']);
});

test('its time begins when it is carried out, not when it comes', () => {
  const { send, read, succeed, clock } = createRig();
  send('first');
  send('a', prompt);
  clock.advance(1_000);
  succeed('first');
  clock.advance(99);
  expect(read('a')).toEqual(['accepted', 'started', 'runs']);
  clock.advance(1);
  expect(read('a')).toContain(`answer: ${late}`);
});

test('in time: no timer is left', () => {
  const { send, read, succeed, clock } = createRig();
  send('a', prompt);
  succeed('a');
  expect(clock.pending).toBe(0);
  clock.advance(1_000);
  expect(read('a').filter((line) => line.startsWith('answer'))).toEqual(['answer: ok v1']);
});

test('one that answers when it is undone has come too late', () => {
  const { ledger, clock } = createRig();
  const told: boolean[] = [];
  let answer = () => {};
  ledger.submit({
    ticket: { type: 't', payload: 0, dependsOn: [], lane: 'server', place: 'in-turn', effect: 'none', timeoutMs: 5 },
    run(settle) {
      answer = () => settle({ ok: true });
    },
    settle: ({ ok }) => void told.push(ok),
    undo: () => answer(),
  });
  clock.advance(5);
  expect(told).toEqual([false]);
});
