// An intake counts connected listeners as its clients, and no others.

import { expect, test } from 'vitest';
import { adapterOf } from '../../src/adapters/index.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Outcome } from '../../src/core/model/errors.ts';
import { CommandIntakes } from '../../src/gateway/commands/command-intakes.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';

const env = { now: () => 0, id: (kind: string) => kind };

test('a listener with nobody behind it is no client: not in the figures, and nothing is waited for', () => {
  const { limits } = adapterOf('pi-server').client?.frontend(env, {}) ?? {};
  if (limits === undefined) throw new Error('unreachable');
  const intakes = new CommandIntakes({
    clock: createVirtualClock(),
    timeOrigin: 0,
    agentOf: () => undefined,
    openSession: () => undefined,
  });
  const intake = intakes.of('pi-server', limits, owner);
  const clientsIn = (outcome: Outcome) =>
    outcome.ok ? Object(Object(outcome.data).values).clients : outcome.error.message;
  const count = () => [intake.clients, clientsIn(intake.metrics({ sessions: 0, questions: 0 })), intakes.drainMs];
  const stream = { onBroadcast: () => {}, isHeard: false };
  const leaveStream = intake.subscribe(stream);
  expect(count()).toEqual([0, 0, 0]);
  const leave = intake.subscribe({ onBroadcast: () => {} });
  expect(count()).toEqual([1, 1, limits.drainMs]);
  stream.isHeard = true;
  expect(count()).toEqual([2, 2, limits.drainMs]);
  leave();
  leaveStream();
  expect(count()).toEqual([0, 0, 0]);
});
