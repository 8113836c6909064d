// The plan of an agent in a session: the last one is kept, late clients get it, a new conversation has none. Clients
// whose protocol has no shape for it lose it with one note.
import { describe, expect, test } from 'vitest';
import { adapters } from '../../../src/adapters/index.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import { replay } from '../../../src/core/log/replay.ts';
import { measureTranscript } from '../../../src/core/log/transcript-size.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { stillEnv } from '../../support/decoding.ts';
import { createLog, tell } from '../../support/telling.ts';

const plan = (text: string, call?: string): Event => ({
  type: 'plan-changed',
  entries: [{ text, priority: 'high', status: 'pending' }],
  ...(call === undefined ? {} : { call }),
});

describe('the transcript', () => {
  test('keeps the last one and counts it', () => {
    const { faults, end } = verify([plan('one'), { type: 'run-start' }, plan('another, which is longer')]);
    expect(faults).toEqual([]);
    expect(end.plan).toEqual(plan('another, which is longer'));
    expect(end.bytes).toBe(measureTranscript(end));
    const told = [...replay(end)].filter(({ event }) => event.type === 'plan-changed');
    expect(told).toMatchObject([{ event: end.plan, replay: 'present' }]);
  });

  test('forgets it with the conversation', () => {
    const { end } = verify([plan('one'), { type: 'history-reset', reason: 'new' }]);
    expect([end.plan, end.bytes]).toEqual([null, 0]);
    expect([...replay(end)]).toEqual([]);
  });
});

/** Clients without a shape for plans. */
const clients = [...adapters.values()].filter(
  ({ client, can }) => client !== undefined && !can.events.includes('plan-changed'),
);

describe.each(clients)('a client of $id', ({ client }) => {
  function heard(...events: readonly Event[]) {
    const side = client?.frontend(stillEnv(), {});
    if (side === undefined) throw new Error('no client side');
    const log = createLog();
    for (const event of events) log.admit(event);
    const { texts, losses } = tell(side, log.logged);
    return { texts, losses: losses.filter((words) => words === 'plan-changed') };
  }

  test('is told nothing of it and loses it once', () => {
    expect(heard(plan('one'), plan('two'), plan('three'))).toMatchObject({ losses: ['plan-changed'] });
    expect(heard(plan('one')).texts).toEqual(heard().texts);
  });

  test('loses nothing if a call says the same', () => {
    expect(heard(plan('one', 'c')).losses).toEqual([]);
  });
});
