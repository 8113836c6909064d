// Who counts as a client of a desk: those that are there, whatever else could be told the news.
import { expect, test } from 'vitest';
import { adapterOf } from '../../src/gateway/agents.ts';
import type { Outcome } from '../../src/core/model/errors.ts';
import { createDesks } from '../../src/gateway/command-intake.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';

const env = { now: () => 0, id: (kind: string) => kind };

test('a listener with nobody behind it is no client: not in the figures, and nothing is waited for', () => {
  const { limits } = adapterOf('pi-server').frontend?.(env, {}) ?? {};
  if (limits === undefined) throw new Error('unreachable');
  const desks = createDesks(createVirtualClock(), 0, () => undefined);
  const desk = desks.of('pi-server', limits);
  const clientsIn = (outcome: Outcome) =>
    outcome.ok ? Object(Object(outcome.data).values).clients : outcome.error.message;
  const count = () => [desk.clients, clientsIn(desk.metrics({ sessions: 0, questions: 0 })), desks.drainMs];
  const stream = { hear: () => {}, isHeard: false };
  const leaveStream = desk.join(stream);
  expect(count()).toEqual([0, 0, 0]);
  const leave = desk.join({ hear: () => {} });
  expect(count()).toEqual([1, 1, limits.drainMs]);
  stream.isHeard = true;
  expect(count()).toEqual([2, 2, limits.drainMs]);
  leave();
  leaveStream();
  expect(count()).toEqual([0, 0, 0]);
});
