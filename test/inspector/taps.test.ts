// When the wire of a session is kept: while the WebSocket of a page reads the session, and some seconds more.
import { describe, expect, it } from 'vitest';
import { graceMs, Taps } from '../../src/gateway/inspector/taps.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';

function rig() {
  const clock = createVirtualClock();
  const limits: string[] = [];
  const taps = new Taps(clock, 4096, (rule) => limits.push(rule));
  const tap = taps.made('s');
  const other = taps.made('o');
  const says = (bytes: number) => {
    if (!tap.isOn) return;
    tap.frame(new Uint8Array(bytes));
    tap.taken();
  };
  return { clock, limits, taps, tap, other, says };
}

describe('a tap', () => {
  it('is on for the session of the page alone', () => {
    const { taps, tap, other } = rig();
    expect(tap.isOn).toBe(false);
    taps.watch('s');
    expect([tap.isOn, other.isOn]).toEqual([true, false]);
  });

  it('stays on until the last page has been gone for some seconds', () => {
    const { clock, taps, tap } = rig();
    const [first, second] = [taps.watch('s'), taps.watch('s')];
    first();
    first();
    clock.advance(2 * graceMs);
    expect(tap.isOn).toBe(true);
    second();
    clock.advance(graceMs - 1);
    expect(tap.isOn).toBe(true);
    clock.advance(1);
    expect(tap.isOn).toBe(false);
  });

  it('keeps its rows over a reload', () => {
    const { clock, taps, tap, says } = rig();
    taps.watch('s')();
    says(1);
    clock.advance(graceMs - 1);
    const leave = taps.watch('s');
    clock.advance(2 * graceMs);
    expect([tap.isOn, tap.kept, tap.end]).toEqual([true, 0, 1]);
    leave();
    expect(clock.pending).toBe(1);
  });

  it('forgets its rows when it is off, and its numbers go on', () => {
    const { clock, limits, taps, tap, says } = rig();
    taps.watch('s')();
    for (let count = 0; count < 10; count += 1) says(1024);
    expect([tap.end, limits]).toEqual([10, ['wireBytes']]);
    clock.advance(graceMs);
    expect([tap.kept, tap.end, tap.row(9)]).toEqual([10, 10, undefined]);
    taps.watch('s');
    says(1);
    expect([tap.kept, tap.end, tap.row(10)?.from[0]?.n]).toEqual([10, 11, 11]);
  });

  it('of a session that is over leaves no timer', () => {
    const { clock, taps } = rig();
    const leave = taps.watch('s');
    taps.watch('o')();
    taps.forget('s');
    taps.forget('o');
    leave();
    expect(clock.pending).toBe(0);
    expect(() => taps.watch('s')()).not.toThrow();
  });
});
