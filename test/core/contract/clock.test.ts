// Named timers of one owner, and the clock that tests turn by hand.
import { describe, expect, test } from 'vitest';
import { createTimers } from '../../../src/core/contract/clock.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

function rig() {
  const clock = createVirtualClock();
  const timers = createTimers(clock);
  const rung: string[] = [];
  return {
    clock,
    timers,
    rung,
    set: (name: string, ms: number | null) => timers.set(name, ms, () => void rung.push(`${name} ${clock.now()}`)),
  };
}

describe('timers', () => {
  test('ring once, each at its time', () => {
    const { clock, rung, set } = rig();
    set('late', 20);
    set('soon', 10);
    clock.advance(9);
    expect(rung).toEqual([]);
    clock.advance(100);
    expect(rung).toEqual(['soon 10', 'late 20']);
    clock.advance(100);
    expect(rung).toHaveLength(2);
  });

  test('start again when they are set again', () => {
    const { clock, rung, set } = rig();
    set('a', 10);
    clock.advance(9);
    set('a', 10);
    clock.advance(9);
    expect(rung).toEqual([]);
    clock.advance(1);
    expect(rung).toEqual(['a 19']);
  });

  test('stop at null, and at the end all of them', () => {
    const { clock, timers, rung, set } = rig();
    set('a', 10);
    set('b', 10);
    set('c', 10);
    set('a', null);
    set('never set', null);
    expect(clock.pending).toBe(2);
    timers.clear();
    expect(clock.pending).toBe(0);
    clock.advance(100);
    expect(rung).toEqual([]);
  });

  test('know which of them run', () => {
    const { clock, timers, set } = rig();
    expect(timers.has('a')).toBe(false);
    set('a', 10);
    expect(timers.has('a')).toBe(true);
    clock.advance(10);
    expect(timers.has('a')).toBe(false);
    set('a', 10);
    set('a', null);
    expect(timers.has('a')).toBe(false);
    set('a', 10);
    timers.clear();
    expect(timers.has('a')).toBe(false);
  });

  test('may be set by their own ringing', () => {
    const { clock, timers } = rig();
    let rings = 0;
    const ring = () => {
      rings += 1;
      if (rings < 3) timers.set('a', 5, ring);
    };
    timers.set('a', 5, ring);
    clock.advance(100);
    expect(rings).toBe(3);
    expect(timers.has('a')).toBe(false);
  });
});

describe('the virtual clock', () => {
  test('rings in the order of time, then of setting, and shows the time of each ring', () => {
    const clock = createVirtualClock();
    const rung: string[] = [];
    clock.after(5, () => void rung.push(`b ${clock.now()}`));
    clock.after(5, () => void rung.push(`c ${clock.now()}`));
    clock.after(2, () => {
      rung.push(`a ${clock.now()}`);
      clock.after(3, () => void rung.push(`d ${clock.now()}`));
    });
    clock.advance(5);
    expect(rung).toEqual(['a 2', 'b 5', 'c 5', 'd 5']);
    expect(clock.now()).toBe(5);
  });

  test('complains of a timer that never lets time pass', () => {
    const clock = createVirtualClock();
    const again = () => void clock.after(0, again);
    again();
    expect(() => clock.advance(1)).toThrow('never come to rest');
  });
});
