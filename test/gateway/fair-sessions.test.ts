// A session with many readers has one turn, as a session with one reader has (docs/limits.md 6.1).
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { createSteppedWork } from '../support/core/stepped-work.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { createWire } from '../support/core/wire.ts';

test('a neighbour waits for a few of the many readers of another session, not for all', () => {
  const clock = createVirtualClock();
  const work = createSteppedWork();
  const gateway = createGateway(parseConfig({}), { log: () => {}, clock, work });
  const connect = (session: string) => {
    const wire = createWire(clock, session);
    gateway.board.connect(wire.channel, { frontend: 'pi', session, options: {}, principal: owner });
    return wire;
  };
  for (const id of ['crowded', 'neighbour']) gateway.board.createSession({ id }, owner);
  const crowd = Array.from({ length: 100 }, () => connect('crowded'));
  const neighbour = connect('neighbour');
  work.passAll();
  const heard = () => crowd.filter(({ sent }) => sent.some((frame) => frame.includes('agent_start'))).length;

  crowd[0]?.frame('{"type":"prompt","message":"text"}');
  clock.advance(0);
  neighbour.frame('{"type":"prompt","message":"text"}');
  clock.advance(0);
  while (!neighbour.sent.some((frame) => frame.includes('agent_start')) && work.pass());
  expect(neighbour.sent.some((frame) => frame.includes('agent_start'))).toBe(true);
  expect(heard()).toBeLessThan(20);
  work.passAll();
  expect(heard()).toBe(100);
  gateway.close('the test is over');
});
