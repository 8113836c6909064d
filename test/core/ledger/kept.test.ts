// A ledger whose commands and outcomes are kept: nobody is told of an outcome before it is on disk, and the ledger of the
// next process knows what the one before has told.
import { describe, expect, test } from 'vitest';
import type { Ticket } from '../../../src/core/contract/ticket.ts';
import { createLedger } from '../../../src/core/ledger/ledger.ts';
import { LedgerRecord } from '../../../src/core/ledger/ledger-records.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';
import { createCounter, say, ticketOf, wide } from './rig.ts';

/** A process with a ledger, on a disk that writes when the test says so. */
function start(lines: string[], { isSlow = false, timeOrigin = 0 } = {}) {
  const clock = createVirtualClock();
  const waiting: (() => void)[] = [];
  const counter = createCounter();
  const log: string[] = [];
  const ends = new Map<string, (outcome: Outcome) => void>();
  const ledger = createLedger({
    clock,
    limits: wide,
    digest: (text) => text,
    counterOf: () => counter,
    broadcast: ({ phase, ticket }) => void log.push(`${ticket.id ?? ticket.key} ${phase}`),
    keeper: {
      timeOrigin,
      keep(record, then) {
        lines.push(JSON.stringify(record));
        if (then !== undefined && isSlow) waiting.push(then);
        else then?.();
      },
    },
  });
  return {
    ledger,
    clock,
    log,
    end: (name: string, outcome: Outcome) => ends.get(name)?.(outcome),
    write() {
      for (const then of waiting.splice(0)) then();
    },
    restore: (from: readonly string[]) => ledger.restore(from.map((line) => LedgerRecord.parse(JSON.parse(line)))),
    send(name: string, fields: Partial<Ticket> = {}) {
      ledger.submit({
        ticket: ticketOf(name, fields),
        run: (settle) => {
          log.push(`${name} runs`);
          ends.set(name, settle);
        },
        settle: (outcome, receipt) => void log.push(`${name} answer: ${say(outcome, receipt)}`),
      });
    },
  };
}

const lost = 'aborted: the gateway was restarted while the command was carried out; its outcome is unknown replayed';

describe('a kept ledger', () => {
  test('tells nobody of an outcome before it is on disk, repetitions neither', () => {
    const lines: string[] = [];
    const one = start(lines, { isSlow: true });
    one.send('a');
    one.end('a', { ok: true, data: { n: 1 } });
    one.send('a');
    expect(one.log).toEqual(['a accepted', 'a started', 'a runs', 'a accepted']);
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['admitted', 'outcome']);
    // A snapshot of this moment has the outcome already.
    expect(one.ledger.records()).toMatchObject([{ kind: 'outcome', id: 'a', outcome: { ok: true, data: { n: 1 } } }]);
    one.write();
    expect(one.log.slice(4)).toEqual(['a finished', 'a answer: ok v1', 'a finished', 'a answer: ok v1 replayed']);
  });

  test.each([
    ['its records', (lines: readonly string[], _: ReturnType<typeof start>) => lines],
    [
      'its snapshot',
      (_: readonly string[], one: ReturnType<typeof start>) =>
        one.ledger.records().map((record) => JSON.stringify(record)),
    ],
  ])('the next process answers by %s: the outcome of before, or that it is lost; nothing runs twice', (_name, kept) => {
    const lines: string[] = [];
    const one = start(lines);
    one.send('a', { key: 'k' });
    one.end('a', { ok: false, error: { code: 'agent-refused', message: 'no' } });
    one.send('open');
    const next = start([]);
    next.restore(kept(lines, one));
    for (const fields of [{ key: 'k' }, { id: 'other', key: 'k' }]) next.send('a', fields);
    next.send('open');
    expect(next.log.filter((line) => line.includes('answer'))).toEqual([
      'a answer: agent-refused: no replayed',
      'a answer: agent-refused: no replayed',
      `open answer: ${lost}`,
    ]);
    next.send('a', { payload: 'another' });
    expect(next.log.at(-1)).toContain('conflict');
    next.send('new');
    expect(next.log.at(-1)).toBe('new runs');
    expect(next.log.filter((line) => line.endsWith('runs'))).toEqual(['new runs']);
  });

  test('a key is valid for as long as before, by the clock on the wall', () => {
    const lines: string[] = [];
    const one = start(lines, { timeOrigin: 1_000_000 });
    one.send('a', { id: undefined, key: 'k' });
    one.end('a', { ok: true });
    for (const [later, ran] of [
      [wide.idempotencyTtlMs - 1, false],
      [wide.idempotencyTtlMs, true],
    ] as const) {
      const next = start([], { timeOrigin: 1_000_000 + later });
      next.restore(lines);
      next.send('a', { id: undefined, key: 'k' });
      expect(next.log.includes('a runs'), String(later)).toBe(ran);
    }
  });

  test('the keys of a session that is closed are not found again', () => {
    const lines: string[] = [];
    const one = start(lines);
    one.send('a', { id: undefined, key: 'k' });
    one.end('a', { ok: true });
    one.ledger.forget('s1');
    const next = start([]);
    next.restore(lines);
    next.send('a', { id: undefined, key: 'k' });
    expect(next.log).toContain('a runs');
  });
});
